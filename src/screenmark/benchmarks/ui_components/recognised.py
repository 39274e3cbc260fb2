"""Recognised text of screens: a folder with ``ID.json``, a list of lines each.

    [{"text": "Sign in", "box": [0.41, 0.72, 0.58, 0.76]}, ...]

Boxes are fractions of the screen, origin top left.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from screenmark.benchmarks.annotation_items import Item
from screenmark.benchmarks.ui_components.samples import Box
from screenmark.jsonfile import read_json_items

_INSIDE = 0.5


class TextLine(NamedTuple):
    """A line of text on a screen."""

    text: str
    box: Box


def parse_lines(file: Path, data: bytes) -> list[TextLine]:
    """The lines of a file, in its order.

    Raises:
        DataError: it is not such a list; the line and the field are named.
    """
    return [_line(Item(fields, file, where)) for where, fields in read_json_items(file, data)]


def _line(item: Item) -> TextLine:
    text: Any = item.fields.get("text")
    if not isinstance(text, str):
        item.wrong("text", "expected a text")
    x1, y1, x2, y2 = item.numbers("box", 4)
    return TextLine(text, (x1, y1, x2, y2))


def text_within(box: Box, lines: Sequence[TextLine]) -> str:
    """The lines of which at least half lies in a box, in their order."""
    return " ".join(line.text for line in lines if _share(line.box, box) >= _INSIDE)


def _share(part: Box, whole: Box) -> float:
    """How much of one box lies in another; 0 for one without area."""
    wide = min(part[2], whole[2]) - max(part[0], whole[0])
    high = min(part[3], whole[3]) - max(part[1], whole[1])
    area = (part[2] - part[0]) * (part[3] - part[1])
    return max(0.0, wide) * max(0.0, high) / area if area > 0 else 0.0
