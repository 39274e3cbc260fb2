"""Which tile an address of a map server means."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import msgspec

MOST_ZOOM = 22


class TileAddress(msgspec.Struct, frozen=True):
    """A tile of the world in Web Mercator.

    Attributes:
        zoom, column, row: counted from the north-west.
        scale: 2 for one of 512 pixels a side, else 1.
        vector: whether shapes are asked for and not a picture.
    """

    zoom: int
    column: int
    row: int
    scale: int = 1
    vector: bool = False


_PATH = re.compile(
    r"/(?P<z>\d{1,2})/(?P<a>\d+)/(?P<b>\d+)(?P<scale>@2x)?"
    r"(?:\.(?P<kind>png|jpe?g|webp|gif|pbf|mvt|vector\.pbf)\d*)?/?"
)
_ROW_FIRST = re.compile(r"/(?:tile|MapServer/tile)/\d+/\d+/\d+|/wmts/", re.I)
_QUADKEY = re.compile(r"/(?:tiles/)?[arh]([0-3]{1,22})(?:\.(?:png|jpe?g))?")
_NAMES = {
    "z": ("z", "zoom", "tilematrix"),
    "column": ("x", "tilecol"),
    "row": ("y", "tilerow"),
}


def tile_address(url: str) -> TileAddress | None:
    """The tile that an address asks for, or None where it is no tile's.

    Understands ``/z/x/y.png`` with ``@2x``, servers that write the row first (ArcGIS, WMTS),
    quad keys, and x, y and z as parameters.
    """
    parts = urlsplit(url)
    found = _by_path(parts.path) or _by_quadkey(parts.path)
    # Some servers write parameters into the path: /vt/lyrs=m&x=1&y=2&z=3
    found = found or _by_parameters(parts.query or parts.path.rsplit("/", 1)[-1])
    if found is None or found.zoom > MOST_ZOOM or found.row >= 1 << found.zoom:
        return None
    return found


def _by_path(path: str) -> TileAddress | None:
    match = re.search(_PATH.pattern + r"$", path)
    if match is None:
        return None
    zoom, column, row = int(match["z"]), int(match["a"]), int(match["b"])
    if _ROW_FIRST.search(path):
        column, row = row, column
    vector = bool(match["kind"]) and match["kind"].endswith(("pbf", "mvt"))
    return TileAddress(zoom, column, row, 2 if match["scale"] else 1, vector)


def _by_quadkey(path: str) -> TileAddress | None:
    match = _QUADKEY.fullmatch(path)
    if match is None:
        return None
    column = row = 0
    for digit in match[1]:
        column, row = column << 1 | int(digit) & 1, row << 1 | int(digit) >> 1
    return TileAddress(len(match[1]), column, row)


def _by_parameters(query: str) -> TileAddress | None:
    given = {name.lower(): value for name, value in parse_qsl(query)}
    numbers = {}
    for part, names in _NAMES.items():
        text = next((given[name] for name in names if name in given), "")
        digits = re.search(r"(\d{1,8})$", text)  # A matrix may be called EPSG:3857:5.
        if digits is None:
            return None
        numbers[part] = int(digits[1])
    return TileAddress(numbers["z"], numbers["column"], numbers["row"])
