"""The values that travel down the pipeline: suites, checks, trajectories and trials."""
