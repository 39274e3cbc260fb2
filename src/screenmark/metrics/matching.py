"""Which predicted box stands for which true box.

A pair can match if its IoU is *greater than* the threshold. Matching is one to one.

greedy
    Pairs in descending IoU; ties by prediction index, then by truth index. A pair
    matches if neither of its boxes is taken yet.
optimal
    As many pairs as possible and, among those choices, the greatest sum of IoU
    (Hungarian method).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from screenmark.metrics.boxes import Overlaps, box_array, find_overlaps

Matching: TypeAlias = Literal["greedy", "optimal"]


class Match(NamedTuple):
    """A predicted box and the true box that it stands for."""

    prediction: int
    truth: int
    iou: float


def match_boxes(
    predicted: Sequence[Sequence[float]],
    true: Sequence[Sequence[float]],
    iou_threshold: float = 0.5,
    *,
    matching: Matching = "greedy",
) -> list[Match]:
    """Match predicted with true boxes ``[x1, y1, x2, y2]`` of one screenshot.

    Returns:
        The matches in descending IoU, ties by prediction index, then by truth index.

    Raises:
        ValueError: if a box is not a box, the threshold is outside [0, 1] or the
            matching has an unknown name.
    """
    check_options(iou_threshold, matching)
    overlaps = find_overlaps(box_array(predicted), box_array(true))
    return match_overlaps(overlaps, iou_threshold, matching)


def check_options(iou_threshold: float, matching: str) -> None:
    """Raise ValueError for a threshold outside [0, 1] or an unknown matching."""
    if not 0 <= iou_threshold <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {iou_threshold}")
    if matching not in {"greedy", "optimal"}:
        raise ValueError(f"matching must be 'greedy' or 'optimal', got {matching!r}")


def match_overlaps(overlaps: Overlaps, iou_threshold: float, matching: Matching) -> list[Match]:
    """As :func:`match_boxes`, from the overlaps of all predicted with all true boxes."""
    candidates = _above(overlaps, iou_threshold)
    if matching == "optimal":
        candidates = _assign(candidates)
    taken_predictions: set[int] = set()
    taken_truths: set[int] = set()
    matches = []
    for prediction, truth, iou in zip(*(column.tolist() for column in candidates), strict=True):
        if prediction not in taken_predictions and truth not in taken_truths:
            taken_predictions.add(prediction)
            taken_truths.add(truth)
            matches.append(Match(prediction, truth, iou))
    return matches


def _above(overlaps: Overlaps, iou_threshold: float) -> Overlaps:
    """Pairs above the threshold, in descending IoU and otherwise in the order given."""
    chosen = np.flatnonzero(overlaps.iou > iou_threshold)
    chosen = chosen[np.argsort(-overlaps.iou[chosen], kind="stable")]
    return Overlaps(overlaps.rows[chosen], overlaps.columns[chosen], overlaps.iou[chosen])


def _assign(candidates: Overlaps) -> Overlaps:
    """The pairs of an optimal assignment, in the order given."""
    from scipy.optimize import linear_sum_assignment

    rows, row = np.unique(candidates.rows, return_inverse=True)
    columns, column = np.unique(candidates.columns, return_inverse=True)
    weights = np.zeros((len(rows), len(columns)))
    # One more pair outweighs any sum of IoU, which is at most the number of pairs.
    weights[row, column] = candidates.iou + (min(weights.shape) + 1)
    assigned = np.zeros(weights.shape, dtype=bool)
    assigned[linear_sum_assignment(weights, maximize=True)] = True
    chosen = np.flatnonzero(assigned[row, column])
    return Overlaps(candidates.rows[chosen], candidates.columns[chosen], candidates.iou[chosen])
