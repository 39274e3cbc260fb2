"""Ink: the pixels of a small region that differ from the colour of its background."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Box: TypeAlias = tuple[int, int, int, int]

_MIN_CONTRAST = 24
_CONTRAST_SHARE = 0.3
_WIDE_GAP = 0.95
_MIN_WIDE_GAP = 9
_INTRUDER_SHARE = 0.3


def ink_mask(pixels: NDArray[np.uint8], box: Box) -> NDArray[np.bool_]:
    """Mark the pixels of `box` that differ clearly from its most frequent colour.

    The result has the box's height and width; it is all False where the region is uniform.
    """
    x1, y1, x2, y2 = box
    region = pixels[y1:y2, x1:x2].astype(np.int16)
    coarse = (region >> 3).astype(np.int32)
    codes = (coarse[:, :, 0] << 10) | (coarse[:, :, 1] << 5) | coarse[:, :, 2]
    values, counts = np.unique(codes, return_counts=True)
    background = np.median(region[codes == values[counts.argmax()]], axis=0)
    distance = np.abs(region - background.astype(np.int16)).max(axis=2)
    threshold = max(_MIN_CONTRAST, _CONTRAST_SHARE * float(distance.max(initial=0)))
    return np.asarray(distance > threshold)


def ink_box(pixels: NDArray[np.uint8], box: Box) -> Box | None:
    """Shrink `box` to its ink; None where there is none. Frames around the text are ignored."""
    height, width = pixels.shape[:2]
    x1, y1 = max(0, box[0]), max(0, box[1])
    x2, y2 = min(width, box[2]), min(height, box[3])
    if x2 <= x1 or y2 <= y1:
        return None
    mask = ink_mask(pixels, (x1, y1, x2, y2))
    # A row or column that is ink nearly from end to end is a border, not a letter.
    if y2 - y1 > 8 and x2 - x1 > 16:
        mask[mask.mean(axis=1) > 0.9, :] = False
    _drop_intruders(mask)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return (
        x1 + int(columns[0]),
        y1 + int(rows[0]),
        x1 + int(columns[-1]) + 1,
        y1 + int(rows[-1]) + 1,
    )


def _drop_intruders(mask: NDArray[np.bool_]) -> None:
    """Clear ink that reaches in from a neighbouring line or is a border at the left or right."""
    for view in (mask, mask[::-1]):
        inked: NDArray[np.bool_] = np.asarray(view.any(axis=1))
        blank = np.flatnonzero(~inked)
        # Cut off at the edge, apart from the rest, and less than a third of the height.
        if inked[0] and len(blank) and blank[0] <= len(inked) * _INTRUDER_SHARE:
            view[: blank[0]] = False
    for view in (mask.T, mask.T[::-1]):
        full: NDArray[np.bool_] = np.asarray(view.mean(axis=1) > 0.9)
        if view.shape[0] > 8 and full[0]:
            width = int(full.argmin()) if not full.all() else 0
            # A letter such as I stands closer to the next one than a border to a label.
            clear = max(3, view.shape[1] // 4)
            if width <= 2 and not view[width : width + clear].any():
                view[:width] = False


def split_at_gaps(pixels: NDArray[np.uint8], box: Box) -> list[Box]:
    """Cut a line's box where a gap in the ink is wider than words are ever set apart."""
    x1, y1, _, y2 = box
    inked = np.flatnonzero(ink_mask(pixels, box).any(axis=0))
    if not len(inked):
        return [box]
    limit = max(_MIN_WIDE_GAP, _WIDE_GAP * (y2 - y1))
    breaks = (np.diff(inked) > limit).nonzero()[0]
    starts = [int(inked[0]), *(int(inked[i + 1]) for i in breaks)]
    ends = [*(int(inked[i]) + 1 for i in breaks), int(inked[-1]) + 1]
    parts = ((x1 + start, y1, x1 + end, y2) for start, end in zip(starts, ends, strict=True))
    return [part for raw in parts if (part := ink_box(pixels, raw)) is not None]
