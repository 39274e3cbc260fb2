"""Make the shapes by which map checks know countries and states.

    npm pack world-atlas@2.0.2 us-atlas@3.0.1
    mkdir world us && tar xzf world-atlas-*.tgz -C world && tar xzf us-atlas-*.tgz -C us
    pip download --no-deps pycountry==26.2.16 && unzip pycountry-*.whl -d pycountry
    python tools/bundle_world.py world/package us/package \\
        pycountry/pycountry/databases/iso3166-1.json

Shapes are Natural Earth's at 1:50m (public domain) and the US Census Bureau's at 1:10m (public
domain), simplified; ``tools/world_codes.tsv`` gives each its code and continent; further names
of countries are those of ISO 3166-1. ``--out`` writes elsewhere, ``--check`` only compares.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import shapely

from screenmark.rendering.topology import decode_shapes

_ROOT = Path(__file__).parent.parent
_OUT = _ROOT / "src/screenmark/benchmarks/map_judging/map_checks/data/world.json"
_CODES = _ROOT / "tools/world_codes.tsv"
_ABOUT = (
    "Natural Earth 1:50m countries (public domain, by way of world-atlas 2.0.2) and US states "
    "(US Census Bureau, public domain, by way of us-atlas 3.0.1), simplified; degrees, as the "
    "rings of polygons"
)
_STATES = "USA"
_COUNTRY_TOLERANCE = 0.09  # Degrees by which an outline may move.
_STATE_TOLERANCE = 0.135
_DIGITS = 2
_SMALLEST = 1.5  # Areas below this many squares of the tolerance are left out.
_DOT = 0.01  # Degrees around what is too small to have a shape.


def main() -> None:
    """Write the file, or say whether it would be the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("world_atlas", type=Path, help="unpacked npm package world-atlas")
    parser.add_argument("us_atlas", type=Path, help="unpacked npm package us-atlas")
    parser.add_argument("names", type=Path, help="iso3166-1.json of pycountry")
    parser.add_argument("--out", type=Path, default=_OUT)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    given = parser.parse_args()
    text = world(given.world_atlas, given.us_atlas, given.names)
    if given.check:
        same = given.out.read_text(encoding="utf-8") == text
        parser.exit(0 if same else 1, f"{given.out.name} is {'the same' if same else 'another'}\n")
    given.out.write_text(text, encoding="utf-8")


def world(world_atlas: Path, us_atlas: Path, names: Path) -> str:
    """The file's text."""
    with _CODES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    iso = {entry["alpha_3"]: entry for entry in _read(names)["3166-1"]}
    countries = _polygons(world_atlas / "countries-50m.json", "countries")
    states = _polygons(us_atlas / "states-10m.json", "states")
    whole: dict[str, Any] = {"about": _ABOUT, "countries": {}, "states": {}}
    for row in rows:
        name, code = row["name"], row["code"]
        if row["continent"] == _STATES:
            shape = simplified(states[name], _STATE_TOLERANCE)
            state = {"names": [name], "continent": "North America", "shape": shape}
            whole["states"][code] = state
        else:
            entry = iso.get(code, {})
            more = [entry.get(key) for key in ("common_name", "name", "official_name")]
            whole["countries"][code] = {
                "names": list(dict.fromkeys([name, *filter(None, more)])),
                "continent": row["continent"],
                "shape": simplified(countries[name], _COUNTRY_TOLERANCE),
            }
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def simplified(polygons: Sequence[Any], tolerance: float) -> list[Any]:
    """Polygons as lists of rings of [longitude, latitude], the largest first.

    What is smaller than a tolerance has the box around it.
    """
    joined = shapely.simplify(shapely.union_all(polygons), tolerance)
    sound = shapely.make_valid(shapely.set_precision(joined, 10**-_DIGITS))
    kept = [p for p in _parts(sound) if p.area > _SMALLEST * tolerance**2]
    if not kept:
        west, south, east, north = max(polygons, key=lambda p: p.area).bounds
        around = (west - _DOT, south - _DOT, east + _DOT, north + _DOT)
        kept = [shapely.box(*(round(edge, _DIGITS) for edge in around))]
    return [
        [
            [[round(x, _DIGITS), round(y, _DIGITS)] for x, y in ring.coords]
            for ring in (polygon.exterior, *polygon.interiors)
        ]
        for polygon in sorted(kept, key=lambda p: -p.area)
    ]


def _parts(shape: Any) -> Iterator[Any]:
    """The polygons of a shape, without the points and lines that are left of slivers."""
    for part in shapely.get_parts(shape):
        if part.geom_type == "Polygon":
            yield part
        elif part.geom_type == "MultiPolygon":
            yield from shapely.get_parts(part)


def _polygons(file: Path, name: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for called, polygon in decode_shapes(_read(file), name):
        found.setdefault(called, []).append(polygon)
    return found


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
