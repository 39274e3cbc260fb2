"""From the ink of a text line to its font size and to the box a browser gives it.

A layout engine reports the content area of a line, which reaches above the capitals and below
the baseline whether or not the text has such letters; a box around the ink alone is up to a
third lower. The proportions are those common to Latin sans-serif faces, in units of the font
size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from screenmark.models.embedded.ink import Box

if TYPE_CHECKING:
    from screenmark.models.embedded.text_lines import TextLine

_IDEOGRAPHS = 0x2E80
_ASCENT = 0.9
_DESCENT = 0.22
_CAP_HEIGHT = 0.72
_X_HEIGHT = 0.53
_DESCENDER = 0.21
_IDEOGRAPH_TOP = 0.84
_IDEOGRAPH_BOTTOM = 0.08
_DESCENDING = frozenset("gjpqyQ,;()[]{}|/@$_")
_LOW = frozenset("acegmnopqrsuvwxyz.,:;-_~+=*")


def is_ideograph(char: str) -> bool:
    """True for Chinese characters and their punctuation, kana, hangul and what follows them."""
    return ord(char) >= _IDEOGRAPHS


@dataclass(frozen=True)
class SetLine:
    """A text line with its typography: `ink` and content-area `box` in pixels, `em` in pixels."""

    text: str
    ink: Box
    box: Box
    em: float
    words: tuple[tuple[Box, str], ...] = ()

    @property
    def is_word(self) -> bool:
        """True unless the text is so short that it may be an icon that was read as letters."""
        return len(self.text) > 2 or any(map(is_ideograph, self.text))

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2


def set_line(line: TextLine) -> SetLine:
    """Estimate the font size and the content area of a line from its ink and its letters."""
    x1, y1, x2, y2 = line.box
    top, bottom = _extent(line.text)
    em = (y2 - y1) / (top + bottom)
    baseline = y2 - bottom * em
    box = (x1, round(baseline - _ASCENT * em), x2, round(baseline + _DESCENT * em))
    return SetLine(line.text, line.box, box, em, line.words)


def _extent(text: str) -> tuple[float, float]:
    """How far the text's ink reaches above and below the baseline, in font sizes."""
    if any(map(is_ideograph, text)):
        return _IDEOGRAPH_TOP, _IDEOGRAPH_BOTTOM
    if len(text) == 1:
        # A lone small letter is rare and mostly an icon that was read as one.
        return _CAP_HEIGHT, 0.01
    letters = [char for char in text if not char.isspace()]
    top = _X_HEIGHT if all(char in _LOW for char in letters) else _CAP_HEIGHT
    bottom = _DESCENDER if any(char in _DESCENDING for char in letters) else 0.01
    return top, bottom
