"""OSWorld's computer_13: JSON objects with ``action_type``, and the words WAIT, DONE and FAIL.

``SCROLL`` counts notches, ``dy`` positive upwards and ``dx`` positive to the right, as
pyautogui does. Parameters may stand in ``parameters`` or beside ``action_type``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from screenmark.answers.actions.calls import shown
from screenmark.answers.actions.dialect import (
    Dialect,
    Parts,
    Writers,
    clicked_first,
    plain,
    typing,
    write_with,
)
from screenmark.answers.actions.fields import Fields, typed
from screenmark.answers.actions.keys import PYAUTOGUI, write_keys
from screenmark.answers.actions.objects import read_objects, to_json, unwrapped
from screenmark.answers.actions.pyautogui import WAIT_SECONDS
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Click,
    Done,
    Drag,
    Fail,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Place,
    Scroll,
    Type,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.types import Json

Reader = Callable[[Fields], list[Action]]

_WORD = re.compile(r"^[ \t`\"']*(WAIT|DONE|FAIL)[ \t`\"'.]*$", re.MULTILINE)


def _scroll(fields: Fields) -> list[Action]:
    across, up = fields.number("dx", default=0.0), fields.number("dy", default=0.0)
    return [Scroll(across, -up or 0.0, "notch")]


_READERS: Final[dict[str, Reader]] = {
    "MOVE_TO": lambda f: [Move(f.the_xy())],
    "CLICK": lambda f: [Click(f.xy(), f.button(), f.count("num_clicks", most=3))],
    "MOUSE_DOWN": lambda f: [MouseDown(button=f.button())],
    "MOUSE_UP": lambda f: [MouseUp(button=f.button())],
    "RIGHT_CLICK": lambda f: [Click(f.xy(), "right")],
    "DOUBLE_CLICK": lambda f: [Click(f.xy(), count=2)],
    "DRAG_TO": lambda f: [Drag((f.the_xy(),))],
    "SCROLL": _scroll,
    "TYPING": lambda f: [typed(f.text("text"))],
    "PRESS": lambda f: [Key((f.key("key"),))],
    "KEY_DOWN": lambda f: [KeyDown(f.key("key"))],
    "KEY_UP": lambda f: [KeyUp(f.key("key"))],
    "HOTKEY": lambda f: [Key(f.chord("keys"))],
    "WAIT": lambda f: [Wait(WAIT_SECONDS)],
    "DONE": lambda f: [Done()],
    "FAIL": lambda f: [Fail()],
}


def _read_object(value: dict[str, Json], scale: Scale) -> list[Action]:
    value = unwrapped(value, "action_type", _READERS)
    name = value.get("action_type")
    if not isinstance(name, str) or name not in _READERS:
        raise Invalid(f"there is no action_type {str(name)[:40]!r}: {', '.join(_READERS)}")
    inner = value.get("parameters")
    return _READERS[name](Fields(name, inner if isinstance(inner, dict) else value, scale))


def _read(text: str, scale: Scale) -> Parts:
    prose, objects = read_objects(text)
    actions = [action for item in objects for action in _read_object(item, scale)]
    if words := _WORD.findall(text):
        actions += _READERS[words[-1]](Fields(words[-1], {}, scale))
    if not actions:
        raise Invalid(f"there is no action in {shown(text)!r}")
    return prose if objects else _WORD.split(prose)[0].strip(), actions


def _action(name: str, **parameters: Json) -> list[dict[str, Json]]:
    return [{"action_type": name, "parameters": parameters}]


def _xy(point: Place | None, scale: Scale) -> dict[str, Json]:
    return {} if point is None else dict(zip("xy", scale.numbers(point), strict=True))


def _write_click(action: Click, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "modifiers")
    if action.button not in {"left", "right", "middle"}:
        raise CannotWrite(f"there is no button {action.button!r}: left, right, middle")
    count = {"num_clicks": action.count} if action.count > 1 else {}
    return _action("CLICK", **_xy(action.point, scale), button=action.button, **count)


def _write_button(name: str) -> Callable[[MouseDown | MouseUp, Scale], list[dict[str, Json]]]:
    def write(action: MouseDown | MouseUp, scale: Scale) -> list[dict[str, Json]]:
        if action.point is not None or action.button not in {"left", "right", "middle"}:
            raise CannotWrite(f"{name} has a button, left, right or middle, and no place")
        return _action(name, button=action.button)

    return write


def _write_drag(action: Drag, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "modifiers", "button")
    if len(action.path) > 2:
        raise CannotWrite("a drag has a start and an end")
    *before, last = action.path
    moves = [call for place in before for call in _action("MOVE_TO", **_xy(place, scale))]
    return [*moves, *_action("DRAG_TO", **_xy(last, scale))]


def _write_scroll(action: Scroll, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "modifiers", "point")
    if action.unit != "notch":
        raise CannotWrite("a scroll counts notches of the wheel")
    return _action("SCROLL", dx=action.dx, dy=-action.dy or 0.0)


def _write_type(action: Type, scale: Scale) -> list[dict[str, Json]]:
    return clicked_first(action, scale, _WRITERS, lambda a, _: _action("TYPING", text=typing(a)))


def _write_key(action: Key, scale: Scale) -> list[dict[str, Json]]:
    keys = write_keys(action.keys, PYAUTOGUI)
    return _action("HOTKEY", keys=keys) if len(keys) > 1 else _action("PRESS", key=keys[0])


def _word(name: str) -> Callable[[Any, Scale], list[dict[str, Json]]]:
    def write(action: Done | Fail | Wait, scale: Scale) -> list[dict[str, Json]]:
        if isinstance(action, Wait) and action.seconds != WAIT_SECONDS:
            raise CannotWrite(f"WAIT is {WAIT_SECONDS:g} seconds")
        if not isinstance(action, Wait):
            plain(action, "text", "reason")
        return [{"action_type": name}]

    return write


_WRITERS: Final[Writers[dict[str, Json]]] = {
    Move: lambda action, scale: _action("MOVE_TO", **_xy(action.point, scale)),
    Click: _write_click,
    MouseDown: _write_button("MOUSE_DOWN"),
    MouseUp: _write_button("MOUSE_UP"),
    Drag: _write_drag,
    Scroll: _write_scroll,
    Type: _write_type,
    Key: _write_key,
    KeyDown: lambda a, _: _action("KEY_DOWN", key=PYAUTOGUI.get(a.key, a.key)),
    KeyUp: lambda a, _: _action("KEY_UP", key=PYAUTOGUI.get(a.key, a.key)),
    Wait: _word("WAIT"),
    Done: _word("DONE"),
    Fail: _word("FAIL"),
}


def _write_call(action: Action, scale: Scale) -> list[dict[str, Json]]:
    return write_with(_WRITERS, action, scale, "computer_13")


def _write(actions: Sequence[Action], scale: Scale) -> str:
    calls = [call for action in actions for call in _write_call(action, scale)]
    return "\n".join(f"```json\n{to_json(call)}\n```" for call in calls)


DIALECT: Final = Dialect(
    "computer_13", "OSWorld's computer_13", _read, _write, _read_object, _write_call
)
