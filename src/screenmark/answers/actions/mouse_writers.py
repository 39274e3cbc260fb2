"""Writers of calls in pyautogui's style, see `mouse_forms`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from screenmark.answers.actions.calls import digits, quote
from screenmark.answers.actions.dialect import Writers, clicked_first, typing
from screenmark.answers.actions.keys import PYAUTOGUI, write_keys
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
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
    Type,
)
from screenmark.answers.actions.trouble import CannotWrite

Held: TypeAlias = Callable[[list[str], list[str]], list[str]]
"""Lines of calls, and keys: the lines with the keys held."""

_CLICKS: Final = {1: "click", 2: "doubleClick", 3: "tripleClick"}


def xy(point: Place | None, scale: Scale) -> list[str]:
    """``x=…, y=…``, or nothing for the pointer's place."""
    if point is None:
        return []
    return [f"{axis}={n}" for axis, n in zip("xy", scale.numbers(point), strict=True)]


def call(name: str, *arguments: str) -> str:
    """A call as text."""
    return f"{name}({', '.join(arguments)})"


def writers(prefix: str, held: Held | None = None) -> Writers[str]:
    """Writers of what all dialects of this style can say.

    Args:
        prefix: of every name, ``pyautogui.``.
        held: how keys are held while the mouse acts; None where there is no such thing.
    """
    mouse = _Mouse(prefix, held)
    return mouse.table


class _Mouse:
    def __init__(self, prefix: str, held: Held | None) -> None:
        self.prefix = prefix
        self.held = held
        self.table: Writers[str] = {
            Click: self.click,
            Move: lambda a, scale: [self.call("moveTo", *xy(a.point, scale))],
            MouseDown: lambda a, scale: [self.button("mouseDown", a, scale)],
            MouseUp: lambda a, scale: [self.button("mouseUp", a, scale)],
            Drag: self.drag,
            Scroll: self.scroll,
            Type: self.type,
            Key: self.key,
            KeyDown: lambda a, _: [self.call("keyDown", *_quoted([a.key]))],
            KeyUp: lambda a, _: [self.call("keyUp", *_quoted([a.key]))],
        }

    def call(self, name: str, *arguments: str) -> str:
        return call(self.prefix + name, *arguments)

    def modified(self, lines: list[str], keys: tuple[str, ...]) -> list[str]:
        if not keys:
            return lines
        if self.held is None:
            raise CannotWrite("the dialect cannot hold keys while the mouse acts")
        return self.held(lines, write_keys(keys, PYAUTOGUI))

    def click(self, action: Click, scale: Scale) -> list[str]:
        name, button = _CLICKS[action.count], _button(action.button)
        if action.count == 1 and action.button in {"right", "middle"}:
            name, button = f"{action.button}Click", []
        line = self.call(name, *xy(action.point, scale), *button)
        return self.modified([line], action.modifiers)

    def button(self, name: str, action: MouseDown | MouseUp, scale: Scale) -> str:
        return self.call(name, *xy(action.point, scale), *_button(action.button))

    def drag(self, action: Drag, scale: Scale) -> list[str]:
        button = _button(action.button)
        moves = [self.call("moveTo", *xy(point, scale)) for point in action.path]
        if len(moves) <= 2:
            to = self.call("dragTo", *xy(action.path[-1], scale), *button)
            return self.modified([*moves[:-1], to], action.modifiers)
        down, up = (self.call(name, *button) for name in ("mouseDown", "mouseUp"))
        return self.modified([moves[0], down, *moves[1:], up], action.modifiers)

    def scroll(self, action: Scroll, scale: Scale) -> list[str]:
        if action.unit != "notch":
            raise CannotWrite("scroll() counts notches of the wheel")
        if bool(action.dx) == bool(action.dy):
            raise CannotWrite("a scroll is either vertical or horizontal")
        name, clicks = ("hscroll", action.dx) if action.dx else ("scroll", -action.dy)
        line = self.call(name, digits(clicks), *xy(action.point, scale))
        return self.modified([line], action.modifiers)

    def type(self, action: Type, scale: Scale) -> list[str]:
        return clicked_first(
            action, scale, self.table, lambda a, _: [self.call("write", quote(typing(a)))]
        )

    def key(self, action: Key, scale: Scale) -> list[str]:
        return [self.call("hotkey" if len(action.keys) > 1 else "press", *_quoted(action.keys))]


def _button(button: Button) -> list[str]:
    return [] if button == "left" else [f"button={quote(button)}"]


def _quoted(keys: Iterable[str]) -> list[str]:
    return [quote(key) for key in write_keys(keys, PYAUTOGUI)]
