"""Asks a live page for its maps."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from screenmark.rendering.maps.structs import MapReading
from screenmark.rendering.scripts import script

if TYPE_CHECKING:
    from screenmark.rendering.live import LivePage

MAP_SCRIPTS: Final = (script("maps_hooks.js"),)
"""To be run in a page before its own scripts."""

LIMITS: Final = {
    "features": 20_000,
    "vertices": 400_000,
    "maps": 20,
    "layers": 500,
    "properties": 30,
    "text": 300,
    "page_text": 4000,
    "labels": 300,
    "notes": 30,
    "milliseconds": 5000,
    "wait": 1500,
}
"""What one frame may give at most."""

_PARTS = (
    *("common", "furniture", "leaflet", "gl", "openlayers", "plotly", "deck"),
    "main",
)
_MOST_FRAMES = 10
_LONGEST = 64 << 20


async def read_maps(live: LivePage, limits: dict[str, int] | None = None) -> list[MapReading]:
    """The maps of a page that has come to rest, and of the frames in it, one reading a frame.

    Whatever a page does to its own objects, it gives a reading, if one that says why it is
    empty. What is read is never more than ``LIMITS`` say.

    Args:
        live: a page that was opened with ``init_scripts=MAP_SCRIPTS``.
        limits: in place of some of ``LIMITS``.

    Raises:
        PageLostError: the page does not answer.
    """
    values = await live.evaluate_frames(reader(), {**LIMITS, **(limits or {})})
    return [
        _reading(value.value, value.error, value.depth)
        for value in values[:_MOST_FRAMES]
        if value.depth == 0 or not value.error
    ]


@cache
def reader() -> str:
    """The function that is run in each frame; it gives JSON text."""
    parts = "\n".join(script(f"maps_{part}.js") for part in _PARTS)
    return f"async (limits) => {{\n{parts}\n}}"


def _reading(value: Any, error: str, depth: int) -> MapReading:
    """What a frame said; the page may have meddled with the functions that say it."""
    if error:
        return MapReading(frame=depth, notes=[f"cannot be read: {error}"], whole=False)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return MapReading(frame=depth, notes=["gave something else than a reading"], whole=False)
    try:
        found = msgspec.json.decode(value, type=MapReading)
    except (msgspec.DecodeError, RecursionError) as problem:
        note = f"gave something else than a reading ({problem})"
        return MapReading(frame=depth, notes=[note], whole=False)
    return msgspec.structs.replace(found, frame=depth)
