"""Icons and pictures: what is drawn on the panels of a page and is not text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screenmark.models.embedded.ink import Box, ink_box

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from screenmark.models.embedded.regions import Frame, RegionMap
    from screenmark.models.embedded.typography import SetLine

# Parts of one icon, such as the bars of a menu icon, lie at most twice this far apart.
_REACH = 2
_PANEL_AREA = 1500
_MIN_SIDE = 8
_MAX_ICON = 64
_MAX_ASPECT = 2.5
_MIN_IMAGE = 24
_MAX_CORNER = 16
_SOLID_SHARE = 0.7


def find_icons(regions: RegionMap, frames: Sequence[Frame], text: Iterable[Box]) -> list[Box]:
    """Boxes of compact drawings from 8 to 64 pixels a side, text left out."""
    import cv2

    panel = regions.areas >= _PANEL_AREA
    for frame in frames:
        panel[frame.label] = True
    corners = regions.boxes[panel]
    drawn = (~panel[regions.labels]).astype(np.uint8)
    for frame in frames:
        _erase_border(drawn, frame.box)
    for x1, y1, x2, y2 in text:
        drawn[max(0, y1 - 1) : y2 + 1, max(0, x1 - 1) : x2 + 1] = 0
    joined = cv2.dilate(drawn, np.ones((2 * _REACH + 1, 2 * _REACH + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    boxes = []
    for x, y, w, h, _ in stats[1:].tolist():
        box = _ink_of(drawn, (x, y, x + w, y + h))
        width, height = box[2] - box[0], box[3] - box[1]
        if _is_corner(box, corners):
            continue
        if not (_MIN_SIDE <= max(width, height) <= _MAX_ICON and min(width, height) >= 3):
            continue
        if max(width, height) <= _MAX_ASPECT * min(width, height) or max(width, height) <= 18:
            boxes.append(box)
    return boxes


def _ink_of(drawn: NDArray[np.uint8], box: Box) -> Box:
    """Shrink a dilated component's box to what is drawn in it."""
    x1, y1, x2, y2 = box
    part = drawn[y1:y2, x1:x2]
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    return (
        x1 + int(columns[0]),
        y1 + int(rows[0]),
        x1 + int(columns[-1]) + 1,
        y1 + int(rows[-1]) + 1,
    )


def find_bullets(pixels: NDArray[np.uint8], lines: Iterable[SetLine]) -> list[Box]:
    """Boxes of the dots before the items of lists; they mark where an item starts."""
    bullets = []
    for line in lines:
        left, right = round(line.box[0] - 1.7 * line.em), round(line.box[0] - 0.25 * line.em)
        reach = round(0.35 * line.em)
        middle = round(line.middle)
        if left < 0 or right - left < 4:
            continue
        area = (left, max(0, middle - reach), right, middle + reach)
        dot = ink_box(pixels, area)
        if dot is None or dot[0] <= left:
            continue
        width, height = dot[2] - dot[0], dot[3] - dot[1]
        if 3 <= width <= 0.6 * line.em and abs(width - height) <= 1:
            bullets.append(dot)
    return bullets


def find_pictures(regions: RegionMap, text: Iterable[Box]) -> list[Box]:
    """Boxes of solid shapes without text, such as avatars and placeholders of photographs."""
    sizes = regions.boxes[:, 2:] - regions.boxes[:, :2]
    height, width = regions.labels.shape
    solid = regions.areas >= _SOLID_SHARE * sizes.prod(axis=1)
    fits = (sizes >= _MIN_IMAGE).all(axis=1) & (sizes.prod(axis=1) <= 0.3 * height * width)
    aspect = sizes.max(axis=1) <= 2 * sizes.min(axis=1)
    fits[0] = False
    lines = list(text)
    boxes = []
    for label in (solid & fits & aspect).nonzero()[0]:
        x1, y1, x2, y2 = (int(v) for v in regions.boxes[label])
        # A shape with holes has content of its own and is a panel.
        filled = regions.areas[label] / ((x2 - x1) * (y2 - y1))
        outline = _outline_share(regions.labels[y1:y2, x1:x2] == label)
        if outline - filled > 0.02 or any(_touches((x1, y1, x2, y2), line) for line in lines):
            continue
        boxes.append((x1, y1, x2, y2))
    return boxes


def _outline_share(mask: NDArray[np.bool_]) -> float:
    used = mask.any(axis=1)
    first, last = mask.argmax(axis=1), mask.shape[1] - mask[:, ::-1].argmax(axis=1)
    return float((last - first)[used].sum()) / mask.size


def _touches(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _is_corner(box: Box, panels: NDArray[np.int32]) -> bool:
    """True for the rounding of a panel's corner, which is neither panel nor ground."""
    if max(box[2] - box[0], box[3] - box[1]) > _MAX_CORNER:
        return False
    close = np.abs(panels - np.asarray(box)) <= 2
    return bool(((close[:, 0] | close[:, 2]) & (close[:, 1] | close[:, 3])).any())


def _erase_border(drawn: NDArray[np.uint8], box: Box) -> None:
    x1, y1, x2, y2 = box
    if min(x2 - x1, y2 - y1) < _MIN_IMAGE:
        return
    for thickness in (slice(y1, y1 + 3), slice(max(0, y2 - 3), y2)):
        drawn[thickness, x1:x2] = 0
    for thickness in (slice(x1, x1 + 3), slice(max(0, x2 - 3), x2)):
        drawn[y1:y2, thickness] = 0
