"""Anthropic's Claude Code command-line program."""
