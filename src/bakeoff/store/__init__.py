"""What is recorded: database, archive of final trees, artifacts."""
