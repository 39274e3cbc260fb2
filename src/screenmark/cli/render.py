"""``screenmark render``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from screenmark.cli.messages import note
from screenmark.cli.shared import AsJson

if TYPE_CHECKING:
    from screenmark.rendering import PageRecord, RenderOptions

HELP = """\b
Photographs an HTML page, 1280 x 800 pixels, offline: public libraries and base maps come from
this machine (`screenmark assets fetch`), everything else is refused and said.

\b
Examples:
  screenmark render map.html -o map.png
  screenmark render map.html -o map.png --wait fixed:3
  screenmark render map.html -o map.png --json | jq .blocked

\b
Exit codes:
  0  there is a picture, whatever is on it
  1  the page hung, crashed or went over a limit; there is none
  2  no such page, no browser, no permission to write
"""


class Network(StrEnum):
    """What a page gets."""

    ASSETS = "assets"
    ALLOW = "allow"
    BLOCK = "block"


def command(
    page: Annotated[Path, typer.Argument(help="An HTML file.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The picture, as PNG.")],
    wait: Annotated[
        str, typer.Option(help="ready (the page has settled), or fixed:SECONDS.", metavar="RULE")
    ] = "ready",
    network: Annotated[
        Network,
        typer.Option(help="assets kept here; allow the public network too; block everything."),
    ] = Network.ASSETS,
    assets: Annotated[
        Path | None, typer.Option(help="Folder of assets; else SCREENMARK_ASSETS or a cache.")
    ] = None,
    browser: Annotated[
        Path | None, typer.Option(help="Chromium; else SCREENMARK_CHROMIUM or the system's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    import asyncio

    import msgspec

    from screenmark.errors import DataError
    from screenmark.rendering import RenderOptions
    from screenmark.rendering.remarks import by_kind

    options = RenderOptions(
        wait=wait, network=network.value, assets=assets, browser=browser, pages=1
    )
    png, record = asyncio.run(_render(page, options))
    if png is not None:
        try:
            output.write_bytes(png)
        except OSError as error:
            raise DataError(f"cannot be written ({error.strerror})", file=output) from None
    # All of them are in the record, which --json prints.
    for warning in by_kind(record.warnings):
        note("warning", warning, "yellow")
    if as_json:
        typer.echo(msgspec.json.encode(record))
    else:
        typer.echo(_summary(record, output if png is not None else None))
    raise typer.Exit(0 if png is not None else 1)


async def _render(page: Path, options: RenderOptions) -> tuple[bytes | None, PageRecord]:
    from screenmark.rendering import Renderer

    async with Renderer(options) as renderer:
        done = await renderer.render(page)
    return done.png, done.record


def _summary(record: PageRecord, output: Path | None) -> str:
    served = len(record.served) + record.left_out.get("served", 0)
    blocked = len(record.blocked) + record.left_out.get("blocked", 0)
    numbers = f"{served} files served, {sum(record.tiles.values())} tiles, {blocked} refused"
    return f"{output or 'no picture'}: {record.seconds:.1f} s, {numbers}"
