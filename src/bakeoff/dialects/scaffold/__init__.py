"""First suites for a project: what `bakeoff init` writes."""
