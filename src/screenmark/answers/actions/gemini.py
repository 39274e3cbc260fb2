"""Gemini's computer use: functions for a browser, places in thousandths, x before y.

``scroll_at`` has a magnitude in thousandths of the screen, ``scroll_document`` is a screen.
Typing presses Enter and empties the field first unless told otherwise. A reply without a call
is the agent's last word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from screenmark.answers.actions.dialect import Writers, json_dialect, plain
from screenmark.answers.actions.fields import DIRECTIONS, Fields, typed
from screenmark.answers.actions.keys import PLAIN, write_keys
from screenmark.answers.actions.objects import to_json, tool_call
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Click,
    Drag,
    Goto,
    Key,
    Move,
    Place,
    Screenshot,
    Scroll,
    System,
    Type,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.types import Json

Reader = Callable[[Fields], list[Action]]

WAIT_SECONDS: Final = 5.0
MAGNITUDE: Final = 800.0


def _type(fields: Fields) -> list[Action]:
    submit = fields.flag("press_enter", default=True)
    clear = fields.flag("clear_before_typing", default=True)
    return [typed(fields.text("text"), submit=submit, clear=clear, point=fields.the_xy())]


def _scroll(fields: Fields) -> list[Action]:
    magnitude = fields.number("magnitude", default=MAGNITUDE)
    across, down = fields.choice("direction", DIRECTIONS)
    right, below = fields.scale.length(across * magnitude, down * magnitude)
    return [Scroll(right, below, "screen", fields.the_xy())]


def _scroll_document(fields: Fields) -> list[Action]:
    across, down = fields.choice("direction", DIRECTIONS)
    return [Scroll(float(across), float(down), "screen")]


def _drag(fields: Fields) -> list[Action]:
    return [Drag((fields.the_xy(), fields.the_xy("destination_x", "destination_y")))]


_READERS: Final[dict[str, Reader]] = {
    "click_at": lambda f: [Click(f.the_xy())],
    "hover_at": lambda f: [Move(f.the_xy())],
    "type_text_at": _type,
    "key_combination": lambda f: [Key(f.chord("keys"))],
    "scroll_at": _scroll,
    "scroll_document": _scroll_document,
    "drag_and_drop": _drag,
    "navigate": lambda f: [Goto(f.text("url"))],
    "go_back": lambda f: [System("back")],
    "go_forward": lambda f: [System("forward")],
    "wait_5_seconds": lambda f: [Wait(WAIT_SECONDS)],
    "open_web_browser": lambda f: [Screenshot()],
}


def _read_object(value: dict[str, Json], scale: Scale) -> list[Action]:
    if isinstance(value.get("text"), str) and "name" not in value:
        return []
    call = tool_call(value)
    if call.name is None or call.name not in _READERS:
        raise Invalid(f"there is no function {str(call.name)[:40]!r}: {', '.join(_READERS)}")
    return _READERS[call.name](Fields(call.name, call.arguments, scale))


def _call(name: str, **arguments: Json) -> list[dict[str, Json]]:
    return [{"name": name, "args": arguments}]


def _xy(point: Place | None, scale: Scale, x: str = "x", y: str = "y") -> dict[str, Json]:
    if point is None:
        raise CannotWrite("the function has a place")
    return dict(zip((x, y), scale.numbers(point), strict=True))


def _write_click(action: Click, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "button", "count", "modifiers")
    return _call("click_at", **_xy(action.point, scale))


def _write_type(action: Type, scale: Scale) -> list[dict[str, Json]]:
    return _call(
        "type_text_at",
        **_xy(action.point, scale),
        text=action.text,
        press_enter=action.submit,
        clear_before_typing=action.clear,
    )


def _write_scroll(action: Scroll, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "modifiers")
    if action.unit != "screen" or bool(action.dx) == bool(action.dy):
        raise CannotWrite("a scroll is a share of the screen in one of four directions")
    right, down = scale.lengths(action.dx, action.dy)
    if action.dx:
        way, amount = "right" if action.dx > 0 else "left", abs(right)
    else:
        way, amount = "down" if action.dy > 0 else "up", abs(down)
    if action.point is None:
        if 1 not in {abs(action.dx), abs(action.dy)}:
            raise CannotWrite("a scroll without a place is a whole screen")
        return _call("scroll_document", direction=way)
    return _call("scroll_at", **_xy(action.point, scale), direction=way, magnitude=amount)


def _write_drag(action: Drag, scale: Scale) -> list[dict[str, Json]]:
    plain(action, "button", "modifiers")
    if len(action.path) != 2:
        raise CannotWrite("a drag has a start and an end")
    start, end = action.path
    to = _xy(end, scale, "destination_x", "destination_y")
    return _call("drag_and_drop", **_xy(start, scale), **to)


def _write_system(action: System, scale: Scale) -> list[dict[str, Json]]:
    if action.button not in {"back", "forward"}:
        raise CannotWrite(f"a browser has no button {action.button!r}")
    return _call(f"go_{action.button}")


def _write_wait(action: Wait, scale: Scale) -> list[dict[str, Json]]:
    if action.seconds != WAIT_SECONDS:
        raise CannotWrite(f"a wait is {WAIT_SECONDS:g} seconds")
    return _call("wait_5_seconds")


_WRITERS: Final[Writers[dict[str, Json]]] = {
    Click: _write_click,
    Move: lambda action, scale: _call("hover_at", **_xy(action.point, scale)),
    Type: _write_type,
    Key: lambda a, _: _call("key_combination", keys="+".join(write_keys(a.keys, PLAIN))),
    Scroll: _write_scroll,
    Drag: _write_drag,
    Goto: lambda action, _: _call("navigate", url=action.url),
    System: _write_system,
    Wait: _write_wait,
    Screenshot: lambda action, _: _call("open_web_browser"),
}


def _wrap(calls: list[dict[str, Json]]) -> str:
    return "\n".join(map(to_json, calls))


DIALECT: Final = json_dialect(
    "gemini",
    "Gemini's computer use",
    _read_object,
    _WRITERS,
    wrap=_wrap,
    last_word_without=_READERS,
)
