"""The eight cases that the feature is scored by."""

from report import render

ROWS = [("ink", 3), ("paper", 4)]


def raises_value_error():
    try:
        render(ROWS, "xml")
    except ValueError:
        return True
    return False


CASES = {
    "text is the default": lambda: render(ROWS) == "ink: 3\npaper: 4\ntotal: 7\n",
    "text by name": lambda: render(ROWS, "text") == render(ROWS),
    "header": lambda: render(ROWS, "csv").splitlines()[0] == "name,amount",
    "rows": lambda: render(ROWS, "csv").splitlines()[1:3] == ["ink,3", "paper,4"],
    "total": lambda: render(ROWS, "csv").splitlines()[-1] == "total,7",
    "no rows": lambda: render([], "csv").splitlines() == ["name,amount", "total,0"],
    "quotes": lambda: '"pens, blue",2' in render([("pens, blue", 2)], "csv").splitlines(),
    "unknown format": raises_value_error,
}


def passed(name):
    try:
        return bool(CASES[name]())
    except Exception:
        return False
