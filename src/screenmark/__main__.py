"""``python -m screenmark``."""

from screenmark.cli.main import main

main()
