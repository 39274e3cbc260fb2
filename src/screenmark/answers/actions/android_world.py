"""AndroidWorld's JSON actions, with places only: an element's index means nothing here.

A scroll looks in its direction by half a screen; a swipe is the finger's way across the whole
screen, as AndroidWorld performs it: vertically the reverse of a scroll, horizontally not.
``input_text`` presses Enter after the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from screenmark.answers.actions.dialect import Writers, json_dialect, plain
from screenmark.answers.actions.fields import DIRECTIONS, Fields, typed
from screenmark.answers.actions.keys import adb_code, read_key
from screenmark.answers.actions.objects import to_json, unwrapped
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Click,
    Done,
    Fail,
    GiveAnswer,
    Key,
    LongPress,
    OpenApp,
    Place,
    Scroll,
    Swipe,
    System,
    SystemButton,
    Type,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.types import Json

Reader = Callable[[Fields], list[Action]]

WAIT_SECONDS: Final = 1.0
HALF_A_SCREEN: Final = 0.5

_SWIPES: Final[dict[str, tuple[Place, Place]]] = {
    "down": ((0.5, 0.0), (0.5, 1.0)),
    "up": ((0.5, 1.0), (0.5, 0.0)),
    "left": ((0.0, 0.5), (1.0, 0.5)),
    "right": ((1.0, 0.5), (0.0, 0.5)),
}
_STATUS: Final = {"complete": True, "infeasible": False}
_SYSTEM_CODES: Final[dict[str, SystemButton]] = {
    "KEYCODE_BACK": "back",
    "KEYCODE_HOME": "home",
    "KEYCODE_MENU": "menu",
    "KEYCODE_APP_SWITCH": "recents",
}


def _place(fields: Fields) -> Place | None:
    if fields.get("index") is not None:
        raise Invalid(f"{fields.name}: elements have no index here, give 'x' and 'y'")
    return fields.xy()


def _touch(fields: Fields) -> Place:
    _place(fields)
    return fields.the_xy()


def _scroll(fields: Fields) -> list[Action]:
    across, down = (HALF_A_SCREEN * way for way in fields.choice("direction", DIRECTIONS))
    return [Scroll(across, down, "screen", _place(fields))]


def _swipe(fields: Fields) -> list[Action]:
    start, end = fields.choice("direction", _SWIPES)
    return [Swipe(start, end)]


def _type(fields: Fields) -> list[Action]:
    clear = fields.flag("clear_text", default=False)
    return [typed(fields.text("text"), submit=True, clear=clear, point=_place(fields))]


def _press(fields: Fields) -> list[Action]:
    code = fields.text("keycode")
    if code in _SYSTEM_CODES:
        return [System(_SYSTEM_CODES[code])]
    return [Key((read_key(code, adb=True),))]


def _status(fields: Fields) -> list[Action]:
    return [Done() if fields.choice("goal_status", _STATUS) else Fail()]


_READERS: Final[dict[str, Reader]] = {
    "click": lambda f: [Click(_touch(f))],
    "double_tap": lambda f: [Click(_touch(f), count=2)],
    "long_press": lambda f: [LongPress(_touch(f))],
    "input_text": _type,
    "keyboard_enter": lambda f: [Key(("enter",))],
    "press_keyboard": _press,
    "navigate_home": lambda f: [System("home")],
    "navigate_back": lambda f: [System("back")],
    "scroll": _scroll,
    "swipe": _swipe,
    "open_app": lambda f: [OpenApp(f.text("app_name"))],
    "wait": lambda f: [Wait(WAIT_SECONDS)],
    "answer": lambda f: [GiveAnswer(f.text("text"))],
    "status": _status,
}


def _read_object(value: dict[str, Json], scale: Scale) -> list[Action]:
    value = unwrapped(value, "action_type", _READERS)
    name = value.get("action_type")
    if not isinstance(name, str) or name not in _READERS:
        raise Invalid(f"there is no action_type {str(name)[:40]!r}: {', '.join(_READERS)}")
    return _READERS[name](Fields(name, value, scale))


def _action(name: str, **arguments: Json) -> list[dict[str, Json]]:
    return [{"action_type": name, **arguments}]


def _xy(point: Place | None, scale: Scale) -> dict[str, Json]:
    if point is None:
        raise CannotWrite("a touch has a place")
    return dict(zip("xy", scale.numbers(point), strict=True))


def _write_click(action: Click, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "button", "modifiers")
    if action.count > 2:
        raise CannotWrite("there is no triple tap")
    return _action("double_tap" if action.count == 2 else "click", **_xy(action.point, scale))


def _write_press(action: LongPress, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "seconds")
    return _action("long_press", **_xy(action.point, scale))


def _write_type(action: Type, scale: Scale) -> list[dict[str, Json]]:
    if not action.submit:
        raise CannotWrite("input_text presses Enter after the text")
    at = {} if action.point is None else _xy(action.point, scale)
    clear = {"clear_text": True} if action.clear else {}
    return _action("input_text", text=action.text, **at, **clear)


def _write_key(action: Key, scale: Scale) -> list[dict[str, Json]]:
    if len(action.keys) > 1:
        raise CannotWrite("there are no chords")
    if action.keys == ("enter",):
        return _action("keyboard_enter")
    return _action("press_keyboard", keycode=adb_code(action.keys[0]))


def _write_scroll(action: Scroll, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "modifiers")
    ways = {(HALF_A_SCREEN * x, HALF_A_SCREEN * y): word for word, (x, y) in DIRECTIONS.items()}
    way = ways.get((action.dx, action.dy))
    if action.unit != "screen" or way is None:
        raise CannotWrite("a scroll is half a screen in one of four directions")
    at = {} if action.point is None else _xy(action.point, scale)
    return _action("scroll", direction=way, **at)


def _write_swipe(action: Swipe, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "seconds")
    for direction, ends in _SWIPES.items():
        if ends == (action.start, action.end):
            return _action("swipe", direction=direction)
    raise CannotWrite("a swipe goes across the whole screen in one of four directions")


def _write_system(action: System, scale: Scale) -> list[dict[str, Json]]:
    if action.button in {"home", "back"}:
        return _action(f"navigate_{action.button}")
    for code, button in _SYSTEM_CODES.items():
        if button == action.button:
            return _action("press_keyboard", keycode=code)
    raise CannotWrite(f"a phone has no button {action.button!r}")


def _write_wait(action: Wait, scale: Scale) -> list[dict[str, Json]]:
    if action.seconds != WAIT_SECONDS:
        raise CannotWrite(f"wait is {WAIT_SECONDS:g} second")
    return _action("wait")


def _write_end(action: Done | Fail, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "text", "reason")
    status = "complete" if isinstance(action, Done) else "infeasible"
    return _action("status", goal_status=status)


_WRITERS: Final[Writers[dict[str, Json]]] = {
    Click: _write_click,
    LongPress: _write_press,
    Type: _write_type,
    Key: _write_key,
    Scroll: _write_scroll,
    Swipe: _write_swipe,
    System: _write_system,
    OpenApp: lambda action, _: _action("open_app", app_name=action.name),
    Wait: _write_wait,
    GiveAnswer: lambda action, _: _action("answer", text=action.text),
    Done: _write_end,
    Fail: _write_end,
}


def _wrap(actions: list[dict[str, Json]]) -> str:
    return "\n".join(f"Action: {to_json(action)}" for action in actions)


DIALECT: Final = json_dialect(
    "android_world", "AndroidWorld's JSON", _read_object, _WRITERS, wrap=_wrap
)
