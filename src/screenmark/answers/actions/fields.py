"""The arguments of one action in a dialect, read with messages that the agent understands."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, TypeVar

from screenmark.answers.actions.keys import (
    read_chord,
    read_key,
    read_modifiers,
    split_chord,
)
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import Button, Modifier, Place, Type
from screenmark.answers.actions.trouble import Invalid
from screenmark.types import Json

_T = TypeVar("_T")

MOST_SECONDS: Final = 3600
MOST_REPEATS: Final = 100

DIRECTIONS: Final = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""Where a scroll looks: (dx, dy), to the right and down being positive."""

BUTTONS: Final[dict[str, Button]] = {
    "left": "left",
    "right": "right",
    "middle": "middle",
    "wheel": "middle",
    "back": "back",
    "forward": "forward",
}
_NUMBER = re.compile(r"[+-]?\d{1,12}(?:\.\d{0,12})?")


class Fields:
    """Arguments by name, of the action ``name``, with the scale of its numbers.

    Every method raises `Invalid` if an argument is missing or not what it has to be. The first
    of several names that is there and not None counts.
    """

    __slots__ = ("name", "scale", "values")

    def __init__(self, name: str, values: Mapping[str, Json], scale: Scale) -> None:
        self.name = name
        self.values = values
        self.scale = scale

    def get(self, *names: str) -> Json:
        """The argument, or None."""
        return next((v for n in names if (v := self.values.get(n)) is not None), None)

    def need(self, *names: str) -> Json:
        """The argument, which has to be there."""
        value = self.get(*names)
        if value is None:
            raise Invalid(f"{self.name} needs {names[0]!r}")
        return value

    def place(self, *names: str) -> Place | None:
        """A place in one argument, or None where there is none."""
        value = self.get(*names)
        if value is None or value == "":
            return None
        try:
            return self.scale.place(value)
        except Invalid as error:
            raise Invalid(f"{self.name}: {error}") from None

    def the_place(self, *names: str) -> Place:
        """A place in one argument, which has to be there."""
        place = self.place(*names)
        if place is None:
            raise Invalid(f"{self.name} needs {names[0]!r}, a place [x, y]")
        return place

    def xy(self, x: str = "x", y: str = "y") -> Place | None:
        """A place in two arguments, or None where both are missing."""
        across, down = self.get(x), self.get(y)
        if across is None and down is None:
            return None
        if isinstance(across, (list, tuple)) and down is None:
            return self.place(x)
        try:
            return self.scale.place([_as_number(across), _as_number(down)])
        except Invalid as error:
            raise Invalid(f"{self.name}: {error}") from None

    def the_xy(self, x: str = "x", y: str = "y") -> Place:
        """A place in two arguments, which have to be there."""
        place = self.xy(x, y)
        if place is None:
            raise Invalid(f"{self.name} needs {x!r} and {y!r}")
        return place

    def text(self, *names: str, default: str | None = None) -> str:
        """A string; numbers count as their digits."""
        value = self.get(*names)
        if value is None and default is not None:
            return default
        value = self.need(*names)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise Invalid(f"{self.name}: {names[0]!r} has to be a string")
        return value

    def number(self, *names: str, default: float | None = None) -> float:
        """A finite number; a string of digits counts."""
        value = self.get(*names)
        if value is None and default is not None:
            return default
        number = _as_number(self.need(*names))
        if (
            isinstance(number, bool)
            or not isinstance(number, (int, float))
            or not abs(number) < 1e12
            or math.isnan(number)
        ):
            raise Invalid(f"{self.name}: {names[0]!r} has to be a number")
        return float(number)

    def seconds(self, *names: str, default: float | None = None) -> float:
        """A time of 0 to 3600 seconds."""
        seconds = self.number(*names, default=default)
        if not 0 <= seconds <= MOST_SECONDS:
            raise Invalid(f"{self.name}: {names[0]!r} has to be 0 to {MOST_SECONDS} seconds")
        return seconds

    def count(self, *names: str, default: int = 1, most: int = MOST_REPEATS) -> int:
        """A whole number from 1 on."""
        number = self.number(*names, default=default)
        if number != int(number) or not 1 <= number <= most:
            raise Invalid(f"{self.name}: {names[0]!r} has to be a whole number from 1 to {most}")
        return int(number)

    def flag(self, name: str, *, default: bool) -> bool:
        """True or False."""
        value = self.get(name)
        if value is None:
            return default
        if isinstance(value, str) and value.lower() in {"true", "false"}:
            return value.lower() == "true"
        if not isinstance(value, bool):
            raise Invalid(f"{self.name}: {name!r} has to be true or false")
        return value

    def choice(self, name: str, among: Mapping[str, _T], default: str | None = None) -> _T:
        """What one of some words stands for, in any case."""
        word = self.text(name, default=default).strip().lower()
        if word not in among:
            raise Invalid(f"{self.name}: {name!r} is one of {', '.join(among)}, not {word[:40]!r}")
        return among[word]

    def button(self, name: str = "button") -> Button:
        """A mouse button, the left one if none is named."""
        return self.choice(name, BUTTONS, "left")

    def key(self, *names: str) -> str:
        """One key."""
        return read_key(self.text(*names))

    def chord(self, *names: str) -> tuple[str, ...]:
        """Keys that are pressed together: a list of names, or ``ctrl+c``."""
        return read_chord(self._names(*names))

    def modifiers(self, *names: str) -> tuple[Modifier, ...]:
        """Modifiers that are held: a list of names, or ``ctrl+shift``; none if not there."""
        return () if not self.get(*names) else read_modifiers(self._names(*names))

    def _names(self, *names: str) -> list[str]:
        value = self.need(*names)
        if isinstance(value, str):
            return split_chord(value)
        if not isinstance(value, (list, tuple)) or not all(isinstance(k, str) for k in value):
            raise Invalid(f"{self.name}: {names[0]!r} has to be names of keys")
        return [part for key in value for part in (split_chord(key) if "+" in key else [key])]


def typed(
    text: str, *, submit: bool = False, clear: bool = False, point: Place | None = None
) -> Type:
    """Typing, where a line break at the end of the text is the Enter key."""
    if text.endswith("\n"):
        text, submit = text[:-1].removesuffix("\r"), True
    return Type(text, submit=submit, clear=clear, point=point)


def _as_number(value: Json) -> Json:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    return value
