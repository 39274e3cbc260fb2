"""Places and lengths between a dialect's numbers and fractions of the screen."""

from __future__ import annotations

import math
import re
from typing import Final

import msgspec

from screenmark.answers.actions.schema import Place
from screenmark.answers.actions.trouble import Invalid
from screenmark.geometry import UNIT, Box, Point, Size, Space
from screenmark.types import Json

_TAGS = re.compile(r"<[^<>]{0,40}>")
_PLACE = re.compile(r"[\s\d.,;()\[\]+-]{3,120}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})(?![\d.])")
_DIGITS: Final = {"unit": 4, "percent": 2}
_LARGEST: Final = 1e12


class Scale(msgspec.Struct, frozen=True):
    """How a dialect's numbers lie on the screen.

    Attributes:
        space: the space of the numbers.
        size: of the original screenshot in pixels.
    """

    space: Space
    size: Size

    @property
    def extent(self) -> tuple[float, float]:
        """What the right and the lower edge of the screen are in the dialect's numbers."""
        return self.space.extent(self.size)

    def place(self, value: Json) -> Place:
        """The place that a dialect's value names; of a box its centre.

        A value is two or four numbers in a list, in a list of one list, in an object with
        ``x`` and ``y``, or in a text with nothing but brackets and tags around them.

        Raises:
            Invalid: it is none of these, or it lies outside the screen.
        """
        numbers = _numbers(value)
        if len(numbers) == 4:
            x1, y1, x2, y2 = numbers
            point = Box(x1, y1, x2, y2, self.space).center
        elif len(numbers) == 2:
            point = Point(numbers[0], numbers[1], self.space)
        else:
            raise Invalid(f"{_short(value)} is no place [x, y]")
        there = point.to(UNIT, self.size)
        if not (0 <= there.x <= 1 and 0 <= there.y <= 1):
            width, height = self.extent
            raise Invalid(
                f"({point.x:g}, {point.y:g}) lies outside the screen, "
                f"which is {width:g} wide and {height:g} high"
            )
        return there.x, there.y

    def region(self, value: Json) -> tuple[float, float, float, float]:
        """A box as fractions.

        Raises:
            Invalid: these are not four numbers, or the box is empty or outside the screen.
        """
        numbers = _numbers(value)
        if len(numbers) != 4:
            raise Invalid(f"{_short(value)} is no region [x1, y1, x2, y2]")
        x1, y1 = self.place(list(numbers[:2]))
        x2, y2 = self.place(list(numbers[2:]))
        if x2 <= x1 or y2 <= y1:
            raise Invalid(f"{_short(value)} is no region [x1, y1, x2, y2]: it is empty")
        return x1, y1, x2, y2

    def length(self, dx: float, dy: float) -> tuple[float, float]:
        """Lengths of a dialect as fractions of the screen's width and height."""
        width, height = self.extent
        return dx / width, dy / height

    def numbers(self, place: Place) -> list[int | float]:
        """A place as a dialect writes it; pixels and thousandths are whole, inside the screen."""
        there = Point(*place, UNIT).to(self.space, self.size)
        if (digits := _DIGITS.get(self.space.kind)) is not None:
            return [round(there.x, digits), round(there.y, digits)]
        most = [round(edge) - (self.space.kind != "permille") for edge in self.extent]
        return [min(round(there.x), most[0]), min(round(there.y), most[1])]

    def corners(self, region: tuple[float, float, float, float]) -> list[int | float]:
        """A region as a dialect writes it; its far corner may lie on the screen's edge."""
        box = Box(*region, UNIT).to(self.space, self.size)
        digits = _DIGITS.get(self.space.kind)
        return [round(number, digits) for number in box.corners]

    def lengths(self, dx: float, dy: float) -> tuple[int | float, int | float]:
        """Fractions of the screen as a dialect's lengths, rounded as `numbers` are."""
        width, height = self.extent
        digits = _DIGITS.get(self.space.kind)
        return round(dx * width, digits), round(dy * height, digits)


def _numbers(value: Json) -> tuple[float, ...]:
    """The numbers of a place, or none if it is not written in any of the known ways."""
    if isinstance(value, dict):
        value = [value.get("x"), value.get("y")]
    if isinstance(value, (list, tuple)):
        if len(value) == 1 and isinstance(value[0], (list, tuple)):
            value = value[0]
        if len(value) == 2 and all(isinstance(item, (list, tuple)) for item in value):
            value = [*value[0], *value[1]]
        if len(value) <= 4 and all(map(_is_number, value)):
            return tuple(map(float, value))
        return ()
    if isinstance(value, str) and len(value) <= 300:
        bare = _TAGS.sub(" ", value).strip()
        if _PLACE.fullmatch(bare):
            return tuple(float(number) for number in _NUMBER.findall(bare))
    return ()


def _is_number(value: object) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < _LARGEST
        and not math.isnan(value)
    )


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
