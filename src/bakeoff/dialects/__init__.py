"""Translators from the three file formats to the one task model."""
