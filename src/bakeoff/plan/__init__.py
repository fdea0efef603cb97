"""From a suite to the trials of an experiment."""
