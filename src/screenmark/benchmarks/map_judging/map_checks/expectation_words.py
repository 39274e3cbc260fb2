"""What each expectation holds, in the words of an error."""

from __future__ import annotations

import json
from typing import Any, Final

_SWITCH: Final = "true or false"
_COUNT: Final = "a whole number, or [least, most]"

FORMS: Final = {
    "region": "a code or a continent as text, or a list of them",
    "region_kind": '"continent" or "country"',
    "bbox": "[west, south, east, north] in degrees",
    "geometry": "Point, LineString or Polygon, several joined by + or as a list",
    "count": _COUNT,
    "count_points": _COUNT,
    "title": _SWITCH,
    "legend": _SWITCH,
    "labels": _SWITCH,
    "highlight": 'a list of codes, ["KOR", "JPN"]',
    "buffers_km": "a list of radii in km, [50, 100]",
    "center": "[longitude, latitude] in degrees",
    "distances_km": 'an object of places and km, {"Tokyo": 1150}',
    "tolerance_pct": "a number, per cent",
    "projection": "its name as text",
    "top5": "a list of names",
    "top5_values": "a list of numbers",
    "colour_direction": '"dark=high" or "dark=low"',
    "view_on_data": _SWITCH,
    "antimeridian": _SWITCH,
}
"""By key; ``level`` may be anything."""


def not_as_expected(field: str, value: Any) -> str:
    """That a value has not the form that its key is for."""
    return f"expected {FORMS[field]}, found {_short(value)}"


def is_empty(value: Any) -> bool:
    """Whether an expectation is given and says nothing, so that it would be passed over."""
    if isinstance(value, str):
        return not value.strip()
    return isinstance(value, list | dict) and not value


def _short(value: Any) -> str:
    """As JSON has it where Python has other words, and short."""
    words = value is None or isinstance(value, bool)
    text = json.dumps(value) if words else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
