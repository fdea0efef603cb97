"""Running trials: workspace, place, round, grade, record."""
