"""What is kept of the maps of a page: all of it beside its picture, its outlines in records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from screenmark.types import Json

if TYPE_CHECKING:
    from screenmark.rendering.live import LivePage


async def plain_maps(live: LivePage) -> list[dict[str, Any]]:
    """The maps of a live page as plain data.

    Raises:
        PageLostError: the page does not answer.
    """
    from screenmark.rendering.maps import read_maps

    plain: list[dict[str, Any]] = msgspec.to_builtins(await read_maps(live))
    return plain


def without_shapes(readings: Sequence[dict[str, Json]] | None) -> list[dict[str, Json]] | None:
    """Readings with the number of features in the place of the features."""
    if readings is None:
        return None
    return [
        {**reading, "maps": [_outline(live) for live in reading["maps"]]} for reading in readings
    ]


def _outline(live: dict[str, Any]) -> dict[str, Any]:
    return {**live, "features": len(live["features"])}
