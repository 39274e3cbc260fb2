"""``screenmark parse``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from screenmark.geometry import Size

HELP = """\b
Prints one JSON object with outcome, value, reason and repair. Boxes of elements come out in
pixels of the original image.

\b
Examples:
  screenmark parse --kind elements reply.txt
  pbpaste | screenmark parse --kind elements --profile permille --image-size 1280x800 -
"""
_KINDS = ("elements",)


def command(
    file: Annotated[
        str, typer.Argument(help="File with the reply, or - for standard input.")
    ] = "-",
    kind: Annotated[
        str, typer.Option(help=f"What the reply holds: {', '.join(_KINDS)}.")
    ] = "elements",
    profile: Annotated[
        str, typer.Option(help="Coordinate dialect: pixel, unit, permille, percent.")
    ] = "pixel",
    image_size: Annotated[
        str | None, typer.Option(help="Size of the original image.", metavar="WxH")
    ] = None,
    finish_reason: Annotated[
        str | None, typer.Option(help="Why the reply ended: stop, length, content_filter…")
    ] = None,
) -> None:
    from screenmark.answers import parse_elements
    from screenmark.errors import UsageError
    from screenmark.geometry import Space
    from screenmark.jsonfile import read_text
    from screenmark.reports.tables import json_text

    if kind not in _KINDS:
        raise UsageError(f"--kind {kind}: expected one of {', '.join(_KINDS)}")
    try:
        space = Space.parse(profile)
    except ValueError as error:
        raise UsageError(f"--profile {profile}: {error}") from None
    size = _size(image_size)
    if profile != "pixel" and size is None:
        raise UsageError(f"--profile {profile} needs --image-size WxH")
    text = _standard_input() if file == "-" else read_text(Path(file))
    answer = parse_elements(text, space=space, size=size, finish_reason=finish_reason)
    shown = {
        "outcome": answer.outcome.value,
        "value": answer.value,
        "reason": answer.reason,
        "repair": answer.repair,
        "dropped": list(answer.dropped),
    }
    typer.echo(json_text(shown), nl=False)


def _size(text: str | None) -> Size | None:
    from screenmark.errors import UsageError
    from screenmark.geometry import Size

    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,6})[x×](\d{1,6})", text.strip().lower())
    if found is None or "0" in found.groups():
        raise UsageError(f"--image-size {text}: expected width and height as 1280x800")
    return Size(int(found[1]), int(found[2]))


def _standard_input() -> str:
    from screenmark.errors import UsageError

    if sys.stdin is None:
        raise UsageError("parse: standard input is closed; name a file")
    return sys.stdin.buffer.read().decode("utf-8-sig", errors="replace")
