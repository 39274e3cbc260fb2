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

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from screenmark.metrics.boxes import Overlaps, box_array, find_overlaps

Matching: TypeAlias = Literal["greedy", "optimal"]

IOU_STEPS = tuple(percent / 100 for percent in range(50, 100, 5))
"""IoU thresholds 0.50, 0.55, ..., 0.95, over which F1 is averaged."""


Pair: TypeAlias = tuple[int, int, float]
"""Index of a predicted box, index of a true box, and their IoU."""


def match_boxes(
    predicted: Sequence[Sequence[float]],
    true: Sequence[Sequence[float]],
    iou_threshold: float = 0.5,
    *,
    matching: Matching = "greedy",
) -> list[Pair]:
    """Match predicted with true boxes ``[x1, y1, x2, y2]`` of one screenshot.

    Returns:
        Tuples (index of the predicted box, index of the true box, IoU) in descending IoU,
        ties by the first index, then by the second.

    Raises:
        ValueError: if a box is not a box, the threshold is outside [0, 1] or the
            matching has an unknown name.
    """
    check_options(iou_threshold, matching)
    overlaps = find_overlaps(box_array([*predicted, *true]), [(len(predicted), len(true))])
    (pairs,) = rank_pairs(overlaps, iou_threshold, num_pages=1)
    return match_pairs(pairs, iou_threshold, matching)


def check_options(iou_threshold: float, matching: str) -> None:
    """Raise ValueError for a threshold outside [0, 1] or an unknown matching."""
    if not 0 <= iou_threshold <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {iou_threshold}")
    if matching not in {"greedy", "optimal"}:
        raise ValueError(f"matching must be 'greedy' or 'optimal', got {matching!r}")


def rank_pairs(overlaps: Overlaps, floor: float, num_pages: int) -> list[list[Pair]]:
    """For each page its pairs with an IoU of at least ``floor``, as greedy takes them."""
    chosen = (overlaps.iou >= floor).nonzero()[0]
    # Stable sorts: ties keep the order of prediction and truth.
    chosen = chosen[(-overlaps.iou[chosen]).argsort(kind="stable")]
    chosen = chosen[overlaps.page[chosen].argsort(kind="stable")]
    page, *columns = (column[chosen] for column in overlaps)
    pairs = list(zip(*(column.tolist() for column in columns), strict=True))
    ends = np.cumsum(np.bincount(page, minlength=num_pages)).tolist()
    return [pairs[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def match_pairs(pairs: Sequence[Pair], iou_threshold: float, matching: Matching) -> list[Pair]:
    """The pairs that match, out of ranked pairs, in the same order."""
    if matching == "optimal":
        return _match_optimally([pair for pair in pairs if pair[2] > iou_threshold])
    taken_predictions: set[int] = set()
    taken_truths: set[int] = set()
    matches = []
    for pair in pairs:
        prediction, truth, iou = pair
        if iou <= iou_threshold:
            break
        if prediction not in taken_predictions and truth not in taken_truths:
            taken_predictions.add(prediction)
            taken_truths.add(truth)
            matches.append(pair)
    return matches


def count_matches(
    pairs: Sequence[Pair], matches: Sequence[Pair], iou_threshold: float, matching: Matching
) -> list[int]:
    """How many of the ranked pairs match at each of :data:`IOU_STEPS`.

    Args:
        pairs: all that can match at any of the steps.
        matches: those that match at ``iou_threshold``.
        iou_threshold: any threshold.
        matching: how pairs are matched.
    """
    if matching == "optimal":
        return [len(match_pairs(pairs, step, matching)) for step in IOU_STEPS]
    # Greedy takes pairs in descending IoU: a higher threshold only ends it earlier.
    if iou_threshold > IOU_STEPS[0]:
        matches = match_pairs(pairs, IOU_STEPS[0], matching)
    losses = [-iou for _, _, iou in matches]
    return [bisect_left(losses, -step) for step in IOU_STEPS]


def _match_optimally(pairs: Sequence[Pair]) -> list[Pair]:
    from scipy.optimize import linear_sum_assignment

    if not pairs:
        return []
    rows, row = np.unique([pair[0] for pair in pairs], return_inverse=True)
    columns, column = np.unique([pair[1] for pair in pairs], return_inverse=True)
    weights = np.zeros((len(rows), len(columns)))
    # One more pair outweighs any sum of IoU, which is at most the number of pairs.
    weights[row, column] = min(weights.shape) + 1.0
    weights[row, column] += [pair[2] for pair in pairs]
    assigned = np.zeros(weights.shape, dtype=bool)
    assigned[linear_sum_assignment(weights, maximize=True)] = True
    return [pair for pair, chosen in zip(pairs, assigned[row, column], strict=True) if chosen]
