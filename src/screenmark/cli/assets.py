"""``screenmark assets``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from screenmark.cli.messages import say

HELP = """\b
Libraries and base maps that `screenmark render` gives to pages instead of a network. They come
from the package registries that npm and pip are set up with, by exact version and digest.

\b
Examples:
  screenmark assets fetch
  screenmark assets fetch cesium
  screenmark assets fetch --group sample
"""


class Action(StrEnum):
    """What to do with the assets."""

    FETCH = "fetch"


class Group(StrEnum):
    """Which assets to fetch."""

    SAMPLE = "sample"
    COMMON = "common"
    LARGE = "large"


def command(
    action: Annotated[Action, typer.Argument(help="fetch.")],
    names: Annotated[
        list[str] | None, typer.Argument(help="Only these packages.", metavar="[PACKAGE]...")
    ] = None,
    group: Annotated[
        Group,
        typer.Option(
            help="Without names: sample, what the bundled pages need; common, all but what is "
            "large and rare; large, everything."
        ),
    ] = Group.COMMON,
    to: Annotated[
        Path | None, typer.Option(help="Folder; else SCREENMARK_ASSETS or a cache.")
    ] = None,
) -> None:
    from screenmark.errors import UsageError
    from screenmark.rendering.assets import AssetStore, asset_folder
    from screenmark.rendering.fetching import fetch
    from screenmark.rendering.packages import packages

    order = [each.value for each in Group]
    groups = set(order[: order.index(group) + 1])
    wanted = [p for p in packages() if (p.name in names if names else p.group in groups)]
    known = {p.name for p in packages()}
    for name in names or ():
        if name not in known:
            raise UsageError(f"{name} is not among the packages that are kept")
    store = AssetStore(asset_folder(to))
    fetched = fetch(store, wanted, say)
    typer.echo(f"{len(fetched)} fetched, {len(wanted) - len(fetched)} there before: {store.folder}")
