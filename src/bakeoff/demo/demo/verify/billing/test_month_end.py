import unittest
from datetime import date

from billing import next_due


class MonthEnd(unittest.TestCase):
    def test_the_last_day_of_january(self):
        self.assertEqual(next_due(date(2025, 1, 31)), date(2025, 2, 28))

    def test_a_leap_year(self):
        self.assertEqual(next_due(date(2024, 1, 30)), date(2024, 2, 29))

    def test_a_month_of_thirty_days(self):
        self.assertEqual(next_due(date(2025, 5, 31)), date(2025, 6, 30))

    def test_the_end_of_the_year(self):
        self.assertEqual(next_due(date(2025, 12, 31)), date(2026, 1, 31))
