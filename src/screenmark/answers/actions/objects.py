"""Actions written as JSON: the objects of a reply, and the tool calls that they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from screenmark.answers.actions.fences import fenced_blocks
from screenmark.answers.actions.trouble import Invalid
from screenmark.answers.json_text import JsonText, read_json
from screenmark.types import Json

MOST_OBJECTS: Final = 64

_TOOL_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.S)
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
    tagged = [found[1] for found in _TOOL_CALL.finditer(text)]
    found = read_json("\n".join(tagged) if tagged else text)
    if found.set_aside:
        found = read_json("\n".join(fenced_blocks(text)))
    objects = [item for value in found.values for item in _objects(value)]
    if found.truncated and not objects:
        raise Invalid("the JSON is cut off")
    if len(objects) > MOST_OBJECTS:
        raise Invalid(f"{len(objects)} objects in one reply, at most {MOST_OBJECTS} are read")
    for item in objects:
        _check(item, found)
    return prose, objects


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
