"""MMBench-GUI's download command, carried out by Screenmark.

    LMUData=/path/to/LMUData python utils/download.py

The data go to ``$LMUData/MMBench-GUI`` (``~/LMUData/MMBench-GUI`` if that is not set). All
options of ``screenmark data download`` are taken: ``--url`` for a mirror, ``--to`` for
another folder, ``--help`` for the rest. Files are checked before they are unpacked, and an
interrupted download goes on when the command is given again.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Hand the options on."""
    try:
        from screenmark.cli.main import main as screenmark
    except ModuleNotFoundError as error:
        print(f"error: {error}; install Screenmark: pip install 'screenmark[hub]'", file=sys.stderr)
        sys.exit(2)
    sys.argv = ["screenmark", "data", "download", "mmbench-gui", *sys.argv[1:]]
    screenmark()


if __name__ == "__main__":
    main()
