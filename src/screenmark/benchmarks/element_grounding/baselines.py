"""What a score is worth: points given without looking at the screenshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screenmark.benchmarks.element_grounding.samples import GroundingSample, Shape
from screenmark.metrics.pages import ratio
from screenmark.metrics.points import bounds, point_in_shape

WHAT = {
    "center": "clicks in the middle of the image every time",
    "random": "clicks anywhere, all places alike: the expected hit rate is the targets' mean area",
    "best_point": (
        "clicks at the one place that hits most of this very data set's targets, for each shape "
        "of image: what the layout alone gives away"
    ),
    "always_absent": "says every time that there is no such thing",
}
"""Each baseline in words."""

_GRID = 200


def blind_scores(samples: Sequence[GroundingSample]) -> dict[str, dict[str, Any]]:
    """Hit rate of each baseline on present targets, and what it gets with absent ones too."""
    present = [sample for sample in samples if sample.shapes]
    absent = sum(sample.target == "absent" for sample in samples)
    middle = sum(
        any(point_in_shape((0.5, 0.5), shape) for shape in sample.shapes) for sample in present
    )
    area = sum(min(1.0, sum(map(_area, sample.shapes))) for sample in present)
    scores = {
        "center": (float(middle), 0),
        "random": (area, 0),
        "best_point": (float(_best_point(present)), 0),
        "always_absent": (0.0, absent),
    }
    total = len(present) + absent
    return {
        name: {
            "what": WHAT[name],
            "accuracy": ratio(found, len(present)),
            "accuracy_all": ratio(found + rejected, total),
        }
        for name, (found, rejected) in scores.items()
    }


def _area(shape: Shape) -> float:
    """Of a box or, by the shoelace formula, of a polygon; in fractions of the image."""
    if len(shape) == 4:
        x1, y1, x2, y2 = (min(1.0, max(0.0, number)) for number in shape)
        return (x2 - x1) * (y2 - y1)
    xs, ys = np.array(shape[::2]), np.array(shape[1::2])
    return float(abs(np.dot(xs, np.roll(ys, 1)) - np.dot(ys, np.roll(xs, 1))) / 2)


def _best_point(samples: Sequence[GroundingSample]) -> int:
    """Targets hit by the best point of a grid, the images of one shape together."""
    groups: dict[float, list[Shape]] = {}
    for sample in samples:
        aspect = round(sample.width / sample.height, 1) if sample.height else 0.0
        groups.setdefault(aspect, []).append(sample.shapes[0])
    return sum(_most_covered(shapes) for shapes in groups.values())


def _most_covered(shapes: Sequence[Shape]) -> int:
    """How many shapes the middle of one cell hits: that which lies in the most of their boxes."""
    corners = np.zeros((_GRID + 1, _GRID + 1), dtype=np.int64)
    for shape in shapes:
        x1, y1, x2, y2 = (min(1.0, max(0.0, number)) for number in bounds(shape))
        left, top = int(np.ceil(x1 * _GRID - 0.5)), int(np.ceil(y1 * _GRID - 0.5))
        right, bottom = int(np.floor(x2 * _GRID + 0.5)), int(np.floor(y2 * _GRID + 0.5))
        if right > left and bottom > top:
            corners[top, left] += 1
            corners[bottom, right] += 1
            corners[top, right] -= 1
            corners[bottom, left] -= 1
    covered = corners.cumsum(axis=0).cumsum(axis=1)
    row, column = np.unravel_index(int(covered.argmax()), covered.shape)
    place = ((int(column) + 0.5) / _GRID, (int(row) + 0.5) / _GRID)
    return sum(point_in_shape(place, shape) for shape in shapes)
