"""Shapes of countries that pages fetch from well-known public addresses.

Three files with the outlines of all countries are in countless tutorials, and in the pages of
models that have read them. The shapes are Natural Earth's in all of them, with a name and a code
for each, so that what is kept here can stand in for them. Other files carry numbers too, which
are not kept here and cannot be made up.
"""

from __future__ import annotations

import asyncio
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from screenmark.jsonfile import read_json
from screenmark.rendering.record import Blocked, Served
from screenmark.rendering.routes import Answer, Asked
from screenmark.rendering.topology import decode_shapes

if TYPE_CHECKING:
    from screenmark.rendering.assets import AssetStore

SOURCE: Final = "data"
"""What stands in the record as the source of such files."""

_HOSTS: Final = r"https://(?:raw\.githubusercontent\.com/|cdn\.jsdelivr\.net/gh/)"
_WORLD: Final = re.compile(
    _HOSTS + r"(?:"
    r"johan/world\.geo\.json[/@][\w.-]+/countries(?:\.geo\.json|/(?P<one>[A-Z]{3})\.geo\.json)"
    r"|datasets/geo-countries[/@][\w.-]+/data/countries\.geojson"
    r"|holtzy/D3-graph-gallery[/@][\w.-]+/DATA/world\.geojson"
    r"|python-visualization/folium(?:-example-data)?[/@][\w.-]+/(?:examples/data/)?"
    r"world[-_]countries\.json)"
)
_ATLAS: Final = "countries-50m.json"
_DIGITS: Final = 3

# Natural Earth's full names, which the public files have, where the atlas shortens them.
_NAMES: Final = {
    "Antigua and Barb.": "Antigua and Barbuda",
    "Bosnia and Herz.": "Bosnia and Herzegovina",
    "Central African Rep.": "Central African Republic",
    "Côte d'Ivoire": "Ivory Coast",
    "Czechia": "Czech Republic",
    "Congo": "Republic of the Congo",
    "Dem. Rep. Congo": "Democratic Republic of the Congo",
    "Dominican Rep.": "Dominican Republic",
    "Eq. Guinea": "Equatorial Guinea",
    "Falkland Is.": "Falkland Islands",
    "Fr. S. Antarctic Lands": "French Southern and Antarctic Lands",
    "N. Cyprus": "Northern Cyprus",
    "S. Sudan": "South Sudan",
    "Serbia": "Republic of Serbia",
    "Solomon Is.": "Solomon Islands",
    "Tanzania": "United Republic of Tanzania",
    "W. Sahara": "Western Sahara",
}


class DataSource:
    """Files of countries.

    Args:
        store: the folder with the packages that they are made from.
    """

    def __init__(self, store: AssetStore) -> None:
        self._store = store

    async def answer(self, asked: Asked) -> Answer | Blocked | None:
        match = _WORLD.fullmatch(asked.url.partition("?")[0])
        if match is None:
            return None
        atlas = self._store.find("world-atlas", "", _ATLAS)
        codes = self._store.find("i18n-iso-countries", "", "codes.json")
        if atlas is None or codes is None:
            return None
        features = await asyncio.to_thread(_countries, atlas.file, codes.file)
        if match["one"]:
            features = [feature for feature in features if feature["id"] == match["one"]]
        body = msgspec.json.encode({"type": "FeatureCollection", "features": features})
        served = Served(
            url=asked.url[:500],
            kind=asked.kind,
            source=SOURCE,
            package="world-atlas",
            version=atlas.version,
            path=_ATLAS,
            substituted="Natural Earth's countries at 1:50m, with names and codes",
        )
        return Answer(body, "application/json", served)


@lru_cache(maxsize=1)
def _countries(atlas: Path, codes: Path) -> list[dict[str, Any]]:
    """GeoJSON features, with the names of properties that the public files have."""
    import shapely

    topology = read_json(atlas)
    numbers = {row[2]: row for row in read_json(codes)}
    ids = {
        shape["properties"]["name"]: numbers.get(str(shape.get("id", "")), ["-99", "-99"])
        for shape in topology["objects"]["countries"]["geometries"]
    }
    shapes: dict[str, list[Any]] = {}
    for name, polygon in decode_shapes(topology, "countries"):
        shapes.setdefault(name, []).append(polygon)
    features = []
    for short, polygons in shapes.items():
        two, three = ids[short][:2]
        name = _NAMES.get(short, short)
        whole = polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)
        rounded = shapely.transform(whole, lambda points: points.round(_DIGITS))
        features.append(
            {
                "type": "Feature",
                "id": three,
                "properties": {
                    "name": name,
                    "ADMIN": name,
                    "ISO_A3": three,
                    "ISO_A2": two,
                    "ISO3166-1-Alpha-3": three,
                    "ISO3166-1-Alpha-2": two,
                },
                "geometry": shapely.geometry.mapping(rounded),
            }
        )
    return sorted(features, key=lambda feature: str(feature["properties"]["name"]))
