"""A screenshot with boxes drawn over it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from screenmark.images import open_rgb
from screenmark.reports.caption import LINE_HEIGHT, font_for, wrapped
from screenmark.types import LabelledBox

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

# Okabe and Ito's palette, told apart by readers with colour-blindness too.
_COLOURS = {
    "matched": (0, 158, 115),
    "clicked": (0, 158, 115),
    "hit": (86, 180, 233),
    "found": (86, 180, 233),
    "wrong": (213, 94, 0),
    "missed": (204, 121, 167),
}
_OTHER = (230, 159, 0)
_LINE_HEIGHT = 28
_MARGIN = 8.0
_DASH = 6
_OUTSIDE = 4 * _DASH
_ARROW = 24.0
"""Length, in pixels, of an arrow from within the image to its edge."""


def draw(image_file: str, boxes: Sequence[LabelledBox], caption: str = "") -> Image:
    """Draw boxes over an image, with a caption and a legend below it.

    A caption for whose characters there is no font is left out.

    Raises:
        ImageError: the image cannot be read.
    """
    from PIL import Image, ImageDraw

    screenshot = open_rgb(image_file)
    entries = _legend_entries(boxes, screenshot.size)
    font = font_for(caption)
    words = wrapped(caption, font, screenshot.width - 2 * _MARGIN) if caption and font else []
    below = screenshot.height + LINE_HEIGHT * len(words)
    height = below + _LINE_HEIGHT * (1 + max((e.line for e in entries), default=0))
    canvas = Image.new("RGB", (screenshot.width, height), "white")
    canvas.paste(screenshot, (0, 0))
    pen = ImageDraw.Draw(canvas)
    for box in sorted(boxes, key=lambda b: not b.truth):
        if _is_off(box, screenshot.size):
            _arrow(pen, box, screenshot.size)
        else:
            _outline(pen, _near(box, screenshot.size))
    pen.rectangle((0, screenshot.height, canvas.width, canvas.height), fill="white")
    for number, line in enumerate(words):
        pen.text((_MARGIN, screenshot.height + 3 + number * LINE_HEIGHT), line, "black", font)
    for entry in entries:
        top = below + entry.line * _LINE_HEIGHT
        corners = (entry.x, top + 8, entry.x + 18, top + 20)
        _outline(pen, LabelledBox(corners, entry.label, entry.truth))
        pen.text((entry.x + 24, top + 7), entry.text, fill="black")
    return canvas


def _near(box: LabelledBox, size: tuple[int, int]) -> LabelledBox:
    """Cut a box off a little outside the image: a model may answer with any number."""
    width, height = size
    limits = (width, height, width, height)
    cut = tuple(
        min(max(v, -_OUTSIDE), limit + _OUTSIDE) for v, limit in zip(box.box, limits, strict=True)
    )
    return LabelledBox((cut[0], cut[1], cut[2], cut[3]), box.label, box.truth)


def _is_off(box: LabelledBox, size: tuple[int, int]) -> bool:
    """Whether a prediction lies where there is no image, so that an outline would not be seen."""
    x1, y1, x2, y2 = box.box
    width, height = size
    beside = max(x1, x2) < 0 or min(x1, x2) >= width
    return not box.truth and (beside or max(y1, y2) < 0 or min(y1, y2) >= height)


def _arrow(pen: ImageDraw, box: LabelledBox, size: tuple[int, int]) -> None:
    """An arrow to the place at the image's edge that is nearest to a box outside it."""
    x1, y1, x2, y2 = _near(box, size).box
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    tip = (min(max(x, 1), size[0] - 2), min(max(y, 1), size[1] - 2))
    away = math.hypot(x - tip[0], y - tip[1]) or 1.0
    across, down = (x - tip[0]) / away, (y - tip[1]) / away
    colour = _COLOURS.get(box.label, _OTHER)
    pen.line((tip[0] - _ARROW * across, tip[1] - _ARROW * down, *tip), fill=colour, width=4)
    back = (tip[0] - _ARROW / 2 * across, tip[1] - _ARROW / 2 * down)
    side = _ARROW / 3
    wings = [(back[0] - side * down, back[1] + side * across)]
    wings.append((back[0] + side * down, back[1] - side * across))
    pen.polygon([tip, *wings], fill=colour)


def _outline(pen: ImageDraw, box: LabelledBox) -> None:
    x1, y1, x2, y2 = box.box
    colour = _COLOURS.get(box.label, _OTHER)
    if not box.truth:
        pen.rectangle((min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), outline=colour, width=2)
        return
    for start in range(int(x1), int(x2), 2 * _DASH):
        end = min(start + _DASH, x2)
        pen.line((start, y1, end, y1), fill=colour, width=2)
        pen.line((start, y2, end, y2), fill=colour, width=2)
    for start in range(int(y1), int(y2), 2 * _DASH):
        end = min(start + _DASH, y2)
        pen.line((x1, start, x1, end), fill=colour, width=2)
        pen.line((x2, start, x2, end), fill=colour, width=2)


class _Entry(NamedTuple):
    """A line of the legend: which boxes, and where it stands."""

    label: str
    truth: bool
    text: str
    x: float
    line: int


def _legend_entries(boxes: Sequence[LabelledBox], size: tuple[int, int]) -> list[_Entry]:
    """What the legend says, in as many lines as the image's width asks for."""
    from PIL import ImageFont

    font = ImageFont.load_default()
    entries: list[_Entry] = []
    x, line = _MARGIN, 0
    kinds = Counter((b.label, b.truth, _is_off(b, size)) for b in boxes)
    for (label, truth, off), count in kinds.items():
        text = f"{label} ({'true' if truth else 'predicted'}): {count}"
        text += ", outside the image" if off else ""
        needed = 24 + font.getlength(text) + 16
        if entries and x + needed > size[0]:
            x, line = _MARGIN, line + 1
        entries.append(_Entry(label, truth, text, x, line))
        x += needed
    return entries
