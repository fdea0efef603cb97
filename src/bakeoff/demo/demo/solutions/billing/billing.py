"""When an invoice is due."""

from calendar import monthrange
from datetime import date


def next_due(invoiced: date) -> date:
    """The due date one month after the date of the invoice."""
    year = invoiced.year + invoiced.month // 12
    month = invoiced.month % 12 + 1
    return date(year, month, min(invoiced.day, monthrange(year, month)[1]))
