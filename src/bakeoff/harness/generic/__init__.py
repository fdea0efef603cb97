"""Any program as an agent: a command, and text or a documented stream of events."""
