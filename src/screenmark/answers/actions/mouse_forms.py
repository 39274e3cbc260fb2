"""Calls in pyautogui's style, which three dialects share: `pyautogui`, `aguvis`, `scalecua`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from screenmark.answers.actions.calls import Form
from screenmark.answers.actions.fields import Fields, typed
from screenmark.answers.actions.keys import read_chord, read_key
from screenmark.answers.actions.schema import (
    Action,
    Button,
    Click,
    Drag,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    Place,
    Scroll,
)
from screenmark.answers.actions.trouble import Invalid

_TIMING: Final = frozenset({"duration", "interval", "tween", "logScreenshot", "_pause"})
_XY: Final = ("x", "y")


def click(
    button: Button | None = None, count: int | None = None
) -> Callable[[Fields], list[Action]]:
    """A reader of clicks; what is None is an argument of the call."""

    def read(fields: Fields) -> list[Action]:
        return [
            Click(
                fields.xy(),
                button or fields.button(),
                count or fields.count("clicks", most=3),
            )
        ]

    return read


def _move(fields: Fields) -> list[Action]:
    return [Move(fields.the_xy())]


def _mouse_down(fields: Fields) -> list[Action]:
    return [MouseDown(fields.xy(), fields.button())]


def _mouse_up(fields: Fields) -> list[Action]:
    return [MouseUp(fields.xy(), fields.button())]


def _drag_to(fields: Fields) -> list[Action]:
    if fields.get("from_coord") is not None:
        path: tuple[Place, ...] = (fields.the_place("from_coord"), fields.the_place("to_coord"))
    else:
        path = (fields.the_xy(),)
    return [Drag(path, fields.button())]


def _scroll(fields: Fields) -> list[Action]:
    return [Scroll(0.0, -fields.number("clicks") or 0.0, point=fields.xy())]


def _hscroll(fields: Fields) -> list[Action]:
    return [Scroll(fields.number("clicks"), 0.0, point=fields.xy())]


def _write(fields: Fields) -> list[Action]:
    message = fields.need("message")
    if isinstance(message, (list, tuple)):  # a list is keys, one after the other
        return [Key((key,)) for key in map(_key_name, message)]
    return [typed(fields.text("message"))]


def _press(fields: Fields) -> list[Action]:
    keys = fields.need("keys")
    several = keys if isinstance(keys, (list, tuple)) else [keys]
    once: list[Action] = [Key((_key_name(key),)) for key in several]
    if not once:
        raise Invalid(f"{fields.name} needs a key")
    return once * fields.count("presses")


def _hotkey(fields: Fields) -> list[Action]:
    keys = fields.need("keys")
    several = keys if isinstance(keys, (list, tuple)) else [keys]
    if not all(isinstance(key, str) for key in several):
        raise Invalid(f"{fields.name} needs names of keys")
    return [Key(read_chord(several))]


def _key_name(key: object) -> str:
    if not isinstance(key, str):
        raise Invalid(f"{str(key)[:40]!r} is no name of a key")
    return read_key(key)


FORMS: Final[dict[str, Form]] = {
    "click": Form(click(), (*_XY, "clicks", "interval", "button"), _TIMING),
    "leftClick": Form(click("left", 1), (*_XY, "interval"), _TIMING),
    "rightClick": Form(click("right", 1), (*_XY, "interval"), _TIMING),
    "middleClick": Form(click("middle", 1), (*_XY, "interval"), _TIMING),
    "doubleClick": Form(click(None, 2), (*_XY, "interval", "button"), _TIMING),
    "tripleClick": Form(click(None, 3), (*_XY, "interval", "button"), _TIMING),
    "moveTo": Form(_move, (*_XY, "duration"), _TIMING),
    "mouseDown": Form(_mouse_down, (*_XY, "button"), _TIMING),
    "mouseUp": Form(_mouse_up, (*_XY, "button"), _TIMING),
    "dragTo": Form(
        _drag_to, (*_XY, "duration", "tween", "button"), _TIMING | {"from_coord", "to_coord"}
    ),
    "scroll": Form(_scroll, ("clicks", *_XY), _TIMING),
    "vscroll": Form(_scroll, ("clicks", *_XY), _TIMING),
    "hscroll": Form(_hscroll, ("clicks", *_XY), _TIMING),
    "write": Form(_write, ("message", "interval"), _TIMING),
    "typewrite": Form(_write, ("message", "interval"), _TIMING),
    "press": Form(_press, ("keys", "presses", "interval"), _TIMING),
    "hotkey": Form(_hotkey, ("*keys",), _TIMING),
    "keyDown": Form(lambda fields: [KeyDown(fields.key("key"))], ("key",), _TIMING),
    "keyUp": Form(lambda fields: [KeyUp(fields.key("key"))], ("key",), _TIMING),
}
"""By the names without a prefix."""
