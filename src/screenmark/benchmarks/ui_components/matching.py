"""Which candidate is which leaf of the view hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from screenmark.benchmarks.ui_components.samples import MATCHED, Box, Candidate


def matched_candidates(boxes: Sequence[Box], leaves: Sequence[Box]) -> tuple[Candidate, ...]:
    """Candidates with the leaf that each is nearest to; of equal ones the first."""
    if not leaves:
        return tuple(Candidate(number, box) for number, box in enumerate(boxes))
    table = ious(np.array(boxes).reshape(-1, 4), np.array(leaves))
    best = table.argmax(axis=1).tolist()
    highest = table.max(axis=1).tolist()
    return tuple(
        Candidate(number, box, iou, leaf if iou >= MATCHED else None)
        for number, (box, iou, leaf) in enumerate(zip(boxes, highest, best, strict=True))
    )


def ious(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """IoU of each box of one list with each of another; 0 where a box has no area."""
    corner = np.minimum(one[:, None, 2:], other[None, :, 2:])
    sides = np.clip(corner - np.maximum(one[:, None, :2], other[None, :, :2]), 0, None)
    common = sides.prod(axis=2)
    areas = [np.clip(b[:, 2:] - b[:, :2], 0, None).prod(axis=1) for b in (one, other)]
    union = areas[0][:, None] + areas[1][None, :] - common
    table: NDArray[np.float64] = np.zeros_like(common)
    np.divide(common, union, out=table, where=union > 0)
    return table
