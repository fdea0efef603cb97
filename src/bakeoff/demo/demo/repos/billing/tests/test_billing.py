import unittest
from datetime import date

from billing import next_due


class NextDue(unittest.TestCase):
    def test_the_same_day_of_the_next_month(self):
        self.assertEqual(next_due(date(2025, 3, 14)), date(2025, 4, 14))

    def test_over_the_end_of_the_year(self):
        self.assertEqual(next_due(date(2025, 12, 5)), date(2026, 1, 5))
