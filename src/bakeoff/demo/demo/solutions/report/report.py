"""A report of amounts by name."""

import csv
import io


def render(rows: list[tuple[str, int]], format: str = "text") -> str:
    """The rows and their total, as plain text or as CSV."""
    total = sum(amount for _, amount in rows)
    if format == "csv":
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows([("name", "amount"), *rows, ("total", total)])
        return written.getvalue()
    if format != "text":
        raise ValueError(f"unknown format: {format}")
    return "\n".join([*(f"{name}: {amount}" for name, amount in rows), f"total: {total}"]) + "\n"
