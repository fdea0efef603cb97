"""A scripted harness: real child processes, no model."""
