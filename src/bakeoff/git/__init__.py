"""Calling git so that no code of the repository at hand is ever run."""
