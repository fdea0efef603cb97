import unittest

from report import render


class Text(unittest.TestCase):
    def test_rows_and_total(self):
        self.assertEqual(render([("ink", 3), ("paper", 4)]), "ink: 3\npaper: 4\ntotal: 7\n")
