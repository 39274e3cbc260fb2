"""Regions of one colour, or of one smooth gradient, and the rectangles among them.

A screen is drawn, not photographed: the inside of a card, a button or an input is exactly one
colour or a slow gradient, and its edge is a step. Connecting neighbouring pixels that hardly
differ therefore finds panels and controls without any threshold on brightness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from screenmark.models.embedded.ink import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Largest step of a colour channel between neighbours inside one region: gradients, no edges.
_SMOOTH_STEP = 3
_MIN_SIDE = 8
# Share of the bounding box that an outline covers; rounded corners cost a little.
_RECTANGULAR = 0.88
_CIRCULAR = 0.74
_MIN_CIRCLE = 9
_BORDER = 3


@dataclass(frozen=True)
class Frame:
    """A filled or outlined rectangle; `sides` are the region labels left, above, right, below.

    A side that touches the image's edge has the label 0. `apart` is True where one region lies
    above and below it, be it only in a narrow gap or only behind a shadow. A circle is a frame
    too, with `is_round` set.
    """

    box: Box
    label: int
    sides: tuple[int, int, int, int]
    apart: bool
    is_round: bool = False

    @property
    def width(self) -> int:
        return self.box[2] - self.box[0]

    @property
    def height(self) -> int:
        return self.box[3] - self.box[1]


@dataclass(frozen=True)
class RegionMap:
    """`labels` (height, width) names each pixel's region from 1; `boxes` and `areas` by label."""

    labels: NDArray[np.int32]
    boxes: NDArray[np.int32]
    areas: NDArray[np.int64]

    def common_label(self, box: Box) -> int:
        """The most frequent region in `box` clipped to the image, 0 if nothing is left of it."""
        x1, y1, x2, y2 = box
        part = self.labels[max(0, y1) : max(0, y2), max(0, x1) : max(0, x2)]
        if not part.size:
            return 0
        values, counts = np.unique(part, return_counts=True)
        return int(values[counts.argmax()])


def find_regions(pixels: NDArray[np.uint8]) -> RegionMap:
    """Label the smooth regions of an (height, width, 3) RGB image."""
    import cv2

    height, width = pixels.shape[:2]
    # Pixels sit on even cells and links between neighbours on odd ones, so that ordinary
    # component labelling follows links instead of equal values.
    links = np.zeros((2 * height - 1, 2 * width - 1), dtype=np.uint8)
    links[::2, ::2] = 1
    links[::2, 1::2] = cv2.absdiff(pixels[:, 1:], pixels[:, :-1]).max(axis=2) <= _SMOOTH_STEP
    links[1::2, ::2] = cv2.absdiff(pixels[1:], pixels[:-1]).max(axis=2) <= _SMOOTH_STEP
    _, cells, stats, _ = cv2.connectedComponentsWithStats(links, connectivity=4)
    labels = np.ascontiguousarray(cells[::2, ::2])
    left, top = stats[:, 0] // 2, stats[:, 1] // 2
    right, bottom = left + stats[:, 2] // 2 + 1, top + stats[:, 3] // 2 + 1
    areas = np.bincount(labels.ravel(), minlength=len(stats))
    return RegionMap(labels, np.stack([left, top, right, bottom], axis=1), areas)


def find_frames(regions: RegionMap) -> list[Frame]:
    """Return the rectangles of a page, outer borders included, smallest first."""
    height, width = regions.labels.shape
    sizes = regions.boxes[:, 2:] - regions.boxes[:, :2]
    large = (sizes >= _MIN_SIDE).all(axis=1) & ~((sizes[:, 0] == width) & (sizes[:, 1] == height))
    large[0] = False
    boxes = []
    circles = set()
    for label in large.nonzero()[0]:
        x1, y1, x2, y2 = (int(v) for v in regions.boxes[label])
        share = _outline_share(regions.labels[y1:y2, x1:x2] == label)
        is_round = share < _RECTANGULAR and _is_square(x2 - x1, y2 - y1)
        if share >= (_CIRCULAR if is_round else _RECTANGULAR):
            boxes.append((int(label), (x1, y1, x2, y2)))
            circles |= {int(label)} if is_round else set()
    boxes.sort(key=lambda item: (_area(item[1]), item[1]))
    frames = []
    for label, box in _merge_borders(boxes):
        outer = _add_border(regions, box)
        close, clear = (_side_labels(regions, outer, *span) for span in ((1, 2), (2, 4)))
        apart = _between(close) or _between(clear)
        frames.append(Frame(outer, label, clear, apart, label in circles))
    return frames


def _between(sides: tuple[int, int, int, int]) -> bool:
    return sides[1] == sides[3] != 0


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _is_square(width: int, height: int) -> bool:
    return min(width, height) >= _MIN_CIRCLE and abs(width - height) <= 2


def _outline_share(mask: NDArray[np.bool_]) -> float:
    """How much of its bounding box an outline covers, holes filled: a circle pi / 4."""
    return min(_extent_share(side) for side in (mask, mask.T))


def _extent_share(mask: NDArray[np.bool_]) -> float:
    used = mask.any(axis=1)
    first = mask.argmax(axis=1)
    last = mask.shape[1] - mask[:, ::-1].argmax(axis=1)
    return float((last - first)[used].sum()) / mask.size


def _merge_borders(boxes: list[tuple[int, Box]]) -> list[tuple[int, Box]]:
    """Join an inside and the border regions drawn around it; expects the smallest first."""
    merged: list[tuple[int, Box]] = []
    used: set[int] = set()
    for i, (label, box) in enumerate(boxes):
        if i in used:
            continue
        outer = box
        for j in range(i + 1, len(boxes)):
            other = boxes[j][1]
            grows = (
                box[0] - other[0],
                box[1] - other[1],
                other[2] - box[2],
                other[3] - box[3],
            )
            if j not in used and min(grows) >= 0 and max(grows) <= _BORDER:
                outer = other
                used.add(j)
        merged.append((label, outer))
    return merged


def _add_border(regions: RegionMap, box: Box) -> Box:
    """Grow each side over up to two pixels that belong to thin regions, as borders do."""
    height, width = regions.labels.shape
    x1, y1, x2, y2 = box
    inset_x, inset_y = (x2 - x1) // 4, (y2 - y1) // 4
    sides = [
        ((x1 - 1, y1 + inset_y, x1, y2 - inset_y), -1, 0),
        ((x1 + inset_x, y1 - 1, x2 - inset_x, y1), 0, -1),
        ((x2, y1 + inset_y, x2 + 1, y2 - inset_y), 1, 0),
        ((x1 + inset_x, y2, x2 - inset_x, y2 + 1), 0, 1),
    ]
    grown = [0, 0, 0, 0]
    for i, (strip, dx, dy) in enumerate(sides):
        for step in range(2):
            a, b, c, d = strip[0] + dx * step, strip[1] + dy * step, strip[2], strip[3]
            c, d = c + dx * step, d + dy * step
            if a < 0 or b < 0 or c > width or d > height:
                break
            label = regions.common_label((a, b, c, d))
            bx1, by1, bx2, by2 = regions.boxes[label]
            if min(bx2 - bx1, by2 - by1) > 2:
                break
            grown[i] += 1
    return x1 - grown[0], y1 - grown[1], x2 + grown[2], y2 + grown[3]


def _side_labels(regions: RegionMap, box: Box, near: int, far: int) -> tuple[int, int, int, int]:
    """Labels `near` to `far` pixels outside the middle of each side: left, above, right, below."""
    x1, y1, x2, y2 = box
    inset_x, inset_y = (x2 - x1) // 8, (y2 - y1) // 8
    return (
        regions.common_label((x1 - far, y1 + inset_y, x1 - near, y2 - inset_y)),
        regions.common_label((x1 + inset_x, y1 - far, x2 - inset_x, y1 - near)),
        regions.common_label((x2 + near, y1 + inset_y, x2 + far, y2 - inset_y)),
        regions.common_label((x1 + inset_x, y2 + near, x2 - inset_x, y2 + far)),
    )
