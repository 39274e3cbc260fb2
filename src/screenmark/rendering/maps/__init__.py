"""What the maps of a live page hold, read from the engines that draw them.

::

    async with renderer.open("map.html", init_scripts=MAP_SCRIPTS) as live:
        await live.ready()
        readings = await read_maps(live)        # one MapReading a frame
"""

from screenmark.rendering.maps.reading import MAP_SCRIPTS, read_maps
from screenmark.rendering.maps.structs import (
    Feature,
    Furniture,
    LiveMap,
    MapLayer,
    MapReading,
    MapView,
)

__all__ = [
    "MAP_SCRIPTS",
    "Feature",
    "Furniture",
    "LiveMap",
    "MapLayer",
    "MapReading",
    "MapView",
    "read_maps",
]
