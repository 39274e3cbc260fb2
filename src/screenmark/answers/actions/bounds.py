"""How much one turn may ask for: more is a slip, or a model that runs away."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from screenmark.answers.actions.schema import (
    Action,
    Click,
    Drag,
    HoldKey,
    Key,
    Place,
    Scroll,
    Swipe,
    Zoom,
)

MOST_ACTIONS: Final = 200
MOST_NOTCHES: Final = 10_000
MOST_SCREENS: Final = 100
"""The longest scroll, either way; the first is of the wheel."""
MOST_CLICKS: Final = 3
MOST_KEYS: Final = 10
"""Of a chord: nobody has more fingers."""
MOST_PLACES: Final = 200
"""Of the path of a drag."""


def excess(actions: Sequence[Action]) -> str | None:
    """What is too much in a turn, fit to be told to the agent; None if nothing is."""
    if not 1 <= len(actions) <= MOST_ACTIONS:
        return f"{len(actions)} actions in one reply, expected 1 to {MOST_ACTIONS}"
    return next((why for action in actions if (why := excess_of(action))), None)


def excess_of(action: Action) -> str | None:
    """What is too much, no number or off the screen in one action; None if nothing is."""
    if not all(map(math.isfinite, _numbers(msgspec.structs.astuple(action)))):
        return "a number is not finite"
    for x, y in _places(action):
        if not (0 <= x <= 1 and 0 <= y <= 1):
            return f"({x:g}, {y:g}) lies outside the screen; places are fractions, from 0 to 1"
    match action:
        case Click(count=count) if not 1 <= count <= MOST_CLICKS:
            return f"a click is pressed 1 to {MOST_CLICKS} times, not {count}"
        case Scroll(dx=dx, dy=dy, unit=unit):
            most = MOST_NOTCHES if unit == "notch" else MOST_SCREENS
            words = "notches of the wheel" if unit == "notch" else "screens"
            if max(abs(dx), abs(dy)) > most:
                return f"a scroll is at most {most} {words} long"
        case Key(keys=keys) | HoldKey(keys=keys) | Click(modifiers=keys):
            if len(keys) > MOST_KEYS:
                return f"{len(keys)} keys at once, at most {MOST_KEYS} are pressed together"
        case Drag(path=path):
            if len(path) > MOST_PLACES:
                return f"a drag over {len(path)} places, at most {MOST_PLACES} are read"
    return None


def _places(action: Action) -> Iterator[Place]:
    """Every place of an action; of a region two of its corners."""
    match action:
        case Drag(path=path):
            yield from path
        case Swipe(start=start, end=end):
            yield from (start, end)
        case Zoom(region=(x1, y1, x2, y2)):
            yield from ((x1, y1), (x2, y2))
        case _ if (point := getattr(action, "point", None)) is not None:
            yield point


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _numbers(part)
