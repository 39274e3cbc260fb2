"""The base map kept on this machine: land, borders and names, ready to be drawn as tiles.

Made once from Natural Earth (public domain) as two packages carry it. Coordinates are those of
Web Mercator with the whole world as the unit square: x to the east, y to the south, origin in
the north-west.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from screenmark.jsonfile import read_json
from screenmark.rendering.glyphs import plain
from screenmark.rendering.topology import decode_shapes

FORMAT = "2"
"""Rises when the files or the look of tiles change."""

LEVELS = {"110m": (0, 2), "50m": (3, 6), "10m": (7, 22)}
"""Scale of the data to the zooms that it is drawn at."""

_CELLS = 32  # A side: pieces of land small enough to be cut to a tile in no time.
_OVERLAP = 1e-5
_LATITUDE = 85.0511
_CUT = 1e-8
_TINY = 4e-10  # Area of an island of a pixel at zoom 8.


class Place(msgspec.Struct, frozen=True):
    """A name on the map.

    Attributes:
        name: as it is written.
        x, y: position in the unit square.
        size: of a country, the square root of its largest part's area in the unit square; of a
            city, its population.
        city: whether it is a city, which gets a dot.
    """

    name: str
    x: float
    y: float
    size: float
    city: bool = False


class BaseMap(msgspec.Struct, frozen=True):
    """One scale of the base map, or the names.

    Attributes:
        land: polygons, cut into cells.
        borders: their outlines as lines, cut into the same cells.
    """

    land: Any
    borders: Any


def mercator(points: Any) -> Any:
    """Degrees to the unit square, array of shape (n, 2)."""
    import numpy as np

    latitude = np.radians(np.clip(points[:, 1], -_LATITUDE, _LATITUDE))
    y = (1 - np.log(np.tan(latitude) + 1 / np.cos(latitude)) / math.pi) / 2
    return np.column_stack([(points[:, 0] + 180) / 360, y])


def prepare(atlas: Path, cities: Path, folder: Path) -> None:
    """Make the base map's files.

    Args:
        atlas: folder of the npm package ``world-atlas``.
        cities: folder of the npm package ``city-timezones``.
        folder: where the files go; made if it is not there.
    """
    import shapely

    folder.mkdir(parents=True, exist_ok=True)
    for level in LEVELS:
        topology = read_json(atlas / f"countries-{level}.json")
        named = [
            (name, shapely.transform(polygon, mercator))
            for name, polygon in decode_shapes(topology, "countries")
        ]
        if level == "50m":
            places = [*_countries(named), *_cities(read_json(cities / "data" / "cityMap.json"))]
            _write(folder / "places.json", msgspec.json.encode(places))
        polygons = [polygon for _, polygon in named if level == "10m" or polygon.area > _TINY]
        _write(folder / f"land-{level}.wkb", _cut(polygons))
        # Without the cuts at 180 degrees, which are no borders.
        inside = (_CUT, _CUT, 1 - _CUT, 1 - _CUT)
        lines = [shapely.clip_by_rect(shapely.boundary(p), *inside) for p in polygons]
        _write(folder / f"borders-{level}.wkb", _cut(lines))


def load_level(folder: Path, level: str) -> BaseMap:
    """One scale of a prepared base map."""
    import shapely

    def read(name: str) -> Any:
        whole = shapely.from_wkb((folder / f"{name}-{level}.wkb").read_bytes())
        return shapely.STRtree(shapely.get_parts(whole))

    return BaseMap(read("land"), read("borders"))


def load_places(folder: Path) -> list[Place]:
    """The names of a prepared base map, the most important first; countries before cities."""
    return msgspec.json.decode((folder / "places.json").read_bytes(), type=list[Place])


def is_prepared(folder: Path) -> bool:
    """Whether `prepare` has been here and come to its end."""
    return (folder / "borders-10m.wkb").is_file()


def _countries(named: list[tuple[str, Any]]) -> Iterator[Place]:
    import shapely

    largest: dict[str, Any] = {}
    for name, polygon in named:
        if name and (name not in largest or polygon.area > largest[name].area):
            largest[name] = polygon
    for name, polygon in sorted(largest.items(), key=lambda item: -item[1].area):
        radius = shapely.maximum_inscribed_circle(polygon, tolerance=polygon.length / 200)
        x, y = radius.coords[0]
        yield Place(plain(name), round(x, 7), round(y, 7), round(math.sqrt(polygon.area), 7))


def _cities(rows: list[dict[str, Any]]) -> Iterator[Place]:
    import numpy as np

    for row in sorted(rows, key=lambda row: (-float(row["pop"] or 0), row["city"])):
        where = np.array([[float(row["lng"]), float(row["lat"])]])
        x, y = mercator(where)[0].tolist()
        name = plain(str(row["city_ascii"] or row["city"]))
        yield Place(name, round(x, 7), round(y, 7), float(row["pop"] or 0), city=True)


def _cut(shapes: list[Any]) -> bytes:
    """Shapes cut into the cells of a grid, as one WKB collection."""
    import shapely

    tree = shapely.STRtree(shapes)
    pieces: list[Any] = []
    for row in range(_CELLS):
        for column in range(_CELLS):
            west, north = column / _CELLS - _OVERLAP, row / _CELLS - _OVERLAP
            side = 1 / _CELLS + 2 * _OVERLAP
            box = (west, north, west + side, north + side)
            for index in sorted(tree.query(shapely.box(*box))):
                piece = shapely.clip_by_rect(shapes[index], *box)
                pieces += [p for p in shapely.get_parts(piece) if not p.is_empty]
    return bytes(shapely.to_wkb(shapely.GeometryCollection(pieces)))


def _write(path: Path, data: bytes) -> None:
    """Write a file so that it is whole or not there."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_bytes(data)
    partial.replace(path)
