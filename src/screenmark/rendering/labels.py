"""Which names stand on the base map at a zoom, and where."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from screenmark.rendering.basemap import Place

TILE = 256
"""Side of a tile in pixels."""

COUNTRY_ZOOMS = (2, 8)
"""First and last zoom at which countries are named."""

_CITY_SIZES = {3: 9e6, 4: 4e6, 5: 1.5e6, 6: 5e5, 7: 1.5e5, 8: 4e4}
"""Smallest population of a city that is named, by zoom; above the last, every city is."""

_OVERHANG = 1.7  # A country's name may be that much wider than the country is large.
_GAP = 4
_DOT = 5
_BUCKET = 128


class Label(msgspec.Struct, frozen=True):
    """A name at its place.

    Attributes:
        text: the name.
        x, y: of the place, in pixels of the whole world at this zoom.
        box: [x1, y1, x2, y2] of the text, in the same pixels.
        city: whether a dot stands at the place.
    """

    text: str
    x: float
    y: float
    box: tuple[float, float, float, float]
    city: bool


@cache
def font(city: bool, scale: int = 1) -> Any:
    """The typeface that comes with Pillow, so that names look the same everywhere."""
    from PIL import ImageFont

    return ImageFont.load_default((12 if city else 13) * scale)


def place_labels(places: Sequence[Place], zoom: int) -> list[Label]:
    """The names for one zoom, of which no two touch; earlier places win.

    They are placed for the whole world at once, so that neighbouring tiles agree.
    """
    world = float(TILE << zoom)
    taken: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}
    labels = []
    # Large cities before small countries, but after the large ones.
    for place in sorted(places, key=_rank):
        if not _wanted(place, zoom, world):
            continue
        label = _label(place, world)
        cells = list(_cells(label.box))
        if any(_touch(label.box, other) for cell in cells for other in taken.get(cell, ())):
            continue
        for cell in cells:
            taken.setdefault(cell, []).append(label.box)
        labels.append(label)
    return labels


def _rank(place: Place) -> tuple[float, str]:
    weight = place.size / 4e7 if place.city else place.size * 12
    return (-weight, place.name)


def _wanted(place: Place, zoom: int, world: float) -> bool:
    if place.city:
        smallest = _CITY_SIZES.get(zoom, 0.0 if zoom > max(_CITY_SIZES) else float("inf"))
        return place.size >= smallest
    first, last = COUNTRY_ZOOMS
    if not first <= zoom <= last:
        return False
    return bool(font(False).getlength(place.name) <= place.size * world * _OVERHANG)


def _label(place: Place, world: float) -> Label:
    x, y = place.x * world, place.y * world
    face = font(place.city)
    width, height = face.getlength(place.name), float(face.size)
    left = x + _DOT if place.city else x - width / 2
    box = (left, y - height / 2, left + width, y + height / 2)
    return Label(place.name, x, y, box, place.city)


def _cells(box: tuple[float, float, float, float]) -> list[tuple[int, int]]:
    columns = range(int(box[0] // _BUCKET), int(box[2] // _BUCKET) + 1)
    rows = range(int(box[1] // _BUCKET), int(box[3] // _BUCKET) + 1)
    return [(column, row) for column in columns for row in rows]


def _touch(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return (
        one[0] - _GAP < other[2]
        and other[0] - _GAP < one[2]
        and one[1] - _GAP < other[3]
        and other[1] - _GAP < one[3]
    )
