"""Boxes and their overlap.

A box is ``[x1, y1, x2, y2]``: pixels, origin top left, ``x1 <= x2`` and ``y1 <= y2``.
All arithmetic is IEEE double precision in one fixed order of operations, so that the
vectorised functions give the same bits as :func:`compute_iou`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from numbers import Real
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_LIMIT = 1e150
"""Coordinates are clipped to +-1e150: any finite box has a finite area."""

_SMALLEST = 5e-324
"""The smallest positive double."""

_NAMES = ("x1", "y1", "x2", "y2")


class BoxError(ValueError):
    """A value that is not a box.

    Attributes:
        position: which of the four coordinates is at fault; None if it is all of them.
    """

    def __init__(self, problem: str, position: int | None = None) -> None:
        super().__init__(problem)
        self.position = position


class Overlaps(NamedTuple):
    """Pairs of a predicted and a true box, of one or more pages: all with a common area.

    Ordered by page, then by prediction, then by truth.

    Attributes:
        page: which page.
        prediction: which predicted box of the page.
        truth: which true box of the page.
        iou: intersection over union, in [0, 1].
    """

    page: Indices
    prediction: Indices
    truth: Indices
    iou: Floats


def read_box(value: object) -> tuple[float, float, float, float]:
    """Return ``value`` as four floats ``x1, y1, x2, y2``.

    Raises:
        BoxError: unless it is a sequence of four finite numbers with ``x1 <= x2``
            and ``y1 <= y2``.
    """
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
        raise BoxError(f"expected four numbers [x1, y1, x2, y2], got {_show(value)}")
    if len(value) != 4:
        raise BoxError(f"expected four numbers [x1, y1, x2, y2], got {len(value)} values")
    x1, y1, x2, y2 = (_read_number(number, i) for i, number in enumerate(value))
    if x2 < x1:
        raise BoxError(f"x2 must not be less than x1, got x1 = {x1:g} and x2 = {x2:g}", 2)
    if y2 < y1:
        raise BoxError(f"y2 must not be less than y1, got y1 = {y1:g} and y2 = {y2:g}", 3)
    return x1, y1, x2, y2


def compute_iou(box_a: Sequence[float], box_b: Sequence[float]) -> float:
    """Intersection over union of two boxes ``[x1, y1, x2, y2]`` in the same space.

    Returns:
        A number in [0, 1]; 0.0 if both boxes are without area.

    Raises:
        ValueError: if one of them is not a box; the message says what is wrong.
    """
    ax1, ay1, ax2, ay2 = read_box(box_a)
    bx1, by1, bx2, by2 = read_box(box_b)
    width = min(ax2, bx2) - max(ax1, bx1)
    height = min(ay2, by2) - max(ay1, by1)
    if width <= 0 or height <= 0:
        return 0.0
    intersection = width * height
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - intersection
    return intersection / union if union > 0 else 0.0


def box_array(values: Sequence[object]) -> Floats:
    """Return boxes as one array of shape (4, n): rows ``x1, y1, x2, y2``.

    Raises:
        BoxError: for the first value that is not a box. The message does not say which
            one that is; callers that want to know look with :func:`read_box`.
    """
    boxes = _plain_box_array(values)
    if boxes is None:
        rows = [read_box(value) for value in values]
        boxes = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    return np.ascontiguousarray(boxes)


def find_overlaps(boxes: Floats, counts: Sequence[tuple[int, int]]) -> Overlaps:
    """Intersection over union of every predicted with every true box of the same page.

    Args:
        boxes: shape (4, n), as :func:`box_array` returns it: for each page its predicted
            boxes, then its true ones.
        counts: for each page the numbers of both.
    """
    found = []
    first = 0
    for num_predicted, num_true in counts:
        middle = first + num_predicted
        last = middle + num_true
        found.append(_find_meeting(boxes[:, first:middle], boxes[:, middle:last]))
        first = last
    page = np.repeat(np.arange(len(counts)), [len(pairs) for pairs in found])
    num_predicted, num_true = np.array(counts, dtype=np.intp).T
    prediction, truth = np.divmod(np.concatenate(found), num_true[page])
    start = (np.cumsum(num_predicted + num_true) - (num_predicted + num_true))[page]
    a = start + prediction
    b = start + num_predicted[page] + truth
    x1, y1, x2, y2 = boxes
    width = np.minimum(x2[a], x2[b]) - np.maximum(x1[a], x1[b])
    height = np.minimum(y2[a], y2[b]) - np.maximum(y1[a], y1[b])
    intersection = width * height
    areas = (x2 - x1) * (y2 - y1)
    union = areas[a] + areas[b] - intersection
    # A union of zero has an intersection of zero.
    return Overlaps(page, prediction, truth, intersection / np.maximum(union, _SMALLEST))


def _find_meeting(predicted: Floats, true: Floats) -> Indices:
    """Flat indices of the pairs of one page whose boxes meet, rows being predictions.

    Every pair with a common area is among them; without one is only a pair of which one
    box lies in the other and has no area itself.
    """
    meeting = predicted[2:, :, np.newaxis] > true[:2, np.newaxis, :]
    meeting &= predicted[:2, :, np.newaxis] < true[2:, np.newaxis, :]
    return np.flatnonzero(meeting[0] & meeting[1])


def _plain_box_array(values: Sequence[object]) -> Floats | None:
    """The quick way for lists of four ints or floats; None if a closer look is needed."""
    if not set(map(type, values)) <= {list, tuple}:
        return None
    lists = cast(Sequence[Sequence[object]], values)
    flat = list(chain.from_iterable(lists))
    types = set(map(type, flat))
    if not types <= {int, float} or set(map(len, lists)) - {4}:
        return None
    try:
        boxes = np.fromiter(flat, np.float64, len(flat)).reshape(-1, 4).T
    except OverflowError:
        return None
    in_order = (boxes[2:] >= boxes[:2]).all()
    if in_order and np.abs(boxes).max(initial=0.0) <= _LIMIT:
        return boxes
    return None


def _read_number(value: object, position: int) -> float:
    name = _NAMES[position]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise BoxError(f"{name} must be a number, got {_show(value)}", position)
    try:
        number = float(value)
    except OverflowError:
        number = _LIMIT if cast(int, value) > 0 else -_LIMIT
    if not math.isfinite(number):
        raise BoxError(f"{name} must be finite, got {number}", position)
    return min(max(number, -_LIMIT), _LIMIT)


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
