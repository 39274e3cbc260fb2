"""Qwen's tools ``computer_use`` and ``mobile_use``, which Jedi and Fara call too.

``pixels`` of a scroll are a length in the space of the coordinates, positive upwards; of a
horizontal scroll positive to the right. Fara's additions to ``computer_use`` are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from screenmark.answers.actions.dialect import (
    Writers,
    clicked_first,
    json_dialect,
    plain,
    typing,
)
from screenmark.answers.actions.fields import Fields, typed
from screenmark.answers.actions.keys import PLAIN, adb_code, read_key, write_keys
from screenmark.answers.actions.objects import to_json, tool_call
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Button,
    Click,
    Done,
    Drag,
    Fail,
    GiveAnswer,
    Goto,
    Key,
    LongPress,
    Move,
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

WAIT_SECONDS: Final = 3.0
PRESS_SECONDS: Final = 2.0

_TOOLS: Final = frozenset({"computer_use", "mobile_use", "computer"})
_STATUS: Final = {"success": True, "failure": False}
_SYSTEM: Final[dict[str, SystemButton | None]] = {
    "back": "back",
    "home": "home",
    "menu": "menu",
    "enter": None,
}


def _click(button: Button, count: int) -> Reader:
    return lambda fields: [Click(fields.place("coordinate"), button, count)]


def _drag(fields: Fields) -> list[Action]:
    end = fields.place("coordinate2", "end_coordinate")
    if end is not None:
        return [Drag((fields.the_place("coordinate", "start_coordinate"), end))]
    start = fields.place("start_coordinate")
    last = fields.the_place("coordinate")
    return [Drag((last,) if start is None else (start, last))]


def _scroll(fields: Fields) -> list[Action]:
    _, up = fields.scale.length(0.0, fields.number("pixels"))
    return [Scroll(0.0, -up or 0.0, "screen", fields.place("coordinate"))]


def _hscroll(fields: Fields) -> list[Action]:
    right, _ = fields.scale.length(fields.number("pixels"), 0.0)
    return [Scroll(right, 0.0, "screen", fields.place("coordinate"))]


def _type(fields: Fields) -> list[Action]:
    submit = fields.flag("press_enter", default=False)
    clear = fields.flag("delete_existing_text", default=False)
    point = fields.place("coordinate")
    return [typed(fields.text("text"), submit=submit, clear=clear, point=point)]


def _key(fields: Fields) -> list[Action]:
    if fields.get("keys") is not None:
        return [Key(fields.chord("keys"))]
    code = fields.text("text")
    word = code.strip().lower().removeprefix("keycode_")
    if word in {"back", "home", "menu"}:
        return [System("back" if word == "back" else "home" if word == "home" else "menu")]
    return [Key((read_key(code, adb=True),))]


def _system(fields: Fields) -> list[Action]:
    button = fields.choice("button", _SYSTEM)
    return [Key(("enter",)) if button is None else System(button)]


def _swipe(fields: Fields) -> list[Action]:
    return [Swipe(fields.the_place("coordinate"), fields.the_place("coordinate2"))]


def _terminate(fields: Fields) -> list[Action]:
    return [Done() if fields.choice("status", _STATUS, "success") else Fail()]


def _long_press(fields: Fields) -> list[Action]:
    seconds = fields.seconds("time", default=PRESS_SECONDS)
    return [LongPress(fields.the_place("coordinate"), seconds)]


_READERS: Final[dict[str, Reader]] = {
    "key": _key,
    "type": _type,
    "mouse_move": lambda fields: [Move(fields.the_place("coordinate"))],
    "left_click": _click("left", 1),
    "click": _click("left", 1),
    "right_click": _click("right", 1),
    "middle_click": _click("middle", 1),
    "double_click": _click("left", 2),
    "triple_click": _click("left", 3),
    "left_click_drag": _drag,
    "scroll": _scroll,
    "hscroll": _hscroll,
    "long_press": _long_press,
    "swipe": _swipe,
    "system_button": _system,
    "open": lambda fields: [OpenApp(fields.text("text"))],
    "wait": lambda fields: [Wait(fields.seconds("time", default=WAIT_SECONDS))],
    "terminate": _terminate,
    "answer": lambda fields: [GiveAnswer(fields.text("text"))],
    "visit_url": lambda fields: [Goto(fields.text("url"))],
    "history_back": lambda fields: [System("back")],
}


def _read_object(value: dict[str, Json], scale: Scale) -> list[Action]:
    call = tool_call(value)
    if call.name is not None and call.name not in _TOOLS:
        raise Invalid(f"there is no tool {call.name[:40]!r}: computer_use, mobile_use")
    name = call.arguments.get("action")
    if not isinstance(name, str):
        raise Invalid("a call needs 'action'")
    reader = _READERS.get(name)
    if reader is None:
        raise Invalid(f"there is no action {name[:40]!r}: {', '.join(_READERS)}")
    return reader(Fields(name, call.arguments, scale))


def _call(tool: str, action: str, **arguments: Json) -> list[dict[str, Json]]:
    given = {name: value for name, value in arguments.items() if value is not None}
    return [{"name": tool, "arguments": {"action": action, **given}}]


def _at(point: Place | None, scale: Scale) -> Json:
    return None if point is None else scale.numbers(point)


class _Tool:
    """Writers of one of the tools; what both of them have."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.writers: dict[type, Callable[..., list[dict[str, Json]]]] = {
            Type: self.type_,
            Wait: lambda action, scale: _call(tool, "wait", time=action.seconds),
            GiveAnswer: lambda action, scale: _call(tool, "answer", text=action.text),
            Done: lambda action, scale: self.end(action, "success"),
            Fail: lambda action, scale: self.end(action, "failure"),
        }

    def type_(self, action: Type, scale: Scale) -> list[dict[str, Json]]:
        return clicked_first(
            action, scale, self.writers, lambda a, _: _call(self.tool, "type", text=typing(a))
        )

    def end(self, action: Done | Fail, status: str) -> list[dict[str, Json]]:
        plain(action, "text", "reason")
        return _call(self.tool, "terminate", status=status)


_CLICKS: Final = {
    ("left", 1): "left_click",
    ("left", 2): "double_click",
    ("left", 3): "triple_click",
    ("right", 1): "right_click",
    ("middle", 1): "middle_click",
}


def _computer_writers() -> Writers[dict[str, Json]]:
    tool = "computer_use"

    def click(action: Click, scale: Scale) -> list[dict[str, Json]]:
        plain(action, "modifiers")
        name = _CLICKS.get((action.button, action.count))
        if name is None:
            raise CannotWrite(f"no click is {action.count} times {action.button!r}")
        return _call(tool, name, coordinate=_at(action.point, scale))

    def drag(action: Drag, scale: Scale) -> list[dict[str, Json]]:
        plain(action, "modifiers", "button")
        if len(action.path) > 2:
            raise CannotWrite("a drag has a start and an end")
        moves = [_call(tool, "mouse_move", coordinate=_at(p, scale)) for p in action.path[:-1]]
        end = _call(tool, "left_click_drag", coordinate=_at(action.path[-1], scale))
        return [call for calls in (*moves, end) for call in calls]

    def scroll(action: Scroll, scale: Scale) -> list[dict[str, Json]]:
        plain(action, "modifiers")
        if action.unit != "screen" or bool(action.dx) == bool(action.dy):
            raise CannotWrite("a scroll counts pixels, either vertically or horizontally")
        right, down = scale.lengths(action.dx, action.dy)
        name, pixels = ("hscroll", right) if action.dx else ("scroll", -down)
        return _call(tool, name, pixels=pixels, coordinate=_at(action.point, scale))

    def move(action: Move, scale: Scale) -> list[dict[str, Json]]:
        return _call(tool, "mouse_move", coordinate=_at(action.point, scale))

    def key(action: Key, scale: Scale) -> list[dict[str, Json]]:
        return _call(tool, "key", keys=write_keys(action.keys, PLAIN))

    shared = _Tool(tool).writers
    shared |= {Click: click, Drag: drag, Scroll: scroll, Move: move, Key: key}
    return shared


def _mobile_writers() -> Writers[dict[str, Json]]:
    tool = "mobile_use"

    def click(action: Click, scale: Scale) -> list[dict[str, Json]]:
        plain(action, "modifiers", "button", "count")
        if action.point is None:
            raise CannotWrite("a touch has a place")
        return _call(tool, "click", coordinate=_at(action.point, scale))

    def press(action: LongPress, scale: Scale) -> list[dict[str, Json]]:
        if action.point is None:
            raise CannotWrite("a touch has a place")
        at = _at(action.point, scale)
        return _call(tool, "long_press", coordinate=at, time=action.seconds)

    def swipe(action: Swipe, scale: Scale) -> list[dict[str, Json]]:
        plain(action, "seconds")
        start, end = _at(action.start, scale), _at(action.end, scale)
        return _call(tool, "swipe", coordinate=start, coordinate2=end)

    def key(action: Key, scale: Scale) -> list[dict[str, Json]]:
        if len(action.keys) > 1:
            raise CannotWrite("mobile_use has no chords")
        if action.keys == ("enter",):
            return _call(tool, "system_button", button="Enter")
        code = adb_code(action.keys[0]).removeprefix("KEYCODE_").lower()
        return _call(tool, "key", text=code)

    def system(action: System, scale: Scale) -> list[dict[str, Json]]:
        if action.button not in _SYSTEM:
            raise CannotWrite(f"there is no button {action.button!r}: Back, Home, Menu, Enter")
        return _call(tool, "system_button", button=action.button.capitalize())

    def open_app(action: OpenApp, scale: Scale) -> list[dict[str, Json]]:
        return _call(tool, "open", text=action.name)

    shared = _Tool(tool).writers
    shared |= {Click: click, LongPress: press, Swipe: swipe}
    shared |= {Key: key, System: system, OpenApp: open_app}
    return shared


def _wrap(calls: list[dict[str, Json]]) -> str:
    return "\n".join(f"<tool_call>\n{to_json(call)}\n</tool_call>" for call in calls)


COMPUTER: Final = json_dialect(
    "qwen", "Qwen's computer_use, Jedi, Fara", _read_object, _computer_writers(), wrap=_wrap
)
MOBILE: Final = json_dialect(
    "qwen-mobile", "Qwen's mobile_use", _read_object, _mobile_writers(), wrap=_wrap
)
