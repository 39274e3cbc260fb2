"""BrowserGym's high-level actions with coordinates, tabs, navigation and chat.

Actions that name an element by its ``bid`` are invalid: nothing here has one.
"""

from __future__ import annotations

import re
from typing import Final

from screenmark.answers.actions.calls import Form, digits, quote
from screenmark.answers.actions.dialect import (
    Writers,
    call_dialect,
    clicked_first,
    plain,
    typing,
)
from screenmark.answers.actions.fences import before_fences, fenced_blocks
from screenmark.answers.actions.fields import BUTTONS, Fields, typed
from screenmark.answers.actions.keys import DOM, read_chord, split_chord, write_keys
from screenmark.answers.actions.mouse_writers import call
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Click,
    CloseTab,
    Drag,
    Fail,
    GiveAnswer,
    Goto,
    Key,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    NewTab,
    Place,
    Scroll,
    SwitchTab,
    System,
    Type,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid

_XY: Final = ("x", "y")
_TAGGED = re.compile(r"<action>(.*?)(?:</action>|\Z)", re.S | re.I)


def _drag(fields: Fields) -> list[Action]:
    return [Drag((fields.the_xy("from_x", "from_y"), fields.the_xy("to_x", "to_y")))]


def _scroll(fields: Fields) -> list[Action]:
    dx, dy = fields.scale.length(fields.number("delta_x", "dx"), fields.number("delta_y", "dy"))
    return [Scroll(dx, dy, "screen")]


def _scroll_at(fields: Fields) -> list[Action]:
    dx, dy = fields.scale.length(fields.number("dx"), fields.number("dy"))
    return [Scroll(dx, dy, "screen", fields.the_xy())]


def _tab(fields: Fields) -> list[Action]:
    index = fields.number("index")
    if index != int(index) or not 0 <= index < 1000:
        raise Invalid("tab_focus: 'index' has to be a whole number from 0 on")
    return [SwitchTab(int(index))]


def _bid(fields: Fields) -> list[Action]:
    raise Invalid(
        f"{fields.name}() needs an element's bid, and nothing here has one: "
        "use mouse_click(x, y), keyboard_type(text), scroll(delta_x, delta_y)"
    )


def _press(fields: Fields) -> list[Action]:
    return [Key(read_chord(split_chord(fields.text("key"))))]


def _wait(fields: Fields) -> list[Action]:
    milliseconds = fields.number("wait_ms", default=1000.0)
    return [Wait(Fields("noop", {"seconds": milliseconds / 1000}, fields.scale).seconds("seconds"))]


_BIDS: Final = dict.fromkeys(
    (
        *("click", "dblclick", "hover", "fill", "press", "focus", "clear", "drag_and_drop"),
        *("select_option", "check", "uncheck", "upload_file"),
    ),
    Form(_bid, ("*arguments",), frozenset({"bid", "button", "modifiers", "value", "options"})),
)
_FORMS: Final[dict[str, Form]] = {
    **_BIDS,
    "mouse_move": Form(lambda f: [Move(f.the_xy())], _XY),
    "mouse_click": Form(lambda f: [Click(f.the_xy(), f.button())], (*_XY, "button")),
    "mouse_dblclick": Form(lambda f: [Click(f.the_xy(), f.button(), 2)], (*_XY, "button")),
    "mouse_down": Form(lambda f: [MouseDown(f.the_xy(), f.button())], (*_XY, "button")),
    "mouse_up": Form(lambda f: [MouseUp(f.the_xy(), f.button())], (*_XY, "button")),
    "mouse_drag_and_drop": Form(_drag, ("from_x", "from_y", "to_x", "to_y")),
    "scroll": Form(_scroll, ("delta_x", "delta_y"), frozenset({"dx", "dy"})),
    "scroll_at": Form(_scroll_at, (*_XY, "dx", "dy")),
    "keyboard_press": Form(_press, ("key",)),
    "keyboard_down": Form(lambda f: [KeyDown(f.key("key"))], ("key",)),
    "keyboard_up": Form(lambda f: [KeyUp(f.key("key"))], ("key",)),
    "keyboard_type": Form(lambda f: [typed(f.text("text"))], ("text",)),
    "keyboard_insert_text": Form(lambda f: [typed(f.text("text"))], ("text",)),
    "goto": Form(lambda f: [Goto(f.text("url"))], ("url",)),
    "go_back": Form(lambda f: [System("back")]),
    "go_forward": Form(lambda f: [System("forward")]),
    "new_tab": Form(lambda f: [NewTab()]),
    "tab_close": Form(lambda f: [CloseTab()]),
    "tab_focus": Form(_tab, ("index",)),
    "send_msg_to_user": Form(lambda f: [GiveAnswer(f.text("text"))], ("text",)),
    "report_infeasible": Form(lambda f: [Fail(f.text("reason"))], ("reason",)),
    "noop": Form(_wait, ("wait_ms",)),
}


def _find(text: str) -> tuple[str, str]:
    if tagged := [found[1] for found in _TAGGED.finditer(text)]:
        return text.partition("<action>")[0].strip(), "\n".join(tagged)
    if blocks := fenced_blocks(text):
        return before_fences(text), "\n".join(blocks)
    return "", text


def _xy(point: Place | None, scale: Scale) -> list[str]:
    if point is None:
        raise CannotWrite("an action of the mouse has a place")
    return [digits(number) for number in scale.numbers(point)]


def _mouse(name: str, action: Click | MouseDown | MouseUp, scale: Scale) -> list[str]:
    if action.button not in {"left", "right", "middle"} or action.button not in BUTTONS:
        raise CannotWrite(f"there is no button {action.button!r}: left, right, middle")
    button = [] if action.button == "left" else [f"button={quote(action.button)}"]
    return [call(name, *_xy(action.point, scale), *button)]


def _write_click(action: Click, scale: Scale) -> list[str]:
    plain(action, "modifiers")
    if action.count > 2:
        raise CannotWrite("there is no triple click")
    return _mouse("mouse_dblclick" if action.count == 2 else "mouse_click", action, scale)


def _write_drag(action: Drag, scale: Scale) -> list[str]:
    plain(action, "button", "modifiers")
    if len(action.path) != 2:
        raise CannotWrite("a drag has a start and an end")
    numbers = [number for place in action.path for number in _xy(place, scale)]
    return [call("mouse_drag_and_drop", *numbers)]


def _write_scroll(action: Scroll, scale: Scale) -> list[str]:
    plain(action, "modifiers")
    if action.unit != "screen":
        raise CannotWrite("a scroll counts pixels")
    by = [digits(number) for number in scale.lengths(action.dx, action.dy)]
    if action.point is None:
        return [call("scroll", *by)]
    return [call("scroll_at", *_xy(action.point, scale), *by)]


def _write_type(action: Type, scale: Scale) -> list[str]:
    return clicked_first(
        action, scale, _WRITERS, lambda a, _: [call("keyboard_type", quote(typing(a)))]
    )


def _write_system(action: System, scale: Scale) -> list[str]:
    if action.button not in {"back", "forward"}:
        raise CannotWrite(f"a browser has no button {action.button!r}")
    return [f"go_{action.button}()"]


_WRITERS: Final[Writers[str]] = {
    Click: _write_click,
    Move: lambda action, scale: [call("mouse_move", *_xy(action.point, scale))],
    MouseDown: lambda action, scale: _mouse("mouse_down", action, scale),
    MouseUp: lambda action, scale: _mouse("mouse_up", action, scale),
    Drag: _write_drag,
    Scroll: _write_scroll,
    Type: _write_type,
    Key: lambda a, _: [call("keyboard_press", quote("+".join(write_keys(a.keys, DOM))))],
    KeyDown: lambda a, _: [call("keyboard_down", quote(DOM.get(a.key, a.key)))],
    KeyUp: lambda a, _: [call("keyboard_up", quote(DOM.get(a.key, a.key)))],
    Goto: lambda action, _: [call("goto", quote(action.url))],
    System: _write_system,
    NewTab: lambda action, _: ["new_tab()"],
    CloseTab: lambda action, _: ["tab_close()"],
    SwitchTab: lambda action, _: [f"tab_focus({action.index})"],
    GiveAnswer: lambda action, _: [call("send_msg_to_user", quote(action.text))],
    Fail: lambda action, _: [call("report_infeasible", quote(action.reason))],
    Wait: lambda action, _: [f"noop({digits(action.seconds * 1000)})"],
}


def _wrap(calls: list[str]) -> str:
    return "\n".join(("```", *calls, "```"))


DIALECT: Final = call_dialect(
    "browsergym", "BrowserGym with coordinates", _FORMS, _WRITERS, find=_find, wrap=_wrap
)
