"""``screenmark rm``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from screenmark.cli.messages import say

HELP = """\b
Removes run folders, and only those: a folder without a manifest of ours, with files that no
run writes, or in use by a running process is left alone, and so are all others named with it.

\b
Examples:
  screenmark rm runs/gui-hallubench-ocr-0123456789
  screenmark rm --yes runs/*-2
"""


def command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN...")],
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask; needed where nobody can answer.")
    ] = False,
) -> None:
    from screenmark.engine.removal import check_removable, remove_run
    from screenmark.errors import UsageError

    # All are checked before the first one goes; one that is named twice goes once.
    found = {
        folder.path: (path, manifest)
        for path in runs
        for folder, manifest in [check_removable(path)]
    }
    if not yes:
        if sys.stdin is None or not sys.stdin.isatty():
            raise UsageError("rm: nobody to ask; say --yes to remove without asking")
        for path, manifest in found.values():
            what = f"{manifest.benchmark}, {manifest.model}, {manifest.num_samples} samples"
            say(f"{path} ({what}, {manifest.status})")
        if not typer.confirm(f"Remove {_runs(len(found))}?", err=True):
            say("nothing removed")
            raise typer.Exit(1)
    for place, (path, _) in found.items():
        remove_run(place)
        say(f"removed {path}")


def _runs(count: int) -> str:
    return "this run" if count == 1 else f"these {count} runs"
