"""CogAgent-9B: ``CLICK(box=[[x1,y1,x2,y2]], element_info='…')`` after ``Grounded Operation:``.

Boxes are thousandths of three digits with zeros in front; the place is the centre. What needs
the vendor's own client (quoting text, calling a language model) is invalid.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from screenmark.answers.actions.calls import Call, Form, digits, quote
from screenmark.answers.actions.dialect import Writers, call_dialect, plain, typing
from screenmark.answers.actions.fields import DIRECTIONS, Fields, typed
from screenmark.answers.actions.keys import COGAGENT, read_chord, read_key
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Button,
    Click,
    Done,
    Goto,
    Key,
    KeyDown,
    KeyUp,
    Move,
    OpenApp,
    Place,
    Scroll,
    Type,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid

_NAMES: Final = frozenset({"box", "element_type", "element_info", "text", "step_count"})
_OPERATION = re.compile(
    r"^[ \t*]{0,8}(?:Grounded Operation|Operation)[ \t*]{0,4}[:：]", re.M | re.I
)
_ZEROS = re.compile(r"(?<=[\[,\s])0{1,2}(?=\d)")
_BOX = re.compile(r"box\s*=\s*\[\[?[\d\s,]{1,60}\]")


def _click(button: Button, count: int) -> Form:
    return Form(lambda f: [Click(f.the_place("box"), button, count)], ("box",), _NAMES)


def _scroll(direction: str) -> Form:
    across, down = DIRECTIONS[direction]

    def read(fields: Fields) -> list[Action]:
        steps = fields.number("step_count")
        point = fields.place("box")
        return [Scroll(across * steps or 0.0, down * steps or 0.0, "notch", point)]

    return Form(read, ("box",), _NAMES)


def _key_name(name: str) -> str:
    return name.lower() if len(name) == 1 else name


def _press(fields: Fields) -> list[Action]:
    return [Key((read_key(_key_name(fields.text("key"))),))]


def _gesture(fields: Fields) -> list[Action]:
    """A chord where the keys that go down are released again around one press."""
    calls = fields.need("actions")
    if not isinstance(calls, list) or not all(isinstance(call, Call) for call in calls):
        raise Invalid("GESTURE needs 'actions', a list of KEY_DOWN, KEY_PRESS and KEY_UP")
    steps: list[tuple[str, str]] = []
    for call in calls:
        key = Fields(
            call.name, {"key": next(iter(call.positional), None), **call.named}, fields.scale
        )
        steps.append((call.name, read_key(_key_name(key.text("key")))))
    kinds = [kind for kind, _ in steps]
    down = kinds.count("KEY_DOWN")
    if kinds == ["KEY_DOWN"] * down + ["KEY_PRESS"] + ["KEY_UP"] * down:
        keys = [key for _, key in steps]
        if sorted(keys[:down]) == sorted(keys[down + 1 :]):
            return [Key(read_chord(keys[: down + 1]))]
    makers: dict[str, Callable[[str], Action]] = {
        "KEY_DOWN": KeyDown,
        "KEY_UP": KeyUp,
        "KEY_PRESS": lambda key: Key((key,)),
    }
    if unknown := [kind for kind in kinds if kind not in makers]:
        raise Invalid(f"GESTURE has no {unknown[0][:40]!r}: KEY_DOWN, KEY_PRESS, KEY_UP")
    return [makers[kind](key) for kind, key in steps]


def _launch(fields: Fields) -> list[Action]:
    """The address counts where there are both; ``'None'`` is none."""
    url, app = (fields.text(name, default="None") for name in ("url", "app"))
    if url not in {"None", ""}:
        return [Goto(url)]
    if app in {"None", ""}:
        raise Invalid("LAUNCH needs 'app' or 'url'")
    return [OpenApp(app)]


def _not_here(fields: Fields) -> list[Action]:
    raise Invalid(f"{fields.name} is not possible here")


_FORMS: Final[dict[str, Form]] = {
    "CLICK": _click("left", 1),
    "DOUBLE_CLICK": _click("left", 2),
    "RIGHT_CLICK": _click("right", 1),
    "HOVER": Form(lambda f: [Move(f.the_place("box"))], ("box",), _NAMES),
    "TYPE": Form(lambda f: [typed(f.text("text"), point=f.place("box"))], ("box",), _NAMES),
    "SCROLL_UP": _scroll("up"),
    "SCROLL_DOWN": _scroll("down"),
    "SCROLL_LEFT": _scroll("left"),
    "SCROLL_RIGHT": _scroll("right"),
    "KEY_PRESS": Form(_press, ("key",)),
    "GESTURE": Form(_gesture, ("actions",)),
    "LAUNCH": Form(_launch, ("app", "url")),
    "END": Form(lambda f: [Done()]),
    **dict.fromkeys(
        ("QUOTE_TEXT", "QUOTE_CLIPBOARD", "LLM"),
        Form(_not_here, ("*arguments",), _NAMES | {"output", "result", "prompt", "auto_scroll"}),
    ),
}


def _find(text: str) -> tuple[str, str]:
    found = list(_OPERATION.finditer(text))
    said, body = (text[: found[-1].start()], text[found[-1].end() :]) if found else ("", text)
    return said.strip(), _BOX.sub(lambda box: _ZEROS.sub("", box[0]), body.lstrip())


def _box(place: Place, scale: Scale) -> str:
    x, y = (f"{min(int(number), 999):03d}" for number in scale.numbers(place))
    return f"box=[[{x},{y},{x},{y}]]"


def _write_click(action: Click, scale: Scale) -> list[str]:
    plain(action, "modifiers")
    names = {("left", 1): "CLICK", ("left", 2): "DOUBLE_CLICK", ("right", 1): "RIGHT_CLICK"}
    name = names.get((action.button, action.count))
    if name is None or action.point is None:
        raise CannotWrite("clicks are left, double or right, and have a box")
    return [f"{name}({_box(action.point, scale)})"]


def _write_type(action: Type, scale: Scale) -> list[str]:
    if action.point is None:
        raise CannotWrite("TYPE has a box")
    return [f"TYPE({_box(action.point, scale)}, text={quote(typing(action))})"]


def _write_scroll(action: Scroll, scale: Scale) -> list[str]:
    plain(action, "modifiers")
    if action.unit != "notch" or bool(action.dx) == bool(action.dy):
        raise CannotWrite("a scroll counts notches in one of four directions")
    if action.dx:
        way, steps = "RIGHT" if action.dx > 0 else "LEFT", abs(action.dx)
    else:
        way, steps = "DOWN" if action.dy > 0 else "UP", abs(action.dy)
    box = [] if action.point is None else [_box(action.point, scale)]
    return [f"SCROLL_{way}({', '.join([*box, f'step_count={digits(steps)}'])})"]


def _write_key(action: Key, scale: Scale) -> list[str]:
    *held, last = (quote(COGAGENT.get(key, key)) for key in action.keys)
    if not held:
        return [f"KEY_PRESS(key={last})"]
    steps = [f"KEY_DOWN(key={key})" for key in held]
    steps += [f"KEY_PRESS(key={last})", *(f"KEY_UP(key={key})" for key in reversed(held))]
    return [f"GESTURE(actions=[{', '.join(steps)}])"]


def _write_end(action: Done, scale: Scale) -> list[str]:
    plain(action, "text")
    return ["END()"]


_WRITERS: Final[Writers[str]] = {
    Click: _write_click,
    Move: lambda action, scale: [f"HOVER({_box(action.point, scale)})"],
    Type: _write_type,
    Scroll: _write_scroll,
    Key: _write_key,
    KeyDown: lambda a, _: [f"GESTURE(actions=[KEY_DOWN(key={quote(COGAGENT.get(a.key, a.key))})])"],
    KeyUp: lambda a, _: [f"GESTURE(actions=[KEY_UP(key={quote(COGAGENT.get(a.key, a.key))})])"],
    OpenApp: lambda action, _: [f"LAUNCH(app={quote(action.name)}, url='None')"],
    Goto: lambda action, _: [f"LAUNCH(app='None', url={quote(action.url)})"],
    Done: _write_end,
}


def _wrap(calls: list[str]) -> str:
    return "Grounded Operation: " + "\n".join(calls)


DIALECT: Final = call_dialect("cogagent", "CogAgent-9B", _FORMS, _WRITERS, find=_find, wrap=_wrap)
