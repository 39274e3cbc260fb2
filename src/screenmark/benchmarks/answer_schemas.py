"""JSON schemas of answers, for models whose provider can hold them to one.

Every object is closed and every field required, and no number has a range: what providers
enforce at all is this much. What comes back is read like any other reply.
"""

from __future__ import annotations

from collections.abc import Iterable

from screenmark.types import Json

_NUMBER: Json = {"type": "number"}


def choice_schema(letters: Iterable[str]) -> dict[str, Json]:
    """``{"answer": "B"}``, one of the letters."""
    return _object(answer={"type": "string", "enum": [*letters]})


def class_schema(classes: Iterable[str]) -> dict[str, Json]:
    """``{"class": "search"}``, one of the classes."""
    return _object(**{"class": {"type": "string", "enum": [*classes]}})


def index_schema(numbers: Iterable[int]) -> dict[str, Json]:
    """``{"index": 7}``, one of the numbers."""
    return _object(index={"type": "integer", "enum": [*numbers]})


def point_schema(*, offers_absence: bool) -> dict[str, Json]:
    """``{"point": {"x": 640, "y": 360}}`` in the profile's space; null if there is no target."""
    point = _object(x=_NUMBER, y=_NUMBER)
    return _object(point={"anyOf": [point, {"type": "null"}]} if offers_absence else point)


def elements_schema() -> dict[str, Json]:
    """``{"elements": [...]}``, each with type, index, description and ``[x1, y1, x2, y2]``."""
    element = _object(
        type={"type": "string"},
        index={"type": "integer"},
        description={"type": "string"},
        coordinates={"type": "array", "items": _NUMBER},
    )
    return _object(elements={"type": "array", "items": element})


def _object(**fields: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": fields,
        "required": [*fields],
        "additionalProperties": False,
    }
