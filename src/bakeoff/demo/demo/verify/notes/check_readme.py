"""Exit 0 when the README is exactly the old one with the one word corrected."""

import difflib
import sys
from pathlib import Path

WANTED = """# Notes

A list of notes that you receive from colleagues.
Run `python3 notes.py` to see todays notes.
"""

found = Path("README.md").read_text()
if found != WANTED:
    print("README.md is not what was asked for:")
    print("".join(difflib.unified_diff(WANTED.splitlines(True), found.splitlines(True), "wanted", "found")))
    sys.exit(1)
