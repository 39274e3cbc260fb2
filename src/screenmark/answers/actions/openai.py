"""OpenAI's computer use: items ``computer_call`` with one ``action`` or several ``actions``.

``scroll_x`` and ``scroll_y`` (or ``scrollX`` and ``scrollY``) are lengths in pixels, to the right
and down; one of them has to be there. ``wait`` is two seconds, as in the vendor's samples. A reply
without a call is the agent's last word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from screenmark.answers.actions.dialect import Writers, clicked_first, json_dialect, plain, typing
from screenmark.answers.actions.fields import Fields, typed
from screenmark.answers.actions.keys import OPENAI, write_keys
from screenmark.answers.actions.objects import to_json, unwrapped
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Click,
    Drag,
    Key,
    Move,
    Place,
    Screenshot,
    Scroll,
    Type,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.types import Json

Reader = Callable[[Fields], list[Action]]

WAIT_SECONDS: Final = 2.0

_SPOKEN: Final = frozenset({"message", "reasoning", "output_text", "text"})


def _drag(fields: Fields) -> list[Action]:
    path = fields.need("path")
    if not isinstance(path, list) or len(path) < 2:
        raise Invalid("drag: 'path' has to be a list of two or more places")
    places = tuple(fields.scale.place(place) for place in path)
    return [Drag(places, modifiers=fields.modifiers("keys"))]


def _scroll(fields: Fields) -> list[Action]:
    across_names, along_names = ("scroll_x", "scrollX"), ("scroll_y", "scrollY")
    fields.need(*along_names, *across_names)
    right = fields.number(*across_names, default=0.0)
    down = fields.number(*along_names, default=0.0)
    across, along = fields.scale.length(right, down)
    return [Scroll(across, along, "screen", fields.xy(), fields.modifiers("keys"))]


def _keypress(fields: Fields) -> list[Action]:
    keys = fields.chord("keys")
    if len(keys) == 1 and keys[0].isascii():
        keys = (keys[0].lower(),)  # every name is written in capitals
    return [Key(keys)]


_READERS: Final[dict[str, Reader]] = {
    "click": lambda f: [Click(f.the_xy(), f.button(), 1, f.modifiers("keys"))],
    "double_click": lambda f: [Click(f.the_xy(), f.button(), 2, f.modifiers("keys"))],
    "move": lambda f: [Move(f.the_xy())],
    "drag": _drag,
    "scroll": _scroll,
    "keypress": _keypress,
    "type": lambda f: [typed(f.text("text"))],
    "wait": lambda f: [Wait(WAIT_SECONDS)],
    "screenshot": lambda f: [Screenshot()],
}


def _read_object(value: dict[str, Json], scale: Scale) -> list[Action]:
    if value.get("type") in _SPOKEN and value.get("action") is None and "content" in value:
        return []
    if value.get("type") == "reasoning":
        return []
    if not isinstance(value.get("action"), dict):
        value = unwrapped(value, "type", _READERS)
    actions = value.get("actions")
    if isinstance(actions, list):
        items = [item for item in actions if isinstance(item, dict)]
        if len(items) != len(actions):
            raise Invalid("'actions' has to be a list of objects")
        return [action for item in items for action in _read_one(item, scale)]
    action = value.get("action")
    return _read_one(action if isinstance(action, dict) else value, scale)


def _read_one(value: dict[str, Json], scale: Scale) -> list[Action]:
    name = value.get("type")
    if not isinstance(name, str) or name not in _READERS:
        raise Invalid(f"there is no action of type {str(name)[:40]!r}: {', '.join(_READERS)}")
    return _READERS[name](Fields(name, value, scale))


def _call(kind: str, **arguments: Json) -> list[dict[str, Json]]:
    given = {name: value for name, value in arguments.items() if value}
    zeros = {name: value for name, value in arguments.items() if value == 0}
    return [{"type": "computer_call", "action": {"type": kind, **given, **zeros}}]


def _xy(point: Place | None, scale: Scale) -> dict[str, Json]:
    if point is None:
        raise CannotWrite("an action of the mouse has a place")
    return dict(zip("xy", scale.numbers(point), strict=True))


def _write_click(action: Click, scale: Scale) -> list[dict[str, Json]]:
    if action.count > 2:
        raise CannotWrite("there is no triple click")
    button: str = "wheel" if action.button == "middle" else action.button
    keys, at = write_keys(action.modifiers, OPENAI), _xy(action.point, scale)
    if action.count == 2:
        button = "" if button == "left" else button
        return _call("double_click", **at, button=button, keys=keys)
    return _call("click", **at, button=button, keys=keys)


def _write_drag(action: Drag, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "button")
    if len(action.path) < 2:
        raise CannotWrite("a drag has a start")
    path = [_xy(place, scale) for place in action.path]
    return _call("drag", path=path, keys=write_keys(action.modifiers, OPENAI))


def _write_scroll(action: Scroll, scale: Scale) -> list[dict[str, Json]]:
    if action.unit != "screen":
        raise CannotWrite("a scroll counts pixels")
    right, down = scale.lengths(action.dx, action.dy)
    keys = write_keys(action.modifiers, OPENAI)
    return _call("scroll", **_xy(action.point, scale), scroll_x=right, scroll_y=down, keys=keys)


def _write_type(action: Type, scale: Scale) -> list[dict[str, Json]]:
    return clicked_first(action, scale, _WRITERS, lambda a, _: _type_call(typing(a)))


def _type_call(text: str) -> list[dict[str, Json]]:
    return [{"type": "computer_call", "action": {"type": "type", "text": text}}]


def _write_wait(action: Wait, scale: Scale) -> list[dict[str, Json]]:
    if action.seconds != WAIT_SECONDS:
        raise CannotWrite(f"wait is {WAIT_SECONDS:g} seconds")
    return _call("wait")


_WRITERS: Final[Writers[dict[str, Json]]] = {
    Click: _write_click,
    Move: lambda action, scale: _call("move", **_xy(action.point, scale)),
    Drag: _write_drag,
    Scroll: _write_scroll,
    Type: _write_type,
    Key: lambda action, _: _call("keypress", keys=write_keys(action.keys, OPENAI)),
    Wait: _write_wait,
    Screenshot: lambda action, _: _call("screenshot"),
}


def _wrap(calls: list[dict[str, Json]]) -> str:
    return "\n".join(map(to_json, calls))


DIALECT: Final = json_dialect(
    "openai",
    "OpenAI's computer use",
    _read_object,
    _WRITERS,
    wrap=_wrap,
    last_word_without=_READERS,
)
