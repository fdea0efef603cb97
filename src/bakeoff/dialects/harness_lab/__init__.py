"""The Harness Lab format: verifier-backed tasks and variants."""
