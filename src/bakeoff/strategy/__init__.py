"""Which trials come next."""
