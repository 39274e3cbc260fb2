"""Tiles of the base map, drawn here: the same bytes for the same tile on every machine."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screenmark.rendering.basemap import LEVELS, BaseMap, load_level, load_places
from screenmark.rendering.labels import TILE, Label, font, place_labels

if TYPE_CHECKING:
    from PIL import Image as pillow

MOST_ZOOM = 22

_WATER = (203, 222, 236)
_LAND = (243, 240, 232)
_BORDER = (166, 156, 170)
_TEXT = {True: (70, 70, 78), False: (112, 92, 120)}
_HALO = (252, 251, 248)
_FINER = 2  # Shapes are drawn that much larger and reduced, which smooths their edges.
_KEPT = 1024


class TileDrawer:
    """Draws tiles of a prepared base map; may be called from several threads.

    Args:
        folder: as filled by `basemap.prepare`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._levels: dict[str, BaseMap] = {}
        self._labels: dict[int, tuple[list[Label], Any]] = {}
        self._lock = threading.Lock()
        self._draw = lru_cache(_KEPT)(self._drawn)

    def tile(self, zoom: int, column: int, row: int, scale: int = 1) -> bytes:
        """A tile as PNG.

        Args:
            zoom: 0 to 22.
            column, row: from the north-west; columns go round the world.
            scale: 1 for 256 pixels a side, 2 for 512.

        Raises:
            ValueError: there is no such tile.
        """
        side = 1 << zoom if 0 <= zoom <= MOST_ZOOM else 0
        if not 0 <= row < side or scale not in (1, 2):
            raise ValueError(f"no tile {zoom}/{column}/{row} at scale {scale}")
        with self._lock:
            return self._draw(zoom, column % side, row, scale)

    def _drawn(self, zoom: int, column: int, row: int, scale: int) -> bytes:
        image = self._shapes(zoom, column, row, scale)
        self._names(image, zoom, column, row, scale)
        file = io.BytesIO()
        image.save(file, "PNG", compress_level=1)
        return file.getvalue()

    def _shapes(self, zoom: int, column: int, row: int, scale: int) -> pillow.Image:
        from PIL import Image, ImageDraw

        size = TILE * scale * _FINER
        image = Image.new("RGB", (size, size), _WATER)
        draw = ImageDraw.Draw(image)
        world = 1 << zoom
        margin = 4 / TILE / world
        west, north = column / world - margin, row / world - margin
        side = 1 / world + 2 * margin
        box = (west, north, west + side, north + side)
        level = self._level(zoom)

        def pixels(line: Any) -> list[tuple[float, float]]:
            return [((x * world - column) * size, (y * world - row) * size) for x, y in line.coords]

        for part in _clipped(level.land, box):
            draw.polygon(pixels(part.exterior), fill=_LAND)
            for hole in part.interiors:
                draw.polygon(pixels(hole), fill=_WATER)
        for part in _clipped(level.borders, box):
            draw.line(pixels(part), fill=_BORDER, width=_FINER * scale)
        reduced: pillow.Image = image.reduce(_FINER)
        return reduced

    def _names(self, image: pillow.Image, zoom: int, column: int, row: int, scale: int) -> None:
        import shapely
        from PIL import ImageDraw

        labels, tree = self._placed(zoom)
        draw = ImageDraw.Draw(image)
        west, north = column * TILE, row * TILE
        for turn in (-1, 0, 1):  # A name near 180 degrees stands on both sides of it.
            shift = turn * (TILE << zoom)
            box = shapely.box(
                west + shift - 8, north - 8, west + shift + TILE + 8, north + TILE + 8
            )
            for index in sorted(tree.query(box)):
                _write(draw, labels[index], west + shift, north, scale)

    def _level(self, zoom: int) -> BaseMap:
        name = next(name for name, (first, last) in LEVELS.items() if first <= zoom <= last)
        if name not in self._levels:
            self._levels[name] = load_level(self._folder, name)
        return self._levels[name]

    def _placed(self, zoom: int) -> tuple[list[Label], Any]:
        import shapely

        if zoom not in self._labels:
            labels = place_labels(load_places(self._folder), zoom)
            boxes = [shapely.box(*label.box) for label in labels]
            self._labels[zoom] = (labels, shapely.STRtree(boxes))
        return self._labels[zoom]


@cache
def tile_drawer(folder: Path) -> TileDrawer:
    """The drawer of a folder; everybody in this process shares its tiles."""
    return TileDrawer(folder)


def _clipped(tree: Any, box: tuple[float, ...]) -> Iterator[Any]:
    import shapely

    for index in sorted(tree.query(shapely.box(*box))):
        for part in shapely.get_parts(shapely.clip_by_rect(tree.geometries[index], *box)):
            if part.geom_type in {"Polygon", "LineString"} and not part.is_empty:
                yield part


def _write(draw: Any, label: Label, west: float, north: float, scale: int) -> None:
    x, y = (label.x - west) * scale, (label.y - north) * scale
    left, middle = (label.box[0] - west) * scale, y
    if label.city:
        dot = 2 * scale
        draw.ellipse((x - dot, y - dot, x + dot, y + dot), fill=_TEXT[True], outline=_HALO)
    draw.text(
        (round(left), round(middle)),
        label.text,
        fill=_TEXT[label.city],
        font=font(label.city, scale),
        anchor="lm",
        stroke_width=2 * scale,
        stroke_fill=_HALO,
    )
