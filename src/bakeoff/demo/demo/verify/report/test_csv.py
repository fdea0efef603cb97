import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "hidden"))

from cases import CASES, passed


class Csv(unittest.TestCase):
    def test_every_case(self):
        for name in CASES:
            with self.subTest(name):
                self.assertTrue(passed(name), name)
