"""The elements of a page as something to search: texts, blank controls, labels of fields."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from screenmark.models.embedded.shapes import is_drawing
from screenmark.models.embedded.words import part, width_of

Place = tuple[float, float, float, float]
"""[x1, y1, x2, y2] in pixels, origin top left."""

_LINE_EMS = 1.4
_LABEL_ABOVE = 60
_BOX_SIDE = 32
_ROW_EMS = 2


@dataclass(frozen=True)
class Item:
    """One element: its type, what is written on it, its box in pixels, its drawing's name."""

    kind: str
    text: str
    box: Place
    shape: str = ""

    @property
    def x(self) -> float:
        return (self.box[0] + self.box[2]) / 2

    @property
    def y(self) -> float:
        return (self.box[1] + self.box[3]) / 2

    @property
    def width(self) -> float:
        return self.box[2] - self.box[0]

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]

    @property
    def is_blank(self) -> bool:
        """True for what shows a drawing and no words; two letters may be one that was read."""
        return self.kind not in {"text", "input"} and is_drawing(self.text)


@dataclass(frozen=True)
class Screen:
    """Items in reading order on a page of `width` times `height` pixels."""

    items: tuple[Item, ...]
    width: float
    height: float

    @property
    def blanks(self) -> list[Item]:
        """Controls and icons without words, and nothing that lies on another one of them."""
        kept: list[Item] = []
        for item in self.items:
            small = item.width <= 2.5 * _BOX_SIDE and item.height <= 2.5 * _BOX_SIDE
            if item.is_blank and small and not any(_same_place(item, other) for other in kept):
                kept.append(item)
        return kept


def screen_of(elements: Iterable[dict[str, Any]], size: tuple[int, int]) -> Screen:
    """A screen from element lists as the parser makes them, in pixels of a page of `size`."""
    items = []
    for element in elements:
        x1, y1, x2, y2 = element["coordinates"]
        items.append(
            Item(element["type"], element["description"], (x1, y1, x2, y2),
                 element.get("shape", ""))
        )  # fmt: skip
    return Screen(tuple(items), float(size[0]), float(size[1]))


def part_box(item: Item, wanted: str) -> Place:
    """The box of a few words of an item's text, judged by where they stand in the text.

    Lines of a paragraph are wrapped anew, since an element does not keep its line breaks.
    """
    span = part(wanted, item.text)
    if span is None or span == (0, len(item.text)):
        return item.box
    lines = wrap(item.text, item.width, item.height)
    longest = max(width_of(item.text[a:b]) for a, b in lines)
    em = item.width / longest if longest else item.width
    for number, (start, end) in enumerate(lines):
        if start <= span[0] < end:
            height = item.height / len(lines)
            x1 = item.box[0] + em * width_of(item.text[start : span[0]])
            x2 = item.box[0] + em * width_of(item.text[start : min(span[1], end)])
            if item.kind != "text" and len(lines) == 1 and item.width > 24 * width_of(item.text):
                return item.box  # A wide row: its text does not fill it.
            y1 = item.box[1] + number * height
            return x1, y1, x2, y1 + height
    return item.box


def wrap(text: str, width: float, height: float) -> list[tuple[int, int]]:
    """Spans of the lines that a text takes in a box, at the same number of ems in each line."""
    total = width_of(text)
    count = max(1, round(math.sqrt(height * total / (_LINE_EMS * max(width, 1.0)))))
    breaks = [i for i, char in enumerate(text) if char == " "] if " " in text else []
    places = breaks or list(range(1, len(text)))
    room = total / count
    while True:
        spans = _fill(text, places, room)
        if len(spans) <= count or room > total:
            return spans
        room *= 1.04


def _fill(text: str, places: Sequence[int], room: float) -> list[tuple[int, int]]:
    spans, start, last = [], 0, 0
    for place in [*places, len(text)]:
        if width_of(text[start:place].strip()) > room and last > start:
            spans.append((start, last))
            start = last
            while start < len(text) and text[start] == " ":
                start += 1
        last = place
    return [*spans, (start, len(text))]


def field_of(screen: Screen, label: Item) -> Item | None:
    """The field that a text is the label of: around it, below it, or to its right."""
    fields = [i for i in screen.items if i.kind == "input" or (i.kind == "button" and i.width > 60)]
    around = [f for f in fields if _inside(label, f)]
    if around:
        return min(around, key=lambda f: f.width * f.height)
    below = [
        f
        for f in fields
        if 0 <= f.box[1] - label.box[3] + 6 <= _LABEL_ABOVE
        and -12 <= label.box[0] - f.box[0] < f.width
    ]
    beside = [
        f
        for f in fields
        if f.box[1] <= label.y <= f.box[3] and 0 <= f.box[0] - label.box[2] <= _LABEL_ABOVE
    ]
    if below:
        return min(below, key=lambda f: f.box[1] - label.box[3] + abs(f.box[0] - label.box[0]) / 8)
    return min(beside, key=lambda f: f.box[0], default=None)


def box_before(screen: Screen, label: Item) -> Place:
    """The check box or radio button of a label: left of it, seen or supposed."""
    found = [
        i
        for i in screen.blanks
        if abs(i.y - label.y) <= max(label.height, 14)
        and 0 <= label.box[0] - i.box[2] + 4 <= _BOX_SIDE
    ]
    if found:
        return max(found, key=lambda i: i.box[2]).box
    if label.width > 3 * _ROW_EMS * label.height and label.kind != "text":
        # A row that holds both: the box is at its start.
        x = label.box[0] + 0.75 * label.height
        return x - 8, label.y - 8, x + 8, label.y + 8
    side = min(label.height, 16.0)
    x2 = label.box[0] - side / 2
    return x2 - side, label.y - side / 2, x2, label.y + side / 2


def switch_after(screen: Screen, label: Item) -> Place:
    """The switch of a row: the last blank control right of the label, else the row's end."""
    found = [
        i
        for i in screen.blanks
        if i.box[0] > label.box[0] and i.box[1] - 4 <= label.y <= i.box[3] + 4
    ]
    if found:
        return max(found, key=lambda i: i.x).box
    wide = label.width > screen.width / 3
    end = label.box[2] if wide else screen.width - max(label.box[0] - 14, 0)
    return end - 48, label.y - 14, end - 12, label.y + 14


def _inside(item: Item, other: Item) -> bool:
    return (
        item is not other
        and other.box[0] <= item.x <= other.box[2]
        and other.box[1] <= item.y <= other.box[3]
    )


def _same_place(item: Item, other: Item) -> bool:
    return abs(item.x - other.x) < 8 and abs(item.y - other.y) < 8
