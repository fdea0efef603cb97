"""The entry point: parse the command line, run one command, turn errors into exit codes."""


def main() -> None:
    """Run the command line."""
    raise SystemExit("bakeoff: no command is built yet")
