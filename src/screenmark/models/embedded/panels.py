"""Lines and icons with the panel they stand on and the room they have there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from screenmark.models.embedded.ink import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from screenmark.models.embedded.regions import RegionMap
    from screenmark.models.embedded.typography import SetLine


@dataclass(frozen=True)
class Item:
    """A line or an icon on a panel; `line` is None for an icon.

    `panel` is the region around it and `room` the box up to which that region goes on from here
    to the left, above, to the right and below. A panel may have any shape: a top bar and a side
    bar of one colour are one region, but have different rooms.
    """

    box: Box
    line: SetLine | None
    panel: int
    room: Box

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2

    @property
    def centre(self) -> float:
        return (self.box[0] + self.box[2]) / 2

    @property
    def is_word(self) -> bool:
        return self.line is not None and len(self.line.text) > 1


def panel_items(regions: RegionMap, lines: Sequence[SetLine], icons: Sequence[Box]) -> list[Item]:
    """Attach every line and icon to the region that surrounds it; without one it is left out."""
    boxes: list[tuple[Box, SetLine | None]] = [(line.box, line) for line in lines]
    boxes += [(icon, None) for icon in icons]
    items = []
    for box, line in boxes:
        panel = _surrounding(regions, box)
        if panel:
            items.append(Item(box, line, panel, _room(regions.labels == panel, box)))
    return items


def _surrounding(regions: RegionMap, box: Box) -> int:
    x1, y1, x2, y2 = box
    above = regions.common_label((x1 - 3, y1 - 4, x2 + 3, y1 - 1))
    below = regions.common_label((x1 - 3, y2 + 1, x2 + 3, y2 + 4))
    return max(above, below, key=lambda label: int(regions.areas[label]) if label else -1)


def _room(panel: NDArray[np.bool_], box: Box) -> Box:
    x1, y1, x2, y2 = box
    height, width = panel.shape
    rows = [y for y in (y1 - 3, y2 + 2) if 0 <= y < height]
    columns = [x for x in (x1 - 3, x2 + 2) if 0 <= x < width]
    across = [_reach(panel[y], x1, x2) for y in rows] or [(x1, x2)]
    down = [_reach(panel[:, x], y1, y2) for x in columns] or [(y1, y2)]
    return (
        min(span[0] for span in across),
        min(span[0] for span in down),
        max(span[1] for span in across),
        max(span[1] for span in down),
    )


def _reach(line: NDArray[np.bool_], start: int, end: int) -> tuple[int, int]:
    """Extend [start, end) both ways for as long as `line` is True."""
    before, after = line[:start][::-1], line[end:]
    back = int(before.argmin()) if not before.all() else len(before)
    ahead = int(after.argmin()) if not after.all() else len(after)
    return start - back, end + ahead
