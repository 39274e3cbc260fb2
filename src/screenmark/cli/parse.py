"""``screenmark parse``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from screenmark.answers import Profile
    from screenmark.geometry import Size
    from screenmark.types import Answer

HELP = """\b
Prints one JSON object with outcome, value, reason and repair. A choice is a letter. Points
[x, y] and boxes [x1, y1, x2, y2] come out as fractions of the original image's width and
height, boxes of elements in its pixels. Actions are a list of objects, see docs/actions.md.

\b
Examples:
  screenmark parse --kind elements reply.txt
  pbpaste | screenmark parse --kind elements --profile permille \\
      --image-size 1280x800 -
  screenmark parse --kind choice --options options.json reply.txt
  screenmark parse --kind point --profile qwen2.5-vl \\
      --image-size 1920x1080 reply.txt
  screenmark parse --kind box --profile my_models.toml:mine \\
      --image-size 1920x1080 reply.txt
  screenmark parse --kind action --profile ui-tars-1.5 \\
      --image-size 1920x1080 reply.txt
  screenmark parse --kind rubric --stop-reason end_turn reply.txt
"""
_KINDS = ("elements", "choice", "point", "box", "action", "rubric")


def command(
    file: Annotated[
        str, typer.Argument(help="File with the reply, or - for standard input.")
    ] = "-",
    kind: Annotated[
        str, typer.Option(help=f"What the reply holds: {', '.join(_KINDS)}.")
    ] = "elements",
    profile: Annotated[
        str,
        typer.Option(
            help="How the model writes places: a family such as qwen2.5-vl, a space such as "
            "permille, FAMILY@SPACE, or FILE.toml[:NAME]. See: screenmark list profiles.",
            metavar="PROFILE",
        ),
    ] = "pixel",
    image_size: Annotated[
        str | None,
        typer.Option(
            help="Size of the original image; needed for elements that are not in pixels, and "
            "for points, boxes and actions where the profile's space depends on it.",
            metavar="WxH",
        ),
    ] = None,
    options: Annotated[
        Path | None,
        typer.Option(help="The options of a choice: a JSON object, letter to text."),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            help="Language of the actions, in place of the profile's: ui-tars-mobile, "
            "android_world, browsergym…",
            metavar="DIALECT",
        ),
    ] = None,
    finish_reason: Annotated[
        str | None,
        typer.Option(
            "--finish-reason",
            "--stop-reason",
            help="Why the reply ended: stop, length, max_tokens, content_filter…",
        ),
    ] = None,
) -> None:
    from screenmark.cli.messages import note
    from screenmark.errors import UsageError
    from screenmark.jsonfile import read_text
    from screenmark.profile_files import find_profile, profile_warnings
    from screenmark.reports.tables import json_text

    if kind not in _KINDS:
        raise UsageError(f"--kind {kind}: expected one of {', '.join(_KINDS)}")
    if options is not None and kind != "choice":
        raise UsageError(f"--options: a reply of --kind {kind} has none, expected --kind choice")
    if dialect is not None and kind != "action":
        raise UsageError(f"--dialect: --kind {kind} has none, expected --kind action")
    letters = None if options is None else _options(options)
    try:
        found = find_profile(profile)
        for line in profile_warnings(profile):
            note("warning", line, "yellow")
    except UsageError as error:
        raise UsageError(f"--profile {profile}: {error}") from None
    if kind == "action":
        _check_dialect(profile, found, dialect)
    size = _size(image_size)
    if size is None and _needs_size(kind, found):
        raise UsageError(
            f"--profile {profile} needs --image-size WxH for --kind {kind}: "
            f"its numbers are in {found.space}"
        )
    text = _standard_input() if file == "-" else read_text(Path(file))
    if kind == "rubric":
        typer.echo(json_text(_rubric(text, finish_reason)), nl=False)
        return
    answer = _parsed(text, kind, found, size, letters, finish_reason, dialect)
    shown = {
        "outcome": answer.outcome.value,
        "value": answer.value,
        "reason": answer.reason,
        "repair": answer.repair,
    }
    if kind == "elements":
        shown["dropped"] = list(answer.dropped)
    typer.echo(json_text(shown), nl=False)


def _rubric(text: str, stop_reason: str | None) -> dict[str, Any]:
    """A judge's reply: the marks as value, and the verdict's fields beside it.

    ``reason`` is the judge's, of a reply that is not ok what is wrong with it.
    """
    from screenmark.answers import parse_rubric

    answer = parse_rubric(text, stop_reason=stop_reason)
    verdict = answer.value
    head = {"outcome": answer.outcome.value, "value": verdict["scores"]}
    return {**head, "reason": answer.reason, "repair": answer.repair, **verdict}


def _needs_size(kind: str, profile: Profile) -> bool:
    """Whether a reply means nothing without the image's size."""
    space = profile.coordinates
    match kind:
        case "elements":
            return space.kind != "pixel"
        case "point" | "box" | "action":
            return space.depends_on_size
    return False


def _parsed(
    text: str,
    kind: str,
    profile: Profile,
    size: Size | None,
    options: dict[str, str] | None,
    finish_reason: str | None,
    dialect: str | None,
) -> Answer:
    from screenmark.answers import parse_box, parse_choice, parse_elements, parse_point
    from screenmark.answers.actions import parse_actions
    from screenmark.geometry import Size

    if kind == "elements":
        return parse_elements(
            text, space=profile.coordinates, size=size, finish_reason=finish_reason
        )
    if kind == "choice":
        return parse_choice(text, options, finish_reason=finish_reason)
    size = size or Size(1, 1)  # where it does not matter, any will do
    if kind == "action":
        return parse_actions(
            text, profile=profile, size=size, dialect=dialect, finish_reason=finish_reason
        )
    parse = parse_point if kind == "point" else parse_box
    return parse(text, profile=profile, size=size, finish_reason=finish_reason)


def _check_dialect(name: str, profile: Profile, dialect: str | None) -> None:
    from screenmark.answers import ProfileError
    from screenmark.answers.actions import dialect_of
    from screenmark.errors import UsageError

    try:
        dialect_of(profile, dialect)
    except ProfileError as error:
        option = f"--profile {name}" if dialect is None else f"--dialect {dialect}"
        raise UsageError(f"{option}: {error}") from None


def _options(path: Path) -> dict[str, str]:
    """The options of a choice: letter to text.

    Raises:
        DataError: the file is not such an object.
    """
    from screenmark.answers.choices import LETTERS
    from screenmark.errors import DataError
    from screenmark.jsonfile import read_json

    value = read_json(path)
    if not isinstance(value, dict) or not value:
        raise DataError('expected an object, {"A": "text of option A", …}', file=path)
    for letter, text in value.items():
        if len(letter) != 1 or letter not in LETTERS:
            raise DataError("expected a letter from A to Z", file=path, field=repr(letter))
        if not isinstance(text, str):
            raise DataError("expected the option's text", file=path, field=letter)
    return value


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
