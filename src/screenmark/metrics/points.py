"""A point against a target: hit or not, and how far from its middle.

Points and shapes are in one space, usually fractions of the image. A shape is a box
(x1, y1, x2, y2) or the corners of a polygon (x1, y1, x2, y2, x3, y3, …).
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def point_in_shape(point: Sequence[float], shape: Sequence[float]) -> bool:
    """Whether a point lies in a shape or on its edge.

    Raises:
        ValueError: the shape has less than two corners or half of one.
    """
    x, y = point
    if len(shape) == 4:
        x1, y1, x2, y2 = shape
        return x1 <= x <= x2 and y1 <= y <= y2
    if len(shape) < 6 or len(shape) % 2:
        raise ValueError(f"expected a box or at least three corners, found {len(shape)} numbers")
    inside = False
    ax, ay = shape[-2], shape[-1]
    for bx, by in zip(shape[::2], shape[1::2], strict=True):
        if _on_edge(x, y, ax, ay, bx, by):
            return True
        # Even-odd rule: count the edges that a ray to the right crosses.
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
        ax, ay = bx, by
    return inside


def _on_edge(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> bool:
    if not (min(ax, bx) <= x <= max(ax, bx) and min(ay, by) <= y <= max(ay, by)):
        return False
    return math.isclose((bx - ax) * (y - ay), (by - ay) * (x - ax), abs_tol=1e-12)


def bounds(shape: Sequence[float]) -> tuple[float, float, float, float]:
    """The box around a shape."""
    return min(shape[::2]), min(shape[1::2]), max(shape[::2]), max(shape[1::2])


def center_distance(point: Sequence[float], shape: Sequence[float]) -> float:
    """Distance of a point from the middle of a shape's box, in widths and heights of that box.

    0 is the middle, 0.5 the middle of an edge. A box without width or height counts as one of
    the smallest positive size, so that the distance stays finite.
    """
    x1, y1, x2, y2 = bounds(shape)
    wide, high = max(x2 - x1, 1e-9), max(y2 - y1, 1e-9)
    return math.hypot((point[0] - (x1 + x2) / 2) / wide, (point[1] - (y1 + y2) / 2) / high)
