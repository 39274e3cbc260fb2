"""Cutting a line that was read: icons at its ends and separators between its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from screenmark.models.embedded.ink import Box, ink_box, ink_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD_GAP = 0.2
_SEPARATOR_GAP = 0.3
_ICON_WIDTH = 0.6
_REST_GAP = 0.4
SEPARATORS = frozenset("/›>»|•·")


@dataclass
class _Word:
    """Ink between two gaps, x in image pixels, and the span of the text read there."""

    x1: int
    x2: int
    start: int = -1
    end: int = -1

    @property
    def is_read(self) -> bool:
        return self.start >= 0


def cut_line(
    pixels: NDArray[np.uint8], box: Box, text: str, centres: list[float]
) -> list[tuple[Box, str, tuple[tuple[Box, str], ...]]]:
    """Return the parts of a line that hold text: tight box, text, and boxes and texts of words.

    `centres` are the x positions of the non-space characters of `text`. Ink at either end that
    was not read, or was read as a lone symbol next to Latin text, is an icon and is left out.
    A lone separator, as between breadcrumbs, is a part of its own.
    """
    words = _words(pixels, box)
    places = [i for i, char in enumerate(text) if not char.isspace()]
    if len(places) != len(centres) or not words:
        return [(box, text.strip(), ())]
    _assign(words, places, centres)
    words = _without_icons(words, text, box[3] - box[1])
    parts = []
    for part in _split_at_separators(words, text, box[3] - box[1]):
        read = [word for word in part if word.is_read]
        if not read:
            continue
        tight = ink_box(pixels, (part[0].x1, box[1], part[-1].x2, box[3]))
        piece = text[read[0].start : read[-1].end].strip()
        if tight is not None and piece:
            ends = [word.start for word in read[1:]] + [read[-1].end]
            inner = tuple(
                ((word.x1, tight[1], word.x2, tight[3]), text[word.start : after])
                for word, after in zip(read, ends, strict=True)
            )
            parts.append((tight, piece, inner))
    return parts


def _words(pixels: NDArray[np.uint8], box: Box) -> list[_Word]:
    inked = np.flatnonzero(ink_mask(pixels, box).any(axis=0))
    if not len(inked):
        return []
    limit = max(2.0, _WORD_GAP * (box[3] - box[1]))
    breaks = (np.diff(inked) > limit).nonzero()[0]
    starts = [int(inked[0]), *(int(inked[i + 1]) for i in breaks)]
    ends = [*(int(inked[i]) + 1 for i in breaks), int(inked[-1]) + 1]
    return [_Word(box[0] + a, box[0] + b) for a, b in zip(starts, ends, strict=True)]


def _assign(words: list[_Word], places: list[int], centres: list[float]) -> None:
    """Give every character to the nearest word, in order."""
    current = 0
    for place, centre in zip(places, centres, strict=True):
        while current + 1 < len(words) and _distance(words[current + 1], centre) < _distance(
            words[current], centre
        ):
            current += 1
        word = words[current]
        word.start = place if word.start < 0 else word.start
        word.end = place + 1


def _distance(word: _Word, x: float) -> float:
    return max(word.x1 - x, x - word.x2, 0.0)


def _without_icons(words: list[_Word], text: str, height: int) -> list[_Word]:
    latin = any(char.isascii() and char.isalpha() for char in text)

    def is_icon(word: _Word, gap: int) -> bool:
        # The thin first letter of a word may stand a little apart; an icon is about as wide as
        # high, or its rest reaches into the line from further away.
        if word.x2 - word.x1 < _ICON_WIDTH * height and gap < _REST_GAP * height:
            return False
        if not word.is_read:
            return True
        piece = text[word.start : word.end].strip()
        return latin and len(piece) == 1 and not piece.isascii()

    first, last = 0, len(words)
    while last - first > 1 and is_icon(words[first], words[first + 1].x1 - words[first].x2):
        first += 1
    while last - first > 1 and is_icon(words[last - 1], words[last - 1].x1 - words[last - 2].x2):
        last -= 1
    return words[first:last]


def _split_at_separators(words: list[_Word], text: str, height: int) -> list[list[_Word]]:
    limit = _SEPARATOR_GAP * height
    parts: list[list[_Word]] = [[]]
    for i, word in enumerate(words):
        lone = (
            0 < i < len(words) - 1
            and word.is_read
            and text[word.start : word.end].strip() in SEPARATORS
            and word.x1 - words[i - 1].x2 > limit
            and words[i + 1].x1 - word.x2 > limit
        )
        if lone:
            parts += [[word], []]
        else:
            parts[-1].append(word)
    return [part for part in parts if part]
