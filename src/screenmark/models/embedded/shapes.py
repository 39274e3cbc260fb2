"""Names for the drawings on blank controls: the few that every interface shares.

What is drawn is brought to a coarse grid and compared with sketches of common icons. Names are
the keys of `wishes.DRAWINGS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screenmark.models.embedded.sketches import SKETCHES
from screenmark.models.embedded.typography import is_ideograph

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIDE = 12
_LEAST_ALIKE = 0.62
_LEAST_CONTRAST = 40
_MIN_INK, _MAX_BOX = 6, 64
_FRAMED, _INSET = 26, 4
_BAR_ASPECT = 3.5
_DRAWN = 0.4
_LINE, _BETWEEN = 0.7, 0.25
_COLOURFUL, _FEW, _HALF = 90, 0.08, 0.5


def is_drawing(text: str) -> bool:
    """True for no text, and for two letters that may well be a drawing that was read."""
    text = text.strip()
    return len(text) <= 2 and not any(map(is_ideograph, text)) and not text.isdigit()


def name_shapes(
    pixels: NDArray[np.uint8], elements: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The elements, with ``shape`` added to those without words whose drawing is known.

    `pixels` is the (height, width, 3) RGB page; the elements' coordinates are its pixels.
    """
    named = []
    for element in elements:
        shape = "" if _has_words(element) else _shape_in(pixels, element["coordinates"])
        named.append({**element, "shape": shape} if shape else element)
    return named


def _has_words(element: dict[str, Any]) -> bool:
    return element["type"] in {"text", "input"} or not is_drawing(element["description"])


def _shape_in(pixels: NDArray[np.uint8], box: Sequence[int]) -> str:
    x1, y1, x2, y2 = box
    if max(x2 - x1, y2 - y1) > _MAX_BOX:
        return ""
    # Without the frame of a button.
    inset = _INSET if min(x2 - x1, y2 - y1) >= _FRAMED else 0
    part = pixels[y1 + inset : y2 - inset, x1 + inset : x2 - inset].astype(np.int16)
    if min(part.shape[:2]) < 3 or _has_badge(part):
        return ""
    return shape_of(_ink(part))


def _ink(part: NDArray[np.int16]) -> NDArray[np.float64]:
    """How much each pixel differs from the commonest colour of the border, 0 to 1."""
    edge = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    ground = np.median(edge, axis=0)
    away = np.abs(part - ground).max(axis=2)
    strongest = float(away.max())
    if strongest < _LEAST_CONTRAST:
        return np.zeros(part.shape[:2])
    return np.asarray(away / strongest, dtype=np.float64)


def _has_badge(part: NDArray[np.int16]) -> bool:
    """True where a colourful spot lies on a grey drawing: its outline is not the icon's."""
    drawn = _ink(part) > _DRAWN
    vivid = part.max(axis=2) - part.min(axis=2) > _COLOURFUL
    if vivid.mean() > _HALF:
        return False  # The ground is what is colourful.
    coloured = drawn & vivid
    return bool(_FEW * drawn.sum() < coloured.sum() < (1 - _FEW) * drawn.sum())


def shape_of(ink: NDArray[np.float64]) -> str:
    """The name of what is drawn in an array of ink from 0 to 1; empty if it is like nothing."""
    drawn = ink > _DRAWN
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    if not len(rows):
        return ""
    height, width = rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
    if width >= _MIN_INK and width >= _BAR_ASPECT * height:
        solid = drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].mean()
        return "minus" if solid > 0.8 else ("dots" if solid > 0.3 else "")
    if max(height, width) < _MIN_INK:
        return ""
    if _is_three_bars(drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]):
        return "bars"
    grid = _grid(ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    scores = [(_alike(grid, sketch), name) for name, sketch in _sketches()]
    best, name = max(scores)
    return name if best >= _LEAST_ALIKE else ""


def _is_three_bars(drawn: NDArray[np.bool_]) -> bool:
    """True for three lines of the full width with next to nothing in between."""
    full = drawn.mean(axis=1)
    if drawn.shape[1] < _LINE * drawn.shape[0] or ((full > _BETWEEN) & (full < _LINE)).sum() > 2:
        return False
    starts = np.flatnonzero(np.diff(np.concatenate([[False], full >= _LINE]).astype(np.int8)) == 1)
    return len(starts) == 3


def _grid(ink: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring ink to the sketches' grid, its proportions kept, in the middle."""
    import cv2

    height, width = ink.shape
    scale = _SIDE / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(ink, size, interpolation=cv2.INTER_AREA)
    grid = np.zeros((_SIDE, _SIDE))
    top, left = (_SIDE - size[1]) // 2, (_SIDE - size[0]) // 2
    grid[top : top + size[1], left : left + size[0]] = small
    return np.asarray(cv2.GaussianBlur(grid, (3, 3), 0.8), dtype=np.float64)


def _alike(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / scale if scale else 0.0


_READY: list[tuple[str, NDArray[np.float64]]] = []


def _sketches() -> list[tuple[str, NDArray[np.float64]]]:
    if not _READY:
        for name, rows in SKETCHES:
            drawn = np.array([[char == "#" for char in row] for row in rows], dtype=np.float64)
            down, across = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
            filled = drawn[down[0] : down[-1] + 1, across[0] : across[-1] + 1]
            _READY.append((name, _grid(filled)))
    return _READY
