"""TopoJSON to shapes on a flat map.

The rings of Natural Earth's TopoJSON are closed over the antimeridian, for maps on a sphere.
Drawn flat they would streak across the world, so they are unwrapped, closed around a pole where
they surround one, and cut at 180 degrees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_POLE = 90.0
_HALF = 180.0
_FEWEST = 4  # Points of a closed ring that bounds an area.


def decode_shapes(topology: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The polygons of one object of a TopoJSON file.

    Args:
        topology: the parsed file.
        name: the object, as ``countries``.

    Yields:
        The ``name`` property and a valid shapely Polygon in degrees (longitude, latitude); a
        country of several parts comes several times.
    """
    arcs = _arcs(topology)
    for shape in topology["objects"][name]["geometries"]:
        called = str((shape.get("properties") or {}).get("name", ""))
        for part in _parts(shape):
            rings = [_ring(arcs, indices) for indices in part]
            for polygon in _flat([ring for ring in rings if len(ring) >= _FEWEST]):
                yield called, polygon


def _parts(shape: Any) -> list[Any]:
    """The polygons of a shape, each a list of rings; none for points and lines."""
    kind = shape.get("type")
    if kind == "Polygon":
        return [shape["arcs"]]
    return list(shape["arcs"]) if kind == "MultiPolygon" else []


def _arcs(topology: Any) -> list[Any]:
    """Arcs as arrays of shape (n, 2) in degrees."""
    import numpy as np

    arcs = [np.asarray(arc, dtype=float) for arc in topology["arcs"]]
    if "transform" not in topology:
        return arcs
    scale = np.asarray(topology["transform"]["scale"])
    shift = np.asarray(topology["transform"]["translate"])
    return [np.cumsum(arc, axis=0) * scale + shift for arc in arcs]


def _ring(arcs: list[Any], indices: list[int]) -> Any:
    import numpy as np

    pieces = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in indices]
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])


def _unwrap(ring: Any) -> Any:
    """A ring without jumps of 360 degrees, closed over the pole that it surrounds."""
    import numpy as np

    ring = ring.copy()
    jumps = np.diff(ring[:, 0])
    turns = np.where(jumps > _HALF, 1, np.where(jumps < -_HALF, -1, 0))
    ring[1:, 0] -= 360 * np.cumsum(turns)
    if abs(ring[-1, 0] - ring[0, 0]) <= _HALF:
        return ring
    pole = _POLE if ring[:, 1].mean() > 0 else -_POLE
    return np.vstack([ring, [ring[-1, 0], pole], [ring[0, 0], pole], ring[0]])


def _flat(rings: list[Any]) -> Iterator[Any]:
    import shapely

    if not rings:
        return
    whole = shapely.make_valid(shapely.Polygon(_unwrap(rings[0]), [_unwrap(r) for r in rings[1:]]))
    for turn in (-1, 0, 1):
        west = -_HALF + 360 * turn
        piece = shapely.clip_by_rect(whole, west, -_POLE, west + 360, _POLE)
        for part in shapely.get_parts(piece):
            if part.geom_type == "Polygon" and not part.is_empty:
                yield shapely.transform(part, lambda points, t=turn: points - [360 * t, 0])
