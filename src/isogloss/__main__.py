"""Run the program with ``python -m isogloss``."""

from isogloss.cli.main import main

main()
