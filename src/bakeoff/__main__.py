"""Run the command line as `python -m bakeoff`."""

from bakeoff.cli.main import main

main()
