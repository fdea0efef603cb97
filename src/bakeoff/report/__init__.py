"""What people and programs read about an experiment."""
