"""The agent-exam format: what a skill does, and when it fires."""
