"""Rows of menus and bars, whose links reach past their text to the next one.

Such links are rarely drawn with a frame, so their boxes are inferred from the rhythm of the
page: items of a menu share a left edge and a pitch, items of a bar share a narrow panel.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from screenmark.models.embedded.controls import Control
from screenmark.models.embedded.ink import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from screenmark.models.embedded.regions import RegionMap
    from screenmark.models.embedded.typography import SetLine

_MIN_ROWS = 3
_ALIGNED = 4
_PITCH_EMS = (1.9, 3.6)
_MENU_WIDTH_EMS = 24
_DEFAULT_ROW_EMS = 2.6
_BAR_HEIGHT_EMS = 6
_BAR_LINK_EMS = 2.5
_BAR_PADDING_EMS = 1.0
_BAR_GAP_EMS = 3.5


@dataclass(frozen=True)
class Item:
    """A line or an icon on a panel; `line` is None for an icon."""

    box: Box
    line: SetLine | None
    panel: int

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2


def panel_items(regions: RegionMap, lines: Sequence[SetLine], icons: Sequence[Box]) -> list[Item]:
    """Attach every line and icon to the region that surrounds it."""
    boxes: list[tuple[Box, SetLine | None]] = [(line.box, line) for line in lines]
    boxes += [(icon, None) for icon in icons]
    return [Item(box, line, _surrounding(regions, box)) for box, line in boxes]


def _surrounding(regions: RegionMap, box: Box) -> int:
    x1, y1, x2, y2 = box
    above = regions.common_label((x1 - 3, y1 - 4, x2 + 3, y1 - 1))
    below = regions.common_label((x1 - 3, y2 + 1, x2 + 3, y2 + 4))
    return max(above, below, key=lambda label: int(regions.areas[label]) if label else -1)


def find_menus(
    regions: RegionMap, items: Sequence[Item], controls: Sequence[Control]
) -> list[Control]:
    """Rows of vertical menus: at least three lines at one left edge in a narrow panel."""
    rows: list[Control] = []
    for panel in sorted({item.panel for item in items}):
        if not panel:
            continue
        left, _, right, _ = (int(v) for v in regions.boxes[panel])
        members = [item for item in items if item.panel == panel]
        anchors = [
            item
            for item in members
            if item.line is not None
            and right - left <= _MENU_WIDTH_EMS * item.line.em
            and _is_leftmost_text(item, members)
        ]
        for column in _columns(anchors):
            rows += _menu_rows((left, right), column, members, controls)
    return rows


def _is_leftmost_text(item: Item, members: Sequence[Item]) -> bool:
    return not any(
        other.line is not None
        and other is not item
        and abs(other.middle - item.middle) < (item.box[3] - item.box[1]) / 2
        and other.box[0] < item.box[0]
        for other in members
    )


def _columns(anchors: Sequence[Item]) -> list[list[Item]]:
    columns: list[list[Item]] = []
    for anchor in sorted(anchors, key=lambda item: (item.box[0], item.box[1])):
        for column in columns:
            if abs(column[0].box[0] - anchor.box[0]) <= _ALIGNED:
                column.append(anchor)
                break
        else:
            columns.append([anchor])
    return [sorted(c, key=lambda item: item.middle) for c in columns if len(c) >= _MIN_ROWS]


def _menu_rows(
    span: tuple[int, int],
    column: list[Item],
    members: Sequence[Item],
    controls: Sequence[Control],
) -> list[Control]:
    lines = [item.line for item in column if item.line is not None]
    em = sorted(line.em for line in lines)[len(lines) // 2]
    steps = [b.middle - a.middle for a, b in pairwise(column)]
    regular = [step for step in steps if _PITCH_EMS[0] * em <= step <= _PITCH_EMS[1] * em]
    if len(regular) < _MIN_ROWS - 1 or len(regular) < 0.5 * len(steps):
        return []
    height = min(*regular, _PITCH_EMS[1] * em)
    left, right = span
    # A highlighted row shows how wide and high the others are.
    for control in controls:
        if (
            control.filled
            and any(abs(line.box[0] - column[0].box[0]) <= _ALIGNED for line in control.lines)
            and left <= control.box[0]
            and control.box[2] <= right
        ):
            left, right = control.box[0], control.box[2]
            height = min(height, control.box[3] - control.box[1])
            break
    rows = []
    for item in column:
        top, bottom = round(item.middle - height / 2), round(item.middle + height / 2)
        inside = [m for m in members if top <= m.middle <= bottom]
        texts = sorted((m.line for m in inside if m.line is not None), key=lambda line: line.box[0])
        icons = tuple(m.box for m in inside if m.line is None)
        rows.append(Control((left, top, right, bottom), "link", tuple(texts), icons))
    return rows


def find_bar_links(regions: RegionMap, items: Sequence[Item]) -> list[Control]:
    """Items of horizontal bars, each grown to half the gap to its neighbours."""
    links: list[Control] = []
    for panel in sorted({item.panel for item in items}):
        if not panel:
            continue
        members = sorted((i for i in items if i.panel == panel), key=lambda item: item.box[0])
        heights = [item.line.em for item in members if item.line is not None]
        em = sorted(heights)[len(heights) // 2] if heights else 16.0
        left, top, right, bottom = (int(v) for v in regions.boxes[panel])
        one_row = max(i.box[1] for i in members) < min(i.box[3] for i in members)
        if bottom - top > _BAR_HEIGHT_EMS * em or len(members) < 2 or not one_row:
            continue
        for i, item in enumerate(members):
            gap_left = item.box[0] - (members[i - 1].box[2] if i else left)
            gap_right = (members[i + 1].box[0] if i + 1 < len(members) else right) - item.box[2]
            if item.line is not None and min(gap_left, gap_right) > _BAR_GAP_EMS * em:
                continue
            pad = _BAR_PADDING_EMS * em
            half = _BAR_LINK_EMS * em / 2
            box = (
                round(item.box[0] - max(0, min(pad, gap_left / 2))),
                max(top, round(item.middle - half)),
                round(item.box[2] + max(0, min(pad, gap_right / 2))),
                min(bottom, round(item.middle + half)),
            )
            lines = () if item.line is None else (item.line,)
            icons = (item.box,) if item.line is None else ()
            links.append(Control(box, "link" if lines else "button", lines, icons))
    return links
