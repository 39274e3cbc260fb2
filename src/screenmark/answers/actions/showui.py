"""ShowUI: ``{'action': 'CLICK', 'value': None, 'position': [0.4, 0.2]}``, Python or JSON.

A scroll has only a direction and is half a screen. ``ANSWER`` ends the task where it says
``task complete`` or ``task impossible``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from screenmark.answers.actions.calls import literal
from screenmark.answers.actions.dialect import Dialect, Parts, Writers, plain, write_with
from screenmark.answers.actions.fields import DIRECTIONS, Fields, typed
from screenmark.answers.actions.keys import read_key
from screenmark.answers.actions.objects import read_objects
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Click,
    Done,
    Drag,
    Fail,
    GiveAnswer,
    Key,
    LongPress,
    Move,
    Place,
    Scroll,
    SelectOption,
    Swipe,
    Type,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.types import Json

Reader = Callable[[Fields], list[Action]]

HALF_A_SCREEN: Final = 0.5
COMPLETE: Final = "task complete"
IMPOSSIBLE: Final = "task impossible"


def _two(fields: Fields) -> tuple[Place, Place]:
    places = fields.need("position")
    if not isinstance(places, (list, tuple)) or len(places) != 2:
        raise Invalid(f"{fields.name} needs 'position', two places [[x1, y1], [x2, y2]]")
    first, second = places
    return fields.scale.place(first), fields.scale.place(second)


def _scroll(fields: Fields) -> list[Action]:
    across, down = (HALF_A_SCREEN * way for way in fields.choice("value", DIRECTIONS))
    return [Scroll(across, down, "screen", fields.place("position"))]


def _answer(fields: Fields) -> list[Action]:
    text = fields.text("value", default="")
    word = text.strip().lower()
    if word in {COMPLETE, ""}:
        return [Done()]
    return [Fail() if word == IMPOSSIBLE else GiveAnswer(text)]


def _type(fields: Fields) -> list[Action]:
    return [typed(fields.text("value"), point=fields.place("position"))]


_READERS: Final[dict[str, Reader]] = {
    "CLICK": lambda f: [Click(f.the_place("position"))],
    "TAP": lambda f: [Click(f.the_place("position"))],
    "INPUT": _type,
    "TYPE": _type,
    "SELECT": lambda f: [SelectOption(f.the_place("position"), f.text("value"))],
    "HOVER": lambda f: [Move(f.the_place("position"))],
    "ANSWER": _answer,
    "ENTER": lambda f: [Key(("enter",))],
    "ESC": lambda f: [Key((read_key("esc"),))],
    "SCROLL": _scroll,
    "SELECT_TEXT": lambda f: [Drag(_two(f))],
    "COPY": lambda f: [Key(("ctrl", "c"))],
    "SWIPE": lambda f: [Swipe(*_two(f))],
    "PRESS": lambda f: [LongPress(f.the_place("position"))],
}


def _read_object(value: dict[str, Json], scale: Scale) -> list[Action]:
    name = value.get("action")
    if not isinstance(name, str) or name.strip().upper() not in _READERS:
        raise Invalid(f"there is no action {str(name)[:40]!r}: {', '.join(_READERS)}")
    name = name.strip().upper()
    return _READERS[name](Fields(name, value, scale))


def _read(text: str, scale: Scale) -> Parts:
    prose, objects = _objects(text)
    actions = [action for item in objects for action in _read_object(item, scale)]
    if not actions:
        raise Invalid("there is no action in it")
    return prose, actions


def _objects(text: str) -> tuple[str, list[dict[str, Json]]]:
    try:
        value = literal(text)
    except Invalid:
        return read_objects(text)
    values = value if isinstance(value, list) else [value]
    return "", [item for item in values if isinstance(item, dict)]


def _action(name: str, value: str | None = None, position: Json = None) -> list[dict[str, Json]]:
    return [{"action": name, "value": value, "position": position}]


def _at(name: str) -> Callable[[Any, Scale], list[dict[str, Json]]]:
    def write(action: Click | Move | LongPress, scale: Scale) -> list[dict[str, Json]]:
        plain(action, "button", "count", "modifiers", "seconds")
        if action.point is None:
            raise CannotWrite(f"{name} has a place")
        return _action(name, position=scale.numbers(action.point))

    return write


def _write_type(action: Type, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "clear")
    text = action.text + ("\n" if action.submit else "")
    at = None if action.point is None else scale.numbers(action.point)
    return _action("INPUT", text, at)


def _write_key(action: Key, scale: Scale) -> list[dict[str, Json]]:
    names = {("enter",): "ENTER", ("esc",): "ESC", ("ctrl", "c"): "COPY"}
    if action.keys not in names:
        raise CannotWrite("keys are ENTER, ESC and COPY")
    return _action(names[action.keys])


def _write_scroll(action: Scroll, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "modifiers")
    ways = {(HALF_A_SCREEN * x, HALF_A_SCREEN * y): word for word, (x, y) in DIRECTIONS.items()}
    way = ways.get((action.dx, action.dy))
    if action.unit != "screen" or way is None:
        raise CannotWrite("a scroll is half a screen in one of four directions")
    at = None if action.point is None else scale.numbers(action.point)
    return _action("SCROLL", way, at)


def _write_drag(action: Drag, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "button", "modifiers")
    if len(action.path) != 2:
        raise CannotWrite("a selection has a start and an end")
    return _action("SELECT_TEXT", position=[scale.numbers(place) for place in action.path])


def _write_swipe(action: Swipe, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "seconds")
    ends = [scale.numbers(action.start), scale.numbers(action.end)]
    return _action("SWIPE", position=ends)


def _write_end(action: Done | Fail, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "text", "reason")
    return _action("ANSWER", COMPLETE if isinstance(action, Done) else IMPOSSIBLE)


_WRITERS: Final[Writers[dict[str, Json]]] = {
    Click: _at("CLICK"),
    Move: _at("HOVER"),
    LongPress: _at("PRESS"),
    Type: _write_type,
    Key: _write_key,
    Scroll: _write_scroll,
    Drag: _write_drag,
    Swipe: _write_swipe,
    SelectOption: lambda a, scale: _action("SELECT", a.value, scale.numbers(a.point)),
    GiveAnswer: lambda action, _: _action("ANSWER", action.text),
    Done: _write_end,
    Fail: _write_end,
}


def _write_call(action: Action, scale: Scale) -> list[dict[str, Json]]:
    return write_with(_WRITERS, action, scale, "showui")


def _write(actions: Sequence[Action], scale: Scale) -> str:
    return "\n".join(repr(call) for action in actions for call in _write_call(action, scale))


DIALECT: Final = Dialect("showui", "ShowUI", _read, _write, _read_object, _write_call)
