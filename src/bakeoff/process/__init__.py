"""Starting programs, watching them, and ending every process that they leave behind."""
