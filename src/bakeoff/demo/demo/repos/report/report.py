"""A report of amounts by name."""


def render(rows: list[tuple[str, int]]) -> str:
    """The rows as plain text, one a line, and the total."""
    lines = [f"{name}: {amount}" for name, amount in rows]
    lines.append(f"total: {sum(amount for _, amount in rows)}")
    return "\n".join(lines) + "\n"
