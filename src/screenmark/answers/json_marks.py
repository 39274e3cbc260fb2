"""Points and boxes in the JSON of a reply: tool calls, lists of boxes, objects with x and y."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from screenmark.answers.absence import is_word_for_absent, says_absent
from screenmark.answers.fields import CORNER_KEYS, pick
from screenmark.answers.json_text import JsonText, read_json
from screenmark.answers.mark import (
    Finding,
    Mark,
    NotAClick,
    is_click,
    is_other_action,
    is_word_too,
)
from screenmark.types import Json

_ACTION_KEYS: Final = ("action", "action_type", "name", "function", "type", "tool")
_NAMING_KEYS: Final = frozenset({"name", "function", "type", "tool"})
_ARGUMENTS: Final = ("arguments", "parameters", "args")
_VERDICTS: Final = ("status", "result", "target", "error", "answer", "found", "visible")
_VERBS: Final = ("scroll", "drag", "swipe", "hotkey", "typewrite")
_WORDS_OF_AN_END: Final = ("text", "content", "answer", "message", "reason")
_Y_FIRST_KEYS: Final = ("box_2d", "point")
# One place each; where an object has several, the first here is its mark.
_MARK_KEYS: Final = (
    *("coordinate", "coordinates", "point_2d", "point", "position", "bbox_2d", "box_2d", "bbox"),
    *("box", "bounding_box", "start_box", "click", "click_point", "center", "location", "坐标"),
    *("coords", "coord", "pos"),
)
# One place each, whatever stands in it: two pairs there are two places and no box.
_POINT_KEYS: Final = frozenset(
    {"coordinate", "coordinates", "point_2d", "point", "position", "click", "click_point", "center"}
)
_SIZES: Final = frozenset({"width", "height", "w", "h"})
_FURTHER_SIDES: Final = frozenset(
    {"x1", "y1", "x2", "y2", "left", "top", "right", "bottom", "xmin", "ymin", "xmax", "ymax"}
)
_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})")
_ONLY_NUMBERS = re.compile(r"[\s\d.,;+()\[\]-]{3,120}|<point>[\s\d.,+-]{3,80}</point>")
_DEEPEST: Final = 30
_LARGEST: Final = 1e15


def json_marks(text: str, y_first: bool) -> list[Finding]:
    """Marks of every object in the JSON of ``text``, in its order.

    With ``y_first``, lists under ``point`` and ``box_2d`` have y before x, as Gemini's do; x
    and y under their own names are never exchanged. An action that is not a click, such as
    ``left_click_drag``, is a `NotAClick` whatever coordinates it has.
    """
    if "{" not in text and "｛" not in text:
        return []
    found: list[Finding] = []
    read = read_json(text)
    for value in read.values:
        if not _is_cut_off(value, read):
            found += _walk(value, y_first, read, 0)
    if not found and any(_holds_object(value) for value in read.values):
        return [NotAClick("")]
    return found


def _is_cut_off(value: Json, read: JsonText) -> bool:
    """Whether the text ends inside a value: what was to come may have been another place."""
    return read.truncated and value is read.values[-1]


def _holds_object(value: Json) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict) for item in value)
    )


def _walk(value: Json, y_first: bool, read: JsonText, depth: int) -> Iterator[Finding]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, y_first, read, depth + 1)
    elif isinstance(value, dict):
        fields = {str(key).strip().lower(): item for key, item in value.items()}
        if _is_absent(fields):
            yield NotAClick("fail")
            return
        other = _other_action(fields)
        if other is not None:
            yield NotAClick(other)
            return
        marks = _marks(fields, y_first, read)
        if marks:
            yield from marks
            return
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                yield from _walk(item, y_first, read, depth + 1)
            elif key in _ARGUMENTS and isinstance(item, str) and item.lstrip().startswith("{"):
                inner = read_json(item)  # OpenAI's tools encode their arguments once more
                for part in [] if inner.truncated else inner.values:
                    yield from _walk(part, y_first, inner, depth + 1)


def _is_absent(fields: Mapping[str, Json]) -> bool:
    """Whether an object says outright that there is no target, whatever numbers it fills in."""
    if any(fields.get(key) is False for key in ("found", "exists", "present")):
        return True
    if fields.get("visible") is False and pick(fields, _MARK_KEYS) is None:
        return True
    if any(
        isinstance(word := fields.get(key), str)
        and (is_word_for_absent(word) or (key == "found" and word.lower() == "false"))
        for key in (*_VERDICTS, *_MARK_KEYS)
    ):
        return True
    if "x" in fields and "y" in fields and fields["x"] is None and fields["y"] is None:
        return True
    return any(fields.get(key) is True for key in ("target_absent", "absent", "not_found"))


def _other_action(fields: Mapping[str, Json]) -> str | None:
    """The action of an object that does something else than click, or None."""
    place = pick(fields, _MARK_KEYS)
    for key in _ACTION_KEYS:
        name = fields.get(key)
        if not isinstance(name, str):
            continue
        if is_click(name):
            return None
        if key in _NAMING_KEYS and place is not None and is_word_too(name):
            continue
        if is_other_action(name):
            if any(_says_absent(fields.get(word)) for word in _WORDS_OF_AN_END):
                return "fail"
            status = fields.get("status")
            return f"{name} {status}" if isinstance(status, str) else name
    if place is None and not fields.keys().isdisjoint(_MARK_KEYS):
        return next((verb for verb in _VERBS if fields.get(verb) is not None), None)
    return None


def _says_absent(value: Json) -> bool:
    return isinstance(value, str) and says_absent(value)


def _marks(fields: Mapping[str, Json], y_first: bool, read: JsonText) -> list[Mark]:
    """The mark of one object; several where it has a list of places for a point."""
    found = pick(fields, _MARK_KEYS)
    if found is not None:
        key, value = found
        # A box that was cut off after two numbers is no point.
        if _is_damaged(value, read):
            return []
        places = value if key in _POINT_KEYS and _is_list_of_lists(value) else [value]
        marks = []
        for place in places:
            numbers = _numbers(place)
            if numbers is None:
                continue
            swap = y_first and key in _Y_FIRST_KEYS and not isinstance(value, dict)
            marks.append(Mark(_x_first(numbers) if swap else numbers, f"json {key}"))
        return marks
    if not _SIZES.isdisjoint(fields):
        return []  # x and y may be its corner or its centre
    for keys in (("x", "y"), *CORNER_KEYS):
        numbers = _numbers([fields.get(key) for key in keys])
        if numbers is not None and (len(keys) > 2 or _FURTHER_SIDES.isdisjoint(fields)):
            return [Mark(numbers, "json " + ", ".join(keys))]
    return []


def _is_list_of_lists(value: Json) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(v, list) for v in value)


def _is_damaged(value: Json, read: JsonText) -> bool:
    if read.damage_of(value) is not None:
        return True
    return isinstance(value, list) and any(read.damage_of(item) is not None for item in value)


def _numbers(value: Json) -> tuple[float, ...] | None:
    """Two or four numbers out of a list, a list of lists, an object or a text of them."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        named = {str(key).strip().lower(): item for key, item in value.items()}
        if not _SIZES.isdisjoint(named):
            return None
        for keys in (("x", "y"), *CORNER_KEYS):
            if len(keys) == 2 and not _FURTHER_SIDES.isdisjoint(named):
                continue
            if all(key in named for key in keys):
                return _numbers([named[key] for key in keys])
        return None
    if isinstance(value, str):
        if not _ONLY_NUMBERS.fullmatch(value.strip()):
            return None
        value = _NUMBER.findall(value)
    if not isinstance(value, list):
        return None
    if len(value) == 2 and all(isinstance(corner, list) for corner in value):
        value = [*value[0], *value[1]]
    numbers = [_number(item) for item in value]
    kept = tuple(number for number in numbers if number is not None)
    return kept if len(kept) == len(numbers) and len(kept) in {2, 4} else None


def _number(value: Json) -> float | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < _LARGEST else None  # NaN is not less either


def _x_first(numbers: tuple[float, ...]) -> tuple[float, ...]:
    """[y, x] and [y1, x1, y2, x2] with x first."""
    return tuple(n for pair in zip(numbers[1::2], numbers[::2], strict=True) for n in pair)
