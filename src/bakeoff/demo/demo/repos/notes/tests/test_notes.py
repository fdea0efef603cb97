import unittest

from notes import todays_notes


class Notes(unittest.TestCase):
    def test_white_space_is_stripped(self):
        self.assertEqual(todays_notes([" a ", "b"]), ["a", "b"])
