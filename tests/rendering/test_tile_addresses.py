from __future__ import annotations

import pytest

from screenmark.rendering.tile_addresses import TileAddress, tile_address


@pytest.mark.parametrize(
    ("url", "tile"),
    [
        ("https://a.tile.openstreetmap.org/7/108/49.png", TileAddress(7, 108, 49)),
        ("https://d.basemaps.cartocdn.com/light_all/5/27/12@2x.png", TileAddress(5, 27, 12, 2)),
        ("https://tiles.example.com/maps/3/1/2", TileAddress(3, 1, 2)),
        (
            "https://server.arcgisonline.com/ArcGIS/rest/services/World_Imagery/MapServer/tile/5/12/27",
            TileAddress(5, 27, 12),
        ),
        ("https://api.vworld.kr/req/wmts/1.0.0/KEY/Base/7/49/108.png", TileAddress(7, 108, 49)),
        ("https://mt1.google.com/vt/lyrs=m&x=108&y=49&z=7", TileAddress(7, 108, 49)),
        ("https://t0.tiles.virtualearth.net/tiles/r1202.jpeg", TileAddress(4, 8, 5)),
        (
            "https://example.com/wmts?TileMatrix=EPSG:3857:7&TileRow=49&TileCol=108",
            TileAddress(7, 108, 49),
        ),
        (
            "https://api.mapbox.com/v4/mapbox.mapbox-streets-v8/3/1/2.vector.pbf?access_token=x",
            TileAddress(3, 1, 2, vector=True),
        ),
    ],
)
def test_what_servers_write(url: str, tile: TileAddress) -> None:
    assert tile_address(url) == tile


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/2024/01/15.png",
        "https://example.com/3/1/9.png",
        "https://example.com/logo.png",
        "https://example.com/api?x=1&y=2",
        "https://example.com/wms?x=a&y=b&z=c",
    ],
)
def test_what_is_no_tile(url: str) -> None:
    assert tile_address(url) is None
