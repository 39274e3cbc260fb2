"""``screenmark cache``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

HELP = """\b
A cache is a folder named with `screenmark run --cache DIR`.

\b
Examples:
  screenmark cache stats replies
  screenmark cache clear replies --model qwen-vl-max
"""


class Action(StrEnum):
    """What to do with a cache."""

    STATS = "stats"
    CLEAR = "clear"


def command(
    action: Annotated[Action, typer.Argument(help="stats or clear.")],
    folder: Annotated[Path, typer.Argument(help="The cache's folder.")],
    model: Annotated[str | None, typer.Option(help="With clear: only this model's.")] = None,
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.engine.cache import FILE_NAME, ReplyCache
    from screenmark.errors import DataError
    from screenmark.reports import render
    from screenmark.types import Table

    shape = chosen_format(format, as_json)
    if not (folder / FILE_NAME).is_file():
        raise DataError(f"no cache here (no {FILE_NAME})", file=folder)
    cache = ReplyCache(folder)
    try:
        if action is Action.CLEAR:
            typer.echo(f"{cache.clear(model)} replies removed")
            return
        stats = cache.stats()
    finally:
        cache.close()
    rows = tuple(stats.models.items())
    title = f"{stats.replies} replies, {stats.bytes / 1e6:.1f} MB, in {folder}"
    table = Table(title=title, columns=("model", "replies"), rows=rows)
    typer.echo(render([table], stats._asdict(), shape), nl=False)
