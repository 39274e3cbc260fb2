"""Answers requests for base maps: tiles, styles, letters and icons."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import msgspec

from screenmark.rendering.basemap import is_prepared
from screenmark.rendering.glyphs import glyph_range
from screenmark.rendering.package_source import FETCH
from screenmark.rendering.record import Blocked, Served
from screenmark.rendering.routes import Answer, Asked, refusal
from screenmark.rendering.tile_addresses import TileAddress, tile_address
from screenmark.rendering.tiles import tile_drawer

if TYPE_CHECKING:
    from screenmark.rendering.assets import AssetStore

HOST = "basemap.screenmark.localhost"
"""Where the local style says that its tiles and letters are."""

_STYLE = re.compile(r"/style\.json$|/styles?/(?:v1/)?[\w./-]+$|/gl/[\w-]+/[\w.-]+\.json$")
_GLYPHS = re.compile(r"/([^/]+)/(\d+)-(\d+)\.pbf$")
_SPRITE = re.compile(r"/sprites?(?:/[\w-]+)?(?:@2x)?\.(json|png)$")
_DATA = frozenset({"fetch", "xhr"})

# Names of layers in well-known styles, below which pages put their own.
_KNOWN_LAYERS = (
    "waterway-label",
    "waterway_label",
    "watername_ocean",
    "water_name",
    "road-label",
    "road-label-simple",
    "road_label",
    "poi-label",
    "poi_label",
    "place-label",
    "place_label",
    "settlement-label",
    "settlement-subdivision-label",
    "state-label",
    "country-label",
    "place_city_r5",
    "place_country_1",
    "building",
    "admin-1-boundary-bg",
    "aeroway-line",
    "tunnel-street-minor-low",
    "land-structure-line",
)


class MapSource:
    """Base maps drawn from Natural Earth, whoever was asked for one.

    Args:
        store: the folder with the prepared base map.
    """

    def __init__(self, store: AssetStore) -> None:
        self._store = store
        self._drawer = tile_drawer(store.basemap)

    async def answer(self, asked: Asked) -> Answer | Blocked | None:
        path = unquote(urlsplit(asked.url).path)
        if asked.kind in _DATA and (match := _GLYPHS.search(path)):
            return await self._glyphs(asked, match[1], int(match[2]))
        if asked.kind in _DATA | {"image"}:
            address = tile_address(asked.url)
            if address is not None:
                return await self._tile(asked, address)
        if asked.kind in _DATA and (match := _SPRITE.search(path)):
            return _sprite(asked, match[1])
        if asked.kind in _DATA and _STYLE.search(path):
            return _style(asked)
        return None

    async def _tile(self, asked: Asked, address: TileAddress) -> Answer | Blocked:
        if address.vector:
            served = Served(
                url=asked.url[:500],
                kind=asked.kind,
                source="empty",
                substituted="an empty vector tile",
            )
            return Answer(b"", "application/x-protobuf", served)
        if not is_prepared(self._store.basemap):
            return refusal(asked, f"the base map is not kept here; {FETCH}")
        body = await asyncio.to_thread(
            self._drawer.tile, address.zoom, address.column, address.row, address.scale
        )
        return Answer(body, "image/png", tile_of=urlsplit(asked.url).hostname or "")

    async def _glyphs(self, asked: Asked, stack: str, first: int) -> Answer:
        body = await asyncio.to_thread(glyph_range, stack, first - first % 256)
        served = Served(url=asked.url[:500], kind=asked.kind, source="glyphs")
        return Answer(body, "application/x-protobuf", served)


def _style(asked: Asked) -> Answer:
    style = {
        "version": 8,
        "name": "Screenmark base map",
        "glyphs": f"https://{HOST}/glyphs/{{fontstack}}/{{range}}.pbf",
        "sources": {
            "basemap": {
                "type": "raster",
                "tiles": [f"https://{HOST}/tiles/{{z}}/{{x}}/{{y}}.png"],
                "tileSize": 256,
            }
        },
        "layers": [
            {"id": "background", "type": "background", "paint": {"background-color": "#cbdeec"}},
            {
                "id": "basemap",
                "type": "raster",
                "source": "basemap",
                "paint": {"raster-fade-duration": 0},
            },
            *(
                {"id": name, "type": "background", "layout": {"visibility": "none"}}
                for name in _KNOWN_LAYERS
            ),
        ],
    }
    served = Served(
        url=asked.url[:500], kind=asked.kind, source="style", substituted="the local base map"
    )
    return Answer(msgspec.json.encode(style), "application/json", served)


def _sprite(asked: Asked, kind: str) -> Answer:
    served = Served(url=asked.url[:500], kind=asked.kind, source="empty", substituted="no icons")
    if kind == "json":
        return Answer(b"{}", "application/json", served)
    return Answer(_transparent(), "image/png", served)


def _transparent() -> bytes:
    import io

    from PIL import Image

    file = io.BytesIO()
    Image.new("RGBA", (1, 1)).save(file, "PNG")
    return file.getvalue()
