"""What the recogniser took for text: lines, lone symbols that are icons, and separators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from screenmark.models.embedded.ink import Box, ink_box
from screenmark.models.embedded.line_cuts import SEPARATORS
from screenmark.models.embedded.text_lines import TextLine
from screenmark.models.embedded.typography import SetLine, is_ideograph, set_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from screenmark.models.embedded.regions import Frame

_CONTROL_HEIGHT = 72
_BORDER = 3


@dataclass
class PageText:
    """Text lines with their typography, boxes of icons read as symbols, boxes of separators.

    `ink` lists the boxes of everything that is no icon.
    """

    lines: list[SetLine] = field(default_factory=list)
    symbols: list[Box] = field(default_factory=list)
    separators: list[Box] = field(default_factory=list)
    ink: list[Box] = field(default_factory=list)


def sort_text(
    pixels: NDArray[np.uint8], frames: Sequence[Frame], text_lines: Sequence[TextLine]
) -> PageText:
    """Sort the recognised lines of a page; borders of `frames` are cut off their boxes."""
    page = PageText()
    ideographic = any(len(line.text) > 1 and _has_ideograph(line.text) for line in text_lines)
    for line in text_lines:
        box = _without_border(pixels, frames, line.box)
        if len(line.text) == 1 and not _stands_alone(line.text, ideographic):
            page.symbols.append(box)
            continue
        page.ink.append(box)
        if line.text in SEPARATORS:
            page.separators.append(box)
        elif line.text:
            page.lines.append(set_line(TextLine(box, line.text, line.score, line.words)))
    return page


def _has_ideograph(text: str) -> bool:
    return any(map(is_ideograph, text))


def _stands_alone(char: str, ideographic: bool) -> bool:
    """True for a character that may be a text of its own.

    A lone letter is hardly ever a text, and a ring with a handle is often read as Q. On pages
    without other ideographs, a lone ideograph is an icon too.
    """
    return char.isdigit() or char in SEPARATORS or (ideographic and _has_ideograph(char))


def _without_border(pixels: NDArray[np.uint8], frames: Sequence[Frame], box: Box) -> Box:
    """Clip a line to the inside of the smallest control it is centred in."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    for frame in frames:
        x1, y1, x2, y2 = frame.box
        if frame.height > _CONTROL_HEIGHT or not (x1 < x < x2 and y1 < y < y2):
            continue
        if frame.height < (box[3] - box[1]) / 2 or frame.width < (box[2] - box[0]) / 2:
            continue
        inner = (
            max(box[0], x1 + _BORDER),
            max(box[1], y1 + _BORDER),
            min(box[2], x2 - _BORDER),
            min(box[3], y2 - _BORDER),
        )
        return box if inner == box else ink_box(pixels, inner) or box
    return box
