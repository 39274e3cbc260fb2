"""Pages with shapes that nobody can mistake, drawn the same on every machine.

Sizes and aspect ratios differ so much that every resize rule gives other numbers on some of
them. Each page has one target to ask for, well away from the middle.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

COUNT = 40
VERSION = 1
"""Of the drawings; another version goes into another folder."""

_SIZES = (
    *((1280, 800), (1920, 1080), (390, 844), (2560, 1440), (1024, 1024)),
    *((800, 1280), (1366, 768), (3000, 1200), (640, 480), (1179, 2556)),
)
_COLOURS = {
    "red": (214, 39, 40),
    "blue": (31, 90, 200),
    "green": (30, 150, 60),
    "orange": (245, 140, 20),
    "purple": (128, 50, 160),
    "black": (20, 20, 20),
}
_SHAPES = ("circle", "square", "triangle", "star")
_CELLS = 4  # of a grid in each direction, one shape a cell


class Target(msgspec.Struct, frozen=True):
    """A page and what is asked for on it.

    Attributes:
        name: file name of the page.
        width, height: in pixels.
        x, y: middle of the target as fractions of the page.
        what: ``"red circle"``; there is one on the page.
    """

    name: str
    width: int
    height: int
    x: float
    y: float
    what: str


def targets() -> list[Target]:
    """The targets of all pages; the drawing follows from them."""
    return [_layout(number)[0] for number in range(COUNT)]


def write_pages(folder: Path, numbers: Iterable[int] = range(COUNT)) -> None:
    """Draw the pages of these numbers that are not in a folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        target, shapes = _layout(number)
        if not (folder / target.name).is_file():
            _draw(folder / target.name, target, shapes)


Shape = tuple[str, str, float, float]
"""Colour, form, and middle as fractions of the page."""


def _layout(number: int) -> tuple[Target, list[Shape]]:
    generator = random.Random(number)  # noqa: S311 - the same drawing everywhere, no secret
    width, height = _SIZES[number % len(_SIZES)]
    cells = [(column, row) for column in range(_CELLS) for row in range(_CELLS)]
    cells = generator.sample(cells, 5)
    # The target first; it keeps away from the middle, where every reading agrees.
    cells.sort(key=lambda cell: -abs(cell[0] - 1.5) - abs(cell[1] - 1.5))
    kinds = [(colour, form) for colour in _COLOURS for form in _SHAPES]
    shapes = []
    for (colour, form), (column, row) in zip(generator.sample(kinds, 5), cells, strict=True):
        x = (column + 0.5 + generator.uniform(-0.12, 0.12)) / _CELLS
        y = (row + 0.5 + generator.uniform(-0.12, 0.12)) / _CELLS
        # On whole pixels, so that the middle is where the drawing says.
        shapes.append((colour, form, round(x * width) / width, round(y * height) / height))
    colour, form, x, y = shapes[0]
    name = f"page-{number:02d}.png"
    return Target(name, width, height, x, y, f"{colour} {form}"), shapes


def _draw(path: Path, target: Target, shapes: list[Shape]) -> None:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (target.width, target.height), "white")
    pen = ImageDraw.Draw(image)
    radius = 0.3 * min(target.width, target.height) / _CELLS
    font = ImageFont.load_default(max(12, round(radius / 3)))
    for colour, form, x, y in shapes:
        middle = (x * target.width, y * target.height)
        _shape(pen, form, _COLOURS[colour], middle, radius)
        below = (middle[0], middle[1] + radius * 1.05)
        pen.text(below, f"{colour} {form}", fill=(60, 60, 60), font=font, anchor="ma")
    image.save(path)


def _shape(
    pen: ImageDraw,
    form: str,
    colour: tuple[int, int, int],
    middle: tuple[float, float],
    radius: float,
) -> None:
    """A form whose box has its middle at ``middle``."""
    x, y = middle
    box = (x - radius, y - radius, x + radius, y + radius)
    if form == "circle":
        pen.ellipse(box, fill=colour)
    elif form == "square":
        pen.rectangle(box, fill=colour)
    elif form == "triangle":
        pen.polygon([(x, y - radius), (x + radius, y + radius), (x - radius, y + radius)], colour)
    else:
        half, near = radius, radius / 4
        pen.polygon(
            [
                *((x, y - half), (x + near, y - near), (x + half, y), (x + near, y + near)),
                *((x, y + half), (x - near, y + near), (x - half, y), (x - near, y - near)),
            ],
            colour,
        )
