"""Private directories for trials: sealed starting files, placements, capture."""
