"""Actions written as JSON: the objects of a reply, and the tool calls that they are."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from typing import Final

import msgspec

from screenmark.answers.actions.fences import fenced_blocks
from screenmark.answers.actions.trouble import Invalid
from screenmark.answers.json_text import JsonText, read_json
from screenmark.answers.loose_json import parse_int
from screenmark.types import Json

MOST_OBJECTS: Final = 64

_OPENING: Final = "<tool_call>"
_CLOSING = re.compile(r"</tool_call>|(?=<tool_call>)|\Z")
_SPACE = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder(parse_int=parse_int)
_BEGINNING = re.compile(r"<tool_call>|```|\{|\[\s{0,20}\{")


class ToolCall(msgspec.Struct, frozen=True):
    """A named call with arguments; without a name where an object was written on its own."""

    name: str | None
    arguments: dict[str, Json]


def read_objects(text: str) -> tuple[str, list[dict[str, Json]]]:
    """The prose before the first object of a reply, and its objects; both may be empty.

    Of several fenced blocks all are read. Objects within lists count, objects within objects
    do not.

    Raises:
        Invalid: an object is cut off or damaged, or there are more than 64.
    """
    begins = _BEGINNING.search(text)
    prose = (text[: begins.start()] if begins else text).strip().removesuffix("Action:").strip()
    first = _first_tag(text)
    parts = [_read(text)] if first < 0 else _read_tagged(text, first)
    objects: list[dict[str, Json]] = []
    for found in parts:
        within = [item for value in found.values for item in _objects(value)]
        for item in within[: MOST_OBJECTS + 1]:
            _check(item, found)
        objects += within
    if not objects and any(found.truncated for found in parts):
        raise Invalid("the JSON is cut off")
    if len(objects) > MOST_OBJECTS:
        raise Invalid(f"{len(objects)} objects in one reply, at most {MOST_OBJECTS} are read")
    return prose, objects


def _first_tag(text: str) -> int:
    """Where the first tag opens, or -1; one in a string of the reply's first JSON is none."""
    begins = _BEGINNING.search(text)
    at = 0
    if begins is not None and begins[0][0] in "{[":
        _, at = _values(text, begins.start(), most=1)
    return text.find(_OPENING, at)


def _read_tagged(text: str, begin: int) -> list[JsonText]:
    """What stands in tags from ``begin`` on; a tag in a string of strict JSON ends nothing."""
    parts: list[JsonText] = []
    while begin >= 0:
        begin += len(_OPENING)
        values, at = _values(text, begin)
        closing = _CLOSING.match(text, _after_space(text, at)) if values else None
        if closing is not None:
            parts.append(JsonText(values))
        else:
            closing = _CLOSING.search(text, at)
            end = len(text) if closing is None else closing.start()
            if inside := text[begin:end].strip():
                parts.append(_read(inside))
        if len(parts) > MOST_OBJECTS:
            raise Invalid(f"more than {MOST_OBJECTS} tool calls in one reply")
        begin = -1 if closing is None else text.find(_OPENING, closing.end())
    return parts


def _values(text: str, at: int, most: int = MOST_OBJECTS + 1) -> tuple[list[Json], int]:
    """Values of strict JSON one after the other from ``at`` on, and where the last one ends."""
    values: list[Json] = []
    while len(values) < most:
        try:
            value, at = _DECODER.raw_decode(text, _after_space(text, at))
        except (ValueError, RecursionError):
            break
        values.append(value)
    return values, at


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _read(text: str) -> JsonText:
    found = read_json(text)
    return read_json("\n".join(fenced_blocks(text))) if found.set_aside else found


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _check(value: Json, found: JsonText) -> None:
    for part in (value, *(item for item in value.values() if isinstance(item, (dict, list)))):
        if why := found.damage_of(part):
            raise Invalid(f"an object of JSON is not complete: {why}")


def tool_call(value: dict[str, Json]) -> ToolCall:
    """A tool call in the form of any provider, or an object of arguments without a name.

    Raises:
        Invalid: the arguments are no object.
    """
    for key in ("function", "functionCall", "function_call"):
        if isinstance(inner := value.get(key), dict):
            return tool_call(inner)
    name = value.get("name")
    for key in ("arguments", "input", "args", "parameters"):
        if isinstance(name, str) and (inner := value.get(key)) is not None:
            return ToolCall(name, _arguments(inner))
    if isinstance(name, str) and "action" not in value:
        return ToolCall(name, {})
    return ToolCall(None, value)


def unwrapped(value: dict[str, Json], key: str, names: Container[str]) -> dict[str, Json]:
    """An object that says its action under ``key``, out of a named call around it.

    Where the call's own name is one of ``names``, that is the action.

    Raises:
        Invalid: the arguments of the call are no object.
    """
    said = value.get(key)
    if isinstance(said, str) and said in names:
        return value
    call = tool_call(value)
    if call.name is None:
        return value
    return {**call.arguments, key: call.name} if call.name in names else call.arguments


def _arguments(value: Json) -> dict[str, Json]:
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            raise Invalid("the arguments of the call are no JSON") from None
    if not isinstance(value, dict):
        raise Invalid("the arguments of the call are no object")
    return value


def to_json(value: Json) -> str:
    """JSON on one line, CJK as it is."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value)
    return text
