"""The native format: everything that the other formats can say, in one file."""
