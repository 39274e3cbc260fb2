"""Vertical menus, whose rows reach across the panel they stand on.

Such rows are rarely drawn with a frame, so their boxes are inferred from the rhythm of the page:
items of a menu share a left edge, a panel and a pitch.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from screenmark.models.embedded.controls import Control

if TYPE_CHECKING:
    from collections.abc import Sequence

    from screenmark.models.embedded.panels import Item

_MIN_ROWS = 4
_ALIGNED = 4
_PITCH_EMS = (1.9, 3.6)
_MENU_WIDTH_EMS = 24
_ICON_MENU_WIDTH = 96


def find_menus(items: Sequence[Item], controls: Sequence[Control]) -> list[Control]:
    """Rows of menus: at least four lines, or icons alone, at one edge of a narrow panel."""
    rows: list[Control] = []
    for members in _strips(items):
        words = [item for item in members if item.is_word]
        if words:
            anchors = [
                item
                for item in words
                if item.line is not None
                and item.room[2] - item.room[0] <= _MENU_WIDTH_EMS * item.line.em
                and _is_first_word(item, words)
            ]
            columns = _columns(anchors, centred=False)
        else:
            narrow = [i for i in members if i.room[2] - i.room[0] <= _ICON_MENU_WIDTH]
            columns = _columns(narrow, centred=True)
        for column in columns:
            rows += _menu_rows(column, items, controls)
    return rows


def _strips(items: Sequence[Item]) -> list[list[Item]]:
    """Group items of one panel whose room has the same left and right end."""
    strips: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (i.panel, i.room[0], i.room[2], i.box)):
        for strip in reversed(strips):
            first = strip[0]
            if first.panel != item.panel:
                strips.append([item])
                break
            if abs(first.room[0] - item.room[0]) <= 3 and abs(first.room[2] - item.room[2]) <= 3:
                strip.append(item)
                break
        else:
            strips.append([item])
    return strips


def _is_first_word(item: Item, words: Sequence[Item]) -> bool:
    return not any(
        abs(other.middle - item.middle) < (item.box[3] - item.box[1]) / 2
        and other.box[0] < item.box[0]
        for other in words
    )


def _columns(anchors: Sequence[Item], centred: bool) -> list[list[Item]]:
    def place(item: Item) -> float:
        return item.centre if centred else float(item.box[0])

    columns: list[list[Item]] = []
    for anchor in sorted(anchors, key=lambda item: (place(item), item.box[1])):
        for column in columns:
            if abs(place(column[0]) - place(anchor)) <= _ALIGNED:
                column.append(anchor)
                break
        else:
            columns.append([anchor])
    return [sorted(c, key=lambda item: item.middle) for c in columns if len(c) >= _MIN_ROWS]


def _menu_rows(
    column: list[Item], items: Sequence[Item], controls: Sequence[Control]
) -> list[Control]:
    sizes = sorted(item.line.em if item.line else 16.0 for item in column)
    em = sizes[len(sizes) // 2]
    steps = [lower.middle - upper.middle for upper, lower in pairwise(column)]
    regular = [step for step in steps if _PITCH_EMS[0] * em <= step <= _PITCH_EMS[1] * em]
    if len(regular) < max(2.0, 0.5 * len(steps)):
        return []
    height = min(regular)
    left, right = column[0].room[0], column[0].room[2]
    rows = []
    # A highlighted row is framed; it shows how wide and high the others are.
    for control in controls:
        low, high = control.box[1], control.box[3]
        inside = left <= control.box[0] and control.box[2] <= right
        tall = _PITCH_EMS[0] * em <= high - low <= 1.2 * height
        middle = (low + high) / 2
        next_to = min(abs(item.middle - middle) for item in column) <= 1.3 * height
        if inside and tall and next_to and _shares_edge(control, column):
            left, right = control.box[0], control.box[2]
            height = min(height, high - low)
            rows.append(replace(control, kind="link"))
    for item in column:
        top, bottom = round(item.middle - height / 2), round(item.middle + height / 2)
        row = [
            other
            for other in items
            if top <= other.middle <= bottom and left <= other.centre <= right
        ]
        texts = (member.line for member in row if member.line is not None)
        icons = tuple(member.box for member in row if member.line is None)
        lines = tuple(sorted(texts, key=lambda line: line.box[0]))
        rows.append(Control((left, top, right, bottom), "link", lines, icons))
    return rows


def _shares_edge(control: Control, column: Sequence[Item]) -> bool:
    starts = [line.box[0] for line in control.lines] + [icon[0] for icon in control.icons]
    return any(abs(start - column[0].box[0]) <= _ALIGNED for start in starts)
