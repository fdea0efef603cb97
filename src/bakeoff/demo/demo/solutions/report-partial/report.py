"""A report of amounts by name."""


def render(rows: list[tuple[str, int]], format: str = "text") -> str:
    """The rows and their total, as plain text or as CSV."""
    total = sum(amount for _, amount in rows)
    if format == "csv":
        lines = ["name,amount", *(f"{name},{amount}" for name, amount in rows), f"total,{total}"]
    else:
        lines = [*(f"{name}: {amount}" for name, amount in rows), f"total: {total}"]
    return "\n".join(lines) + "\n"
