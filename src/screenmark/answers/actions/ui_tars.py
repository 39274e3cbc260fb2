"""UI-TARS and Doubao's UI-TARS: ``Thought: …`` and ``Action: click(point='<point>x y</point>')``.

One reader for computers and phones; ``ui-tars-mobile`` takes a drag for a swipe and scrolls by
half a screen, ``ui-tars`` by five notches of the wheel. ``wait()`` is five seconds. A line break
at the end of ``type(content=…)`` is the Enter key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from screenmark.answers.actions.calls import Form, quote
from screenmark.answers.actions.dialect import Writers, call_dialect, clicked_first, plain, typing
from screenmark.answers.actions.fields import DIRECTIONS, Fields, typed
from screenmark.answers.actions.keys import PLAIN, read_chord, split_chord, write_keys
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Button,
    CallUser,
    Click,
    Done,
    Drag,
    Key,
    KeyDown,
    KeyUp,
    LongPress,
    Move,
    OpenApp,
    Place,
    Scroll,
    Swipe,
    System,
    Type,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite

NOTCHES: Final = 5.0
"""Of the wheel, for a scroll of which only the direction is said."""
HALF_A_SCREEN: Final = 0.5
WAIT_SECONDS: Final = 5.0

_THOUGHT = re.compile(r"^[ \t*#]{0,8}(?:Thought|Reflection|思考)\**[ \t]{0,4}[:：]", re.M | re.I)
_ACTION = re.compile(r"^[ \t*#]{0,8}(?:Action|动作)\**[ \t]{0,4}[:：]", re.M | re.I)
_POINT: Final = ("point", "start_box", "start_point", "box")
_END: Final = ("end_point", "end_box")


def _click(button: Button, count: int) -> Form:
    return Form(lambda fields: [Click(fields.place(*_POINT), button, count)], ("point",), _OTHER)


_OTHER: Final = frozenset({*_POINT, *_END, "direction", "content", "key", "hotkey"})


def _drag(fields: Fields) -> list[Action]:
    return [Drag((fields.the_place(*_POINT), fields.the_place(*_END)))]


def _swipe(fields: Fields) -> list[Action]:
    return [Swipe(fields.the_place(*_POINT), fields.the_place(*_END))]


def _scroll(fields: Fields) -> list[Action]:
    across, down = fields.choice("direction", DIRECTIONS)
    return [Scroll(across * NOTCHES, down * NOTCHES, point=fields.place(*_POINT))]


def _scroll_mobile(fields: Fields) -> list[Action]:
    across, down = (HALF_A_SCREEN * way for way in fields.choice("direction", DIRECTIONS))
    return [Scroll(across, down, "screen", fields.place(*_POINT))]


def _hotkey(fields: Fields) -> list[Action]:
    words = fields.text("key", "hotkey").split()
    return [Key(read_chord(name for word in words for name in split_chord(word)))]


def _key_down(fields: Fields) -> list[Action]:
    return [KeyDown(fields.key("key"))]


def _key_up(fields: Fields) -> list[Action]:
    return [KeyUp(fields.key("key"))]


def _open(fields: Fields) -> list[Action]:
    return [OpenApp(fields.text("app_name", "app"))]


def _end(kind: Callable[[str], Action]) -> Form:
    return Form(lambda fields: [kind(fields.text("content", default=""))], ("content",))


_TOUCH: Final = Form(lambda f: [LongPress(f.the_place(*_POINT))], ("point",), _OTHER)
_COMPUTER: Final[dict[str, Form]] = {
    "click": _click("left", 1),
    "left_single": _click("left", 1),
    "left_double": _click("left", 2),
    "right_single": _click("right", 1),
    "hover": Form(lambda f: [Move(f.the_place(*_POINT))], ("point",), _OTHER),
    "drag": Form(_drag, ("start_point", "end_point"), _OTHER),
    "select": Form(_drag, ("start_point", "end_point"), _OTHER),
    "scroll": Form(_scroll, ("point", "direction"), _OTHER),
    "hotkey": Form(_hotkey, ("key",), _OTHER),
    "press": Form(_hotkey, ("key",), _OTHER),
    "keydown": Form(_key_down, ("key",)),
    "keyup": Form(_key_up, ("key",)),
    "release": Form(_key_up, ("key",)),
    "type": Form(lambda f: [typed(f.text("content"))], ("content",)),
    "wait": Form(lambda f: [Wait(f.seconds("seconds", "t", default=WAIT_SECONDS))], ("seconds",)),
    "long_press": _TOUCH,
    "open_app": Form(_open, ("app_name",), frozenset({"app"})),
    "press_home": Form(lambda f: [System("home")]),
    "press_back": Form(lambda f: [System("back")]),
    "finished": _end(Done),
    "call_user": _end(CallUser),
}
_MOBILE: Final = {
    **_COMPUTER,
    "drag": Form(_swipe, ("start_point", "end_point"), _OTHER),
    "swipe": Form(_swipe, ("start_point", "end_point"), _OTHER),
    "scroll": Form(_scroll_mobile, ("point", "direction"), _OTHER),
}


def _find(text: str) -> tuple[str, str]:
    """The last thought with an action after it, and all actions after it."""
    actions = list(_ACTION.finditer(text))
    if not actions:
        return "", text
    thoughts = [t for t in _THOUGHT.finditer(text) if t.start() < actions[-1].start()]
    begin = thoughts[-1].end() if thoughts else 0
    first = next(action for action in actions if action.start() >= begin)
    return text[begin : first.start()].strip(), _ACTION.sub("", text[first.start() :])


def _box(place: Place, scale: Scale) -> str:
    return "'<point>{} {}</point>'".format(*scale.numbers(place))


def _write_click(action: Click, scale: Scale) -> list[str]:
    plain(action, "modifiers")
    names = {("left", 1): "click", ("left", 2): "left_double", ("right", 1): "right_single"}
    name = names.get((action.button, action.count))
    if name is None or action.point is None:
        raise CannotWrite("clicks are left, double or right, and have a point")
    return [f"{name}(point={_box(action.point, scale)})"]


def _write_drag(action: Drag | Swipe, scale: Scale) -> list[str]:
    plain(action, "modifiers", "button", "seconds")
    path = action.path if isinstance(action, Drag) else (action.start, action.end)
    if len(path) != 2:
        raise CannotWrite("a drag has a start and an end")
    start, end = (_box(place, scale) for place in path)
    return [f"drag(start_point={start}, end_point={end})"]


def _write_scroll(unit: str, amount: float) -> Callable[[Scroll, Scale], list[str]]:
    def write(action: Scroll, scale: Scale) -> list[str]:
        plain(action, "modifiers")
        ways = {(x * amount, y * amount): word for word, (x, y) in DIRECTIONS.items()}
        word = ways.get((action.dx, action.dy))
        if action.unit != unit or word is None:
            raise CannotWrite(f"a scroll is {amount:g} of {unit!r} in one of four directions")
        point = "" if action.point is None else f"point={_box(action.point, scale)}, "
        return [f"scroll({point}direction='{word}')"]

    return write


def _write_type(action: Type, scale: Scale) -> list[str]:
    return clicked_first(
        action, scale, _WRITERS, lambda a, _: [f"type(content={quote(typing(a))})"]
    )


def _write_key(action: Key, scale: Scale) -> list[str]:
    return [f"hotkey(key={quote(' '.join(write_keys(action.keys, PLAIN)))})"]


def _write_wait(action: Wait, scale: Scale) -> list[str]:
    if action.seconds != WAIT_SECONDS:
        raise CannotWrite(f"wait() is {WAIT_SECONDS:g} seconds")
    return ["wait()"]


def _write_press(action: LongPress, scale: Scale) -> list[str]:
    plain(action, "seconds")
    if action.point is None:
        raise CannotWrite("a long press has a point")
    return [f"long_press(point={_box(action.point, scale)})"]


def _write_system(action: System, scale: Scale) -> list[str]:
    if action.button not in {"home", "back"}:
        raise CannotWrite(f"there is no button {action.button!r}, only home and back")
    return [f"press_{action.button}()"]


def _write_end(action: Done | CallUser, scale: Scale) -> list[str]:
    name = "finished" if isinstance(action, Done) else "call_user"
    return [f"{name}({f'content={quote(action.text)}' if action.text else ''})"]


_WRITERS: Final[Writers[str]] = {
    Click: _write_click,
    Type: _write_type,
    Wait: _write_wait,
    Done: _write_end,
    CallUser: _write_end,
}
_COMPUTER_WRITERS: Final[Writers[str]] = {
    **_WRITERS,
    Drag: _write_drag,
    Scroll: _write_scroll("notch", NOTCHES),
    Key: _write_key,
}
_MOBILE_WRITERS: Final[Writers[str]] = {
    **_WRITERS,
    Swipe: _write_drag,
    Scroll: _write_scroll("screen", HALF_A_SCREEN),
    LongPress: _write_press,
    System: _write_system,
    OpenApp: lambda action, scale: [f"open_app(app_name={quote(action.name)})"],
}


def _wrap(calls: list[str]) -> str:
    return "Action: " + "\n\n".join(calls)


COMPUTER: Final = call_dialect(
    "ui-tars", "UI-TARS on a computer", _COMPUTER, _COMPUTER_WRITERS, find=_find, wrap=_wrap
)
MOBILE: Final = call_dialect(
    "ui-tars-mobile", "UI-TARS on a phone", _MOBILE, _MOBILE_WRITERS, find=_find, wrap=_wrap
)
