"""Claude's computer tools: 2024-10-22, 2025-01-24, 2025-11-24 and the toolset of 2026-08-01.

Keys are xdotool's. ``scroll_amount`` counts notches of the wheel. What one version does not
have is invalid in it; the earliest clicks where the pointer is, so that a click at a place is
written as a move and a click. Calls are also read as ``<invoke name="computer">``. A reply
without a call is the agent's last word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from screenmark.answers.actions.dialect import (
    Dialect,
    Writers,
    clicked_first,
    json_dialect,
    plain,
    typing,
)
from screenmark.answers.actions.fields import DIRECTIONS, Fields, typed
from screenmark.answers.actions.keys import XDOTOOL, read_chord, split_chord, write_keys
from screenmark.answers.actions.objects import to_json, tool_call
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Button,
    Click,
    CursorPosition,
    Drag,
    HoldKey,
    Key,
    MouseDown,
    MouseUp,
    Move,
    Screenshot,
    Scroll,
    Type,
    Wait,
    Zoom,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.types import Json

Reader = Callable[[Fields], list[Action]]
Calls = list[dict[str, Json]]


def _click(button: Button, count: int) -> Reader:
    return lambda f: [Click(f.place("coordinate"), button, count, f.modifiers("text"))]


def _drag(fields: Fields) -> list[Action]:
    start, end = fields.place("start_coordinate"), fields.the_place("coordinate")
    path = (end,) if start is None else (start, end)
    return [Drag(path, modifiers=fields.modifiers("text"))]


def _scroll(fields: Fields) -> list[Action]:
    across, down = fields.choice("scroll_direction", DIRECTIONS)
    amount = fields.number("scroll_amount")
    if amount < 0:
        raise Invalid("scroll: 'scroll_amount' has to be 0 or more")
    point, modifiers = fields.place("coordinate"), fields.modifiers("text")
    return [Scroll(across * amount, down * amount, "notch", point, modifiers)]


def _key(fields: Fields) -> list[Action]:
    """One chord, or several one after the other with spaces between them, as xdotool has it."""
    chords = [Key(read_chord(split_chord(word))) for word in fields.text("text").split()]
    if not chords:
        raise Invalid("key needs 'text', the name of a key")
    return [*chords] * fields.count("repeat")


def _hold(fields: Fields) -> list[Action]:
    return [HoldKey(fields.chord("text"), fields.seconds("duration"))]


_FIRST: Final[dict[str, Reader]] = {
    "key": _key,
    "type": lambda f: [typed(f.text("text"))],
    "mouse_move": lambda f: [Move(f.the_place("coordinate"))],
    "left_click": _click("left", 1),
    "left_click_drag": _drag,
    "right_click": _click("right", 1),
    "middle_click": _click("middle", 1),
    "double_click": _click("left", 2),
    "screenshot": lambda f: [Screenshot()],
    "cursor_position": lambda f: [CursorPosition()],
}
_SECOND: Final[dict[str, Reader]] = {
    **_FIRST,
    "left_mouse_down": lambda f: [MouseDown(f.place("coordinate"))],
    "left_mouse_up": lambda f: [MouseUp(f.place("coordinate"))],
    "triple_click": _click("left", 3),
    "scroll": _scroll,
    "hold_key": _hold,
    "wait": lambda f: [Wait(f.seconds("duration"))],
}
_THIRD: Final[dict[str, Reader]] = {
    **_SECOND,
    "zoom": lambda f: [Zoom(f.scale.region(f.need("region")))],
}


def _reader(actions: dict[str, Reader]) -> Callable[[dict[str, Json], Scale], list[Action]]:
    def read(value: dict[str, Json], scale: Scale) -> list[Action]:
        if value.get("type") in {"text", "thinking", "redacted_thinking"}:
            return []
        call = tool_call(value)
        name = call.arguments.get("action")
        name = name.strip() if isinstance(name, str) else name
        if call.name is not None and call.name != "computer":
            if call.name not in actions and name is None:
                raise Invalid(f"there is no tool or action {call.name[:40]!r}")
            name = call.name
        if not isinstance(name, str):
            raise Invalid("a call needs 'action'")
        if name not in actions:
            raise Invalid(f"there is no action {name[:40]!r}: {', '.join(actions)}")
        return actions[name](Fields(name, call.arguments, scale))

    return read


_CLICKS: Final = {
    ("left", 1): "left_click",
    ("left", 2): "double_click",
    ("left", 3): "triple_click",
    ("right", 1): "right_click",
    ("middle", 1): "middle_click",
}


class _Version:
    """Writers of one version."""

    def __init__(self, actions: dict[str, Reader], *, toolset: bool) -> None:
        self.actions = actions
        self.toolset = toolset
        self.first = actions is _FIRST

    def call(self, name: str, **arguments: Json) -> Calls:
        if name not in self.actions:
            raise CannotWrite(f"this version has no {name!r}")
        given = {key: value for key, value in arguments.items() if value is not None}
        if self.toolset:
            return [{"type": "tool_use", "name": name, "input": given}]
        return [{"type": "tool_use", "name": "computer", "input": {"action": name, **given}}]

    def at(self, name: str, action: Any, scale: Scale, **arguments: Json) -> Calls:
        """A call with a place, after a move to it where clicks have none."""
        if action.point is None:
            return self.call(name, **arguments)
        coordinate = scale.numbers(action.point)
        if self.first:
            move = self.call("mouse_move", coordinate=coordinate)
            return [*move, *self.call(name, **arguments)]
        return self.call(name, coordinate=coordinate, **arguments)

    def click(self, action: Click, scale: Scale) -> Calls:
        name = _CLICKS.get((action.button, action.count))
        if name is None:
            raise CannotWrite(f"no click is {action.count} times {action.button!r}")
        return self.at(name, action, scale, text=self.held(action))

    def held(self, action: Click | Drag | Scroll) -> str | None:
        if self.first:
            plain(action, "modifiers")
        return "+".join(write_keys(action.modifiers, XDOTOOL)) or None

    def drag(self, action: Drag, scale: Scale) -> Calls:
        plain(action, "button")
        *before, last = (scale.numbers(place) for place in action.path)
        if len(before) > 1:
            raise CannotWrite("a drag has a start and an end")
        text = self.held(action)
        if self.first:
            moves = [call for p in before for call in self.call("mouse_move", coordinate=p)]
            return [*moves, *self.call("left_click_drag", coordinate=last)]
        start = before[0] if before else None
        return self.call("left_click_drag", start_coordinate=start, coordinate=last, text=text)

    def scroll(self, action: Scroll, scale: Scale) -> Calls:
        if action.unit != "notch" or bool(action.dx) == bool(action.dy):
            raise CannotWrite("a scroll counts notches in one of four directions")
        if action.dx:
            way, amount = "right" if action.dx > 0 else "left", abs(action.dx)
        else:
            way, amount = "down" if action.dy > 0 else "up", abs(action.dy)
        notches = int(amount) if amount == int(amount) else amount
        held = self.held(action)
        return self.at(
            "scroll", action, scale, scroll_direction=way, scroll_amount=notches, text=held
        )

    def button(self, action: MouseDown | MouseUp, scale: Scale) -> Calls:
        plain(action, "button")
        name = "left_mouse_down" if isinstance(action, MouseDown) else "left_mouse_up"
        return self.at(name, action, scale)

    def type_(self, action: Type, scale: Scale) -> Calls:
        return clicked_first(
            action, scale, self.writers(), lambda a, _: self.call("type", text=typing(a))
        )

    def writers(self) -> Writers[dict[str, Json]]:
        return {
            Click: self.click,
            Move: lambda a, scale: self.call("mouse_move", coordinate=scale.numbers(a.point)),
            Drag: self.drag,
            Scroll: self.scroll,
            MouseDown: self.button,
            MouseUp: self.button,
            Type: self.type_,
            Key: lambda a, _: self.call("key", text="+".join(write_keys(a.keys, XDOTOOL))),
            HoldKey: lambda a, _: self.call(
                "hold_key", text="+".join(write_keys(a.keys, XDOTOOL)), duration=a.seconds
            ),
            Wait: lambda a, _: self.call("wait", duration=a.seconds),
            Zoom: lambda a, scale: self.call("zoom", region=scale.corners(a.region)),
            Screenshot: lambda a, _: self.call("screenshot"),
            CursorPosition: lambda a, _: self.call("cursor_position"),
        }


def _wrap(calls: Calls) -> str:
    return "\n".join(map(to_json, calls))


def _dialect(
    name: str, title: str, actions: dict[str, Reader], *, toolset: bool = False
) -> Dialect:
    return json_dialect(
        name,
        title,
        _reader(actions),
        _Version(actions, toolset=toolset).writers(),
        wrap=_wrap,
        last_word_without=_THIRD,
        invokes=True,
    )


DIALECTS: Final = (
    _dialect("claude", "Claude's computer tool of 2025-11-24", _THIRD),
    _dialect("claude-20251124", "Claude's computer tool of 2025-11-24", _THIRD),
    _dialect("claude-20250124", "Claude's computer tool of 2025-01-24", _SECOND),
    _dialect("claude-20241022", "Claude's computer tool of 2024-10-22", _FIRST),
    _dialect("claude-20260801", "Claude's computer toolset of 2026-08-01", _THIRD, toolset=True),
)
"""The first is read and written where no version is named."""
