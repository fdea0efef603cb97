"""Put coding agents and their configuration on trial."""

__version__ = "0.1.0.dev0"
