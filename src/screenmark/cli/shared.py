"""What several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from screenmark.cli.messages import say

if TYPE_CHECKING:
    from screenmark.engine.manifest import Manifest
    from screenmark.engine.run_folder import RunFolder

Format = Annotated[
    str, typer.Option("--format", help="How to print: table, json, markdown or csv.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Short for --format json.")]

RunPath = Annotated[
    Path | None, typer.Argument(help="Run folder; left out, the newest one below runs/.")
]

RunsDir = Annotated[Path, typer.Option(help="Folder that holds the run folders.")]


def open_run(path: Path | None, runs_dir: Path) -> tuple[RunFolder, Manifest]:
    """The run that a command is about.

    Raises:
        RunFolderError: there is none.
    """
    from screenmark.engine.run_folder import list_folders, open_folder
    from screenmark.errors import RunFolderError

    if path is not None:
        return open_folder(path)
    found = list_folders(runs_dir)
    # One that never came to anything is not what people want to see.
    for folder, manifest in [pair for pair in found if pair[0].results.is_file()] or found:
        say(f"newest run: {folder}")
        return folder, manifest
    raise RunFolderError(f"no run below {runs_dir}/: name its folder, or start one: screenmark run")


def chosen_format(format: str, as_json: bool) -> str:
    """The format that the two options come to.

    Raises:
        UsageError: there is no such format.
    """
    from screenmark.errors import UsageError
    from screenmark.reports.tables import FORMATS

    if as_json:
        return "json"
    if format not in FORMATS:
        raise UsageError(f"--format {format}: expected one of {', '.join(FORMATS)}")
    return format
