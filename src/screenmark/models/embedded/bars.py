"""Links and tools of horizontal bars, whose boxes reach past what is drawn.

Like rows of menus they have no frame of their own; half the gap to the neighbours, up to about
one font size, is theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from screenmark.models.embedded.controls import Control
from screenmark.models.embedded.ink import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from screenmark.models.embedded.panels import Item
    from screenmark.models.embedded.typography import SetLine

_BAR_HEIGHT_EMS = 6
_LINK_EMS = 2.5
_PADDING_EMS = 1.0
_NEAR_EMS = 3.5
_GROUP_GAP = 0.45
_MIN_ICON_EM, _MAX_ICON_EM = 12, 20
_NARROW = 1.5
_TOP = 8


def find_bar_links(
    items: Sequence[Item], separators: Sequence[Box], page_width: int
) -> list[Control]:
    """Items of horizontal bars, each grown towards its neighbours.

    Icons grow in every bar; text only in the bar at the top of the page, because a title in the
    head of a card or a cell of a striped table looks the same as a link. Breadcrumbs stay as
    they are, and so do narrow symbols, which are mostly arrows behind a label.
    """
    links: list[Control] = []
    for bar, members in _bars(items):
        groups = _groups(members)
        if not _is_bar(bar, groups):
            continue
        on_top = bar[1] <= _TOP and bar[2] - bar[0] >= page_width / 2
        for i, group in enumerate(groups):
            room = (
                group.box[0] - (groups[i - 1].box[2] if i else bar[0]),
                (groups[i + 1].box[0] if i + 1 < len(groups) else bar[2]) - group.box[2],
            )
            near = (i > 0 and room[0] <= _NEAR_EMS * group.em) or (
                i + 1 < len(groups) and room[1] <= _NEAR_EMS * group.em
            )
            if (group.has_words and not (on_top and near)) or group.is_narrow:
                continue
            if any(_beside(separator, group.box) for separator in separators):
                continue
            links.append(_bar_link(group, bar, room))
    return links


@dataclass(frozen=True)
class _Group:
    """Items of a bar that touch or nearly do; `em` is the size of its text or its icon."""

    box: Box
    em: float
    lines: tuple[SetLine, ...]
    icons: tuple[Box, ...]
    has_words: bool

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2

    @property
    def is_narrow(self) -> bool:
        width, height = self.box[2] - self.box[0], self.box[3] - self.box[1]
        return not self.lines and (height > _NARROW * width or max(width, height) < 8)


def _bars(items: Sequence[Item]) -> list[tuple[Box, list[Item]]]:
    """Group items of one panel whose room has the same top and bottom."""
    bars: list[list[Item]] = []
    for item in sorted(items, key=lambda i: (i.panel, i.room[1], i.room[3], i.box)):
        for bar in bars:
            first = bar[0]
            same = abs(first.room[1] - item.room[1]) <= 3 and abs(first.room[3] - item.room[3]) <= 3
            if first.panel == item.panel and same:
                bar.append(item)
                break
        else:
            bars.append([item])
    return [
        (
            (
                min(item.room[0] for item in bar),
                bar[0].room[1],
                max(item.room[2] for item in bar),
                bar[0].room[3],
            ),
            bar,
        )
        for bar in bars
    ]


def _groups(items: Sequence[Item]) -> list[_Group]:
    clusters: list[list[Item]] = []
    reach = float("-inf")
    for item in sorted(items, key=lambda item: item.box[0]):
        height = item.box[3] - item.box[1]
        if clusters and item.box[0] - reach < _GROUP_GAP * height:
            clusters[-1].append(item)
        else:
            clusters.append([item])
        reach = max(reach, item.box[2])
    return [_group(cluster) for cluster in clusters]


def _group(items: Sequence[Item]) -> _Group:
    lines = tuple(item.line for item in items if item.line is not None)
    icons = tuple(item.box for item in items if item.line is None)
    words = [line for line in lines if line.is_word]
    boxes = [item.box if item.line is None else item.line.ink for item in items]
    if words:
        boxes += [line.box for line in words]
    box = (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )
    em = words[0].em if words else float(min(_MAX_ICON_EM, max(_MIN_ICON_EM, box[3] - box[1])))
    # A number without an icon is text too, a lone "3" on an icon is its badge.
    return _Group(box, em, lines, icons, bool(words) or not icons)


def _is_bar(bar: Box, groups: Sequence[_Group]) -> bool:
    """True for a low panel with at least two groups on one row."""
    if len(groups) < 2:
        return False
    ems = sorted(group.em for group in groups)
    middles = sorted(group.middle for group in groups)
    em, middle = ems[len(ems) // 2], middles[len(middles) // 2]
    return bar[3] - bar[1] <= _BAR_HEIGHT_EMS * em and all(
        abs(group.middle - middle) <= 0.6 * em for group in groups
    )


def _beside(separator: Box, box: Box) -> bool:
    height = box[3] - box[1]
    overlaps = separator[1] < box[3] and box[1] < separator[3]
    return overlaps and max(box[0] - separator[2], separator[0] - box[2]) < height


def _bar_link(group: _Group, bar: Box, room: tuple[int, int]) -> Control:
    padding = _PADDING_EMS * group.em
    half = _LINK_EMS * group.em / 2
    box = (
        round(group.box[0] - max(0.0, min(padding, room[0] / 2))),
        max(bar[1], min(group.box[1], round(group.middle - half))),
        round(group.box[2] + max(0.0, min(padding, room[1] / 2))),
        min(bar[3], max(group.box[3], round(group.middle + half))),
    )
    return Control(box, "link" if group.has_words else "button", group.lines, group.icons)
