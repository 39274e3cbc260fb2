"""The fields of one element: box, type, description, index, under the names models give them.

Nothing here guesses. Four numbers are two corners, never a corner and a size, whatever their
magnitude; what is not a box is a ``FieldError`` that says why.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from screenmark.types import Json

Number: TypeAlias = int | float
Corners: TypeAlias = tuple[Number, Number, Number, Number]

# Gemini's box_2d is missing on purpose: its order is y first, and only a model profile can say
# that; read as x first it would give wrong boxes without a trace.
BOX_KEYS: Final = (
    *("coordinates", "bbox", "bbox_2d", "box", "bounds"),
    *("bounding_box", "boundingbox", "rect", "coordinate", "location", "position"),
    *("坐标", "边界框", "位置"),
)
DESCRIPTION_KEYS: Final = (
    *("description", "text", "label", "name", "content", "caption"),
    *("描述", "文本", "名称", "内容"),
)
TYPE_KEYS: Final = ("type", "category", "class", "role", "类型", "类别")
INDEX_KEYS: Final = ("index", "id", "序号", "索引", "编号")
CORNER_KEYS: Final = (
    ("x1", "y1", "x2", "y2"),
    ("left", "top", "right", "bottom"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
)

LARGEST: Final = 1e7
"""No screen is as many pixels wide; a number beyond it is a runaway digit string."""

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER_TEXT = re.compile(rf"\s*+({_NUMBER})\s*+(?:px)?\s*+", re.ASCII)
_BETWEEN = r"(?:\s*+px)?+[\s,;\[\]()]++"
_BOX_TEXT = re.compile(
    rf"[\s\[(]*+({_NUMBER}){_BETWEEN}({_NUMBER}){_BETWEEN}({_NUMBER}){_BETWEEN}({_NUMBER})"
    r"\s*+(?:px)?[\s\])]*+",
    re.ASCII,
)
_LONGEST_NUMBER = 40
_LONGEST_BOX = 200


class FieldError(ValueError):
    """A field cannot be read; the message names it, as in ``coordinates[2] is not …``."""


def pick(fields: Mapping[str, Json], keys: tuple[str, ...]) -> tuple[str, Json] | None:
    """The first of ``keys`` that has a value other than null, with its value."""
    for key in keys:
        if fields.get(key) is not None:
            return key, fields[key]
    return None


def read_box(fields: Mapping[str, Json]) -> Corners:
    """(x1, y1, x2, y2) of an element, in the space of the reply; x1 < x2 and y1 < y2.

    Raises:
        FieldError: there is no box, or it is not one.
    """
    found = pick(fields, BOX_KEYS)
    if found is None:
        corners = _named(fields, "")
        if corners is None and "box_2d" in fields:
            raise FieldError("box_2d may be y first; only a model profile can say so")
        if corners is None:
            raise FieldError(f"no box under {', '.join(BOX_KEYS[:5])} or the like")
    else:
        corners = _corners(*found)
    x1, y1, x2, y2 = corners
    for low, high, names in ((x1, x2, "x2 {} x1"), (y1, y2, "y2 {} y1")):
        if high <= low:
            sign = "<" if high < low else "="
            raise FieldError(f"{names.format(sign)} in [{x1}, {y1}, {x2}, {y2}]")
    return corners


def _corners(key: str, value: Json) -> Corners:
    """Four numbers out of every form in which models write two corners."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # [[x1, y1, x2, y2]]
    if isinstance(value, str):
        found = _BOX_TEXT.fullmatch(value) if len(value) <= _LONGEST_BOX else None
        if found is None:
            raise FieldError(f"{key} is not a box: {shorten(value)}")
        value = list(found.groups())
    elif isinstance(value, dict):
        corners = _named({str(k).strip().lower(): v for k, v in value.items()}, f"{key}.")
        if corners is None:
            raise FieldError(f"{key} has the keys {shorten(', '.join(value))}, not x1, y1, x2, y2")
        return corners
    elif not isinstance(value, list):
        raise FieldError(f"{key} is not a box: {shorten(value)}")
    if len(value) == 2 and all(isinstance(corner, list) and len(corner) == 2 for corner in value):
        value = [*value[0], *value[1]]  # [[x1, y1], [x2, y2]]
    if len(value) != 4:
        raise FieldError(f"{key} has {len(value)} values, not 4")
    x1, y1, x2, y2 = (read_number(part, f"{key}[{i}]") for i, part in enumerate(value))
    return x1, y1, x2, y2


def _named(fields: Mapping[str, Json], prefix: str) -> Corners | None:
    for names in CORNER_KEYS:
        if all(name in fields for name in names):
            x1, y1, x2, y2 = (read_number(fields[name], prefix + name) for name in names)
            return x1, y1, x2, y2
    return None


def read_number(value: Json, name: str) -> Number:
    """A finite number of at most 1e7, also written as ``"12"`` or ``"12px"``.

    Raises:
        FieldError: with ``name`` in its message.
    """
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER:
        found = _NUMBER_TEXT.fullmatch(value)
        digits = found[1] if found else ""
        if digits:
            value = int(digits) if digits.lstrip("+-").isdecimal() else float(digits)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FieldError(f"{name} is not a number: {shorten(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise FieldError(f"{name} is not finite")
    if abs(value) > LARGEST:
        raise FieldError(f"{name} is beyond any screen: {shorten(value)}")
    return value


def read_word(fields: Mapping[str, Json], keys: tuple[str, ...], default: str) -> str:
    """A description or a type: a string, or a number as text; ``default`` if there is none.

    Raises:
        FieldError: the field holds something else.
    """
    found = pick(fields, keys)
    if found is None:
        return default
    key, value = found
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FieldError(f"{key} is not text: {shorten(value)}")
    return str(value)


def read_index(fields: Mapping[str, Json], default: int) -> int:
    """The element's own number if it is a whole one, else ``default``."""
    found = pick(fields, INDEX_KEYS)
    if found is None:
        return default
    try:
        number = read_number(found[1], found[0])
    except FieldError:
        return default
    return int(number) if number == int(number) else default


def shorten(value: Json) -> str:
    """A value for a message, in at most about 40 characters."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    text = str(value)
    text = text if len(text) <= 40 else text[:37] + "…"
    return repr(text) if isinstance(value, str) else text
