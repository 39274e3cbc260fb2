"""What several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Format = Annotated[
    str, typer.Option("--format", help="How to print: table, json, markdown or csv.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Short for --format json.")]


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
