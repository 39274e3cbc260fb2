"""Readings of maps made up for checks."""

from __future__ import annotations

from typing import Any

import msgspec

from screenmark.benchmarks.map_judging.map_checks import map_checks
from screenmark.benchmarks.map_judging.map_checks.geodesy import MEAN_KM
from screenmark.benchmarks.map_judging.samples import Output, Picture, Task
from screenmark.rendering.maps import Feature, Furniture, LiveMap, MapLayer, MapReading, MapView

Position = tuple[float, float]


def point(at: Position, **more: Any) -> Feature:
    return Feature(
        **{"layer": 0, "kind": "marker", **more},
        geometry={"type": "Point", "coordinates": list(at)},
    )


def line(*positions: Position, **more: Any) -> Feature:
    return Feature(
        **{"layer": 1, "kind": "path", **more},
        geometry={"type": "LineString", "coordinates": [list(at) for at in positions]},
    )


def polygon(*positions: Position, **more: Any) -> Feature:
    ring = [list(at) for at in (*positions, positions[0])]
    return Feature(
        **{"layer": 2, "kind": "path", **more},
        geometry={"type": "Polygon", "coordinates": [ring]},
    )


def box(west: float, south: float, east: float, north: float, **more: Any) -> Feature:
    return polygon((west, south), (east, south), (east, north), (west, north), **more)


def ellipse(centre: Position, x: float, y: float, **more: Any) -> Feature:
    """A polygon whose half-axes are so many degrees of longitude and latitude."""
    import math

    turns = [math.radians(angle) for angle in range(0, 360, 3)]
    return polygon(
        *((centre[0] + x * math.cos(t), centre[1] + y * math.sin(t)) for t in turns), **more
    )


def disc(centre: Position, km: float, **more: Any) -> Feature:
    """A small circle on the ground, as a polygon."""
    import math

    y = math.degrees(km / MEAN_KM)
    return ellipse(centre, y / math.cos(math.radians(centre[1])), y, **more)


def reading(
    *features: Feature,
    engine: str = "leaflet",
    view: tuple[float, float, float, float] | None = (-180, -85, 180, 85),
    titles: list[str] | None = None,
    legends: list[str] | None = None,
    labels: list[str] | None = None,
    view_words: dict[str, str] | None = None,
    **more: Any,
) -> MapReading:
    layers = [MapLayer(name=f"l{n}") for n in range(6)]
    views = [MapView(bbox=view, **(view_words or {}))]  # type: ignore[arg-type]
    live = LiveMap(engine=engine, views=views, layers=layers, features=list(features))
    around = Furniture(titles=titles or [], legends=legends or [], labels=labels or [])
    return MapReading(maps=[live], furniture=around, **more)


def page(*readings: MapReading, dominant: float = 0.5, record: Any = None) -> Output:
    return Output(
        model="m",
        path="1.html",
        file="1.png",
        file_type="html_screenshot",
        picture=Picture(width=9, height=9, dominant=dominant, colours=9),
        page=record or {"blocked": [], "script_errors": []},
        maps=msgspec.to_builtins(list(readings)),
    )


def statuses(
    expected: dict[str, Any] | None, *readings: MapReading, prompt: str = "p", **more: Any
) -> dict[str, str]:
    """Status of each check by its name."""
    return {
        name: check[0]
        for name, check in checked(expected, *readings, prompt=prompt, **more).items()
    }


def checked(
    expected: dict[str, Any] | None, *readings: MapReading, prompt: str = "p", **more: Any
) -> dict[str, tuple[str, str]]:
    """Status and detail of each check by its name."""
    task = Task(number=1, level="", prompt=prompt, expectations=expected)
    made = map_checks(task, page(*readings, **more))
    assert len({check.check for check in made}) == len(made)
    return {check.check: (check.status, check.detail) for check in made}
