"""An episode for people: its steps as a table, and its screens with the actions drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from screenmark.agents.trajectory import StepRecord, Trajectory
from screenmark.answers.actions import actions_from_json
from screenmark.answers.actions.schema import Drag, Place, Swipe
from screenmark.images import open_rgb
from screenmark.reports.caption import font_for
from screenmark.types import Json, Table

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

_SAID: Final = 160
_ACTIONS: Final = 6
_KEYS: Final = 6
_PLACES: Final = 4
_RED: Final = (213, 94, 0)
_WIDTH: Final = 420
_CAPTION: Final = 44
_IN_A_ROW: Final = 4
_GAP: Final = 12
_LONGEST_CAPTION: Final = 200  # more than any font here fits into a tile
_RING: Final = 9


def episode_tables(trajectory: Trajectory) -> list[Table]:
    """How it ended, and turn for turn what was done."""
    episode = trajectory.episode
    rows = tuple(
        (record.step, said(record.actions), _cut(record.thought), _cut(record.error or ""))
        for record in trajectory.steps
    )
    claim = f", claimed {episode.claim}" if episode.claim else ""
    reason = _cut(episode.reason)
    kind = "" if episode.agent_kind == "model" else f" · {episode.agent_kind}"
    return [
        Table(
            title=f"{episode.task} · seed {episode.seed}{kind} · {_cut(episode.instruction)}",
            columns=("step", "actions", "thought", "error"),
            rows=rows,
            note=(
                f"success {episode.success:g} ({reason}); ended by the {episode.ended}"
                f"{claim} after {episode.steps} of {episode.budget} steps, {episode.seconds:g} s. "
                f"Folder: {trajectory.folder}"
            ),
        )
    ]


def said(actions: Sequence[Json]) -> str:
    """Actions in a few words each; what has its default is left out, what is long is cut."""
    return "; ".join(_some([_one(action) for action in actions], _ACTIONS, "actions")) or "(none)"


def _one(action: dict[str, Json]) -> str:
    parts = []
    for name, value in action.items():
        if name == "action" or value in (None, "", [], False, "left", 0.0, "notch"):
            continue
        if name == "count" and value == 1:
            continue
        parts.append(_value(name, value))
    return " ".join([str(action["action"]), *parts])


def _value(name: str, value: Json) -> str:
    if name == "path":
        return " → ".join(_some([_numbers(place) for place in value], _PLACES, "places"))
    if name in {"keys", "modifiers"}:
        return "+".join(_some([_cut(key) for key in value], _KEYS, "keys"))
    if isinstance(value, list):
        return _numbers(value)
    if isinstance(value, str):
        return _cut(value, quoted=True)
    if isinstance(value, float):
        return f"{name}={value:.4g}"
    return name if value is True else f"{name}={value}"


def _numbers(values: Sequence[float]) -> str:
    return f"({', '.join(f'{value:.3f}' for value in values)})"


def _some(parts: list[str], most: int, what: str) -> list[str]:
    """The first of many, and how many there are."""
    if len(parts) <= most:
        return parts
    return [*parts[: most - 1], f"… ({len(parts):,} {what})"]


def _cut(text: str, *, quoted: bool = False) -> str:
    """A text on one line; of a long one its beginning and how long it is."""
    short = text[:_SAID] + "…" if len(text) > _SAID else text
    shown = repr(short) if quoted else " ".join(short.split())
    return shown if short is text else f"{shown} ({len(text):,} characters)"


def contact_sheet(trajectory: Trajectory) -> Image:
    """All screens of an episode, each with what was done there.

    Raises:
        ImageError: a screen is missing or damaged.
    """
    from PIL import Image, ImageDraw

    tiles = [(record.screen, record) for record in trajectory.steps]
    last = trajectory.steps[-1].after if trajectory.steps else None
    pictures = [_tile(trajectory.screen(digest), record) for digest, record in tiles]
    captions = [f"{record.step}: {said(record.actions)}" for _, record in tiles]
    if last is not None:
        pictures.append(_tile(trajectory.screen(last), None))
        captions.append(f"after: success {trajectory.episode.success:g}")
    columns = max(1, min(_IN_A_ROW, len(pictures)))
    height = max((picture.height for picture in pictures), default=1) + _CAPTION
    rows = -(-len(pictures) // columns)
    size = (_GAP + columns * (_WIDTH + _GAP), _GAP + max(1, rows) * (height + _GAP))
    sheet = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(sheet)
    for number, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        x = _GAP + number % columns * (_WIDTH + _GAP)
        y = _GAP + number // columns * (height + _GAP)
        sheet.paste(picture, (x, y + _CAPTION))
        _write(pen, (x, y), caption)
    return sheet


def _write(pen: ImageDraw, place: tuple[int, int], caption: str) -> None:
    font = font_for(caption)
    if font is None:
        return
    text = caption[:_LONGEST_CAPTION]
    while len(text) > 1 and pen.textlength(f"{text}…", font) > _WIDTH:
        text = text[:-1]
    pen.text((place[0], place[1] + 8), text if text == caption else f"{text}…", "black", font)


def _tile(file: Path, record: StepRecord | None) -> Image:
    from PIL import ImageDraw

    picture = open_rgb(str(file))
    picture = picture.resize((_WIDTH, max(1, round(picture.height * _WIDTH / picture.width))))
    if record is not None:
        pen = ImageDraw.Draw(picture)
        for action in actions_from_json(record.actions):
            _mark(pen, action, picture.size)
    return picture


def _mark(pen: ImageDraw, action: Any, size: tuple[int, int]) -> None:
    """A ring where something was clicked, a line along a drag."""
    path: tuple[Place, ...] = ()
    if isinstance(action, Drag):
        path = action.path
    elif isinstance(action, Swipe):
        path = (action.start, action.end)
    elif getattr(action, "point", None) is not None:
        path = (action.point,)
    spots = [(x * size[0], y * size[1]) for x, y in path]
    if len(spots) > 1:
        pen.line(spots, fill=_RED, width=3)
    for x, y in spots[-1:]:
        pen.ellipse((x - _RING, y - _RING, x + _RING, y + _RING), outline="white", width=5)
        pen.ellipse((x - _RING, y - _RING, x + _RING, y + _RING), outline=_RED, width=3)
