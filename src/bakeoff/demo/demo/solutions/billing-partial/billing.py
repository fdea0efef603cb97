"""When an invoice is due."""

from datetime import date


def next_due(invoiced: date) -> date:
    """The due date one month after the date of the invoice."""
    day = min(invoiced.day, 28)
    if invoiced.month == 12:
        return date(invoiced.year + 1, 1, day)
    return date(invoiced.year, invoiced.month + 1, day)
