"""The ablate format: what an instruction file does."""
