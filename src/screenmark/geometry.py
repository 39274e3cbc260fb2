"""Points and boxes that know their coordinate space.

Models answer in many spaces. None of them can be told from the numbers alone, so a space is
declared and travels with every point and box; using two spaces together is an error.

    unit        0 to 1 of the image's width and height
    permille    0 to 1000
    percent     0 to 100
    pixel       pixels of the original image
    resized     pixels of the image after the model's own resize (see ``smart_resize``)
    fitted      pixels of the image after the server shrank it (see ``fit_patches``)
    widened     pixels of the image scaled to a fixed width, its shape kept
    scaled      pixels of the image at a given size, as it was sent or declared

The origin is the top left corner; x grows to the right, y grows downwards.
"""

from __future__ import annotations

import math
import re
from typing import Final, NoReturn

import msgspec

MAX_ASPECT_RATIO: Final = 200
"""``smart_resize`` refuses images that are longer than this many times their width."""


class SpaceError(ValueError):
    """Two coordinate spaces were mixed, or a space does not fit the image or its name."""


class Size(msgspec.Struct, frozen=True):
    """Width and height of an image in pixels, both at least 1."""

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise ValueError(f"an image is at least 1x1 pixels, not {self}")

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


def smart_resize(size: Size, factor: int, min_pixels: int, max_pixels: int) -> Size:
    """Size that the Qwen-VL family gives an image before reading it.

    Both sides become multiples of ``factor`` (28 for Qwen2-VL and Qwen2.5-VL, 32 for
    Qwen3-VL) and the area is brought between ``min_pixels`` and ``max_pixels``. Halves are
    rounded to even, as Python's ``round`` does; formula of ``smart_resize`` in QwenLM's
    ``vision_process.py``.

    Raises:
        SpaceError: the image's aspect ratio is above 200.
    """
    width, height = size.width, size.height
    if max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        raise SpaceError(f"{size}: the aspect ratio is above {MAX_ASPECT_RATIO}")
    new_width = max(factor, round(width / factor) * factor)
    new_height = max(factor, round(height / factor) * factor)
    # A side can fall to 0 only when max_pixels is very small; one factor is then the least.
    if new_width * new_height > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        new_width = max(factor, math.floor(width / shrink / factor) * factor)
        new_height = max(factor, math.floor(height / shrink / factor) * factor)
    elif new_width * new_height < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        new_width = math.ceil(width * grow / factor) * factor
        new_height = math.ceil(height * grow / factor) * factor
    return Size(new_width, new_height)


def fit_patches(size: Size, long_edge: int, patch: int, most_patches: int) -> Size:
    """Size to which a server that counts patches shrinks an image, as Anthropic's does.

    The largest of the same shape whose longer side is at most ``long_edge`` and that
    ``most_patches`` squares of ``patch`` pixels cover; an image that fits keeps its size. The
    shorter side is rounded half up and is at least 1. Rule and example (2560x1440 becomes
    1456x819 with 1568, 28, 1568) are Anthropic's, for coordinates in images.
    """
    longer, shorter = max(size.width, size.height), min(size.width, size.height)

    def other(side: int) -> int:
        return max(1, (2 * side * shorter + longer) // (2 * longer))

    def fits(side: int) -> bool:
        return side <= long_edge and -(-side // patch) * -(-other(side) // patch) <= most_patches

    if fits(longer):
        return size
    low, high = 1, min(longer, long_edge)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return Size(low, other(low)) if size.width >= size.height else Size(other(low), low)


def largest_within(size: Size, max_pixels: int | None, max_edge: int | None = None) -> Size:
    """The largest size of the same shape, up to whole pixels, within both limits.

    Both sides are scaled by one factor and rounded down, in whole numbers throughout, so that
    the result is the same on every machine. An image that is small enough keeps its size. A
    side never falls below 1 pixel, even if that is more than ``max_pixels``.

    Args:
        max_pixels: most pixels, width times height; None for any number.
        max_edge: most pixels of the longer side; None for any number.
    """
    width, height = size.width, size.height
    if max_edge is not None and max(width, height) > max_edge:
        longer = max(width, height)
        edged = Size(max(1, width * max_edge // longer), max(1, height * max_edge // longer))
        # Each limit is one factor, so the smaller sides belong to the smaller factor.
        counted = largest_within(size, max_pixels)
        return Size(min(edged.width, counted.width), min(edged.height, counted.height))
    if max_pixels is None or width * height <= max_pixels:
        return size
    # width * sqrt(max_pixels / (width * height)) is the root of max_pixels * width / height.
    return Size(
        max(1, math.isqrt(max_pixels * width // height)),
        max(1, math.isqrt(max_pixels * height // width)),
    )


_KINDS: Final = {
    "unit": (),
    "permille": (),
    "percent": (),
    "pixel": (),
    "resized": ("factor", "min_pixels", "max_pixels"),
    "fitted": ("long_edge", "patch", "most_patches"),
    "widened": ("width",),
    "scaled": ("width", "height"),
}
"""Every kind of space with the names of its numbers."""

_FULL_SCALE: Final = {"unit": 1.0, "permille": 1000.0, "percent": 100.0}
_NAME = re.compile(r"([a-z]+)\s*(?:\(\s*(\d{1,12}(?:\s*,\s*\d{1,12})*)\s*\))?", re.ASCII)


class Space(msgspec.Struct, frozen=True):
    """A coordinate space: its kind, and the numbers that belong to the kind.

    Raises:
        SpaceError: there is no such kind, or the numbers do not fit it.
    """

    kind: str
    numbers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        names = _KINDS.get(self.kind)
        if names is None:
            raise SpaceError(
                f"no coordinate space is called {self.kind!r}; expected {', '.join(known_spaces())}"
            )
        if len(names) != len(self.numbers):
            raise SpaceError(f"{self}: {self.kind} takes {_signature(self.kind)}")
        values = dict(zip(names, self.numbers, strict=True))
        low, high = values.pop("min_pixels", 0), values.get("max_pixels", 1)
        if min(values.values(), default=1) < 1 or not 0 <= low <= high:
            raise SpaceError(
                f"{self}: the numbers of {_signature(self.kind)} are at least 1, and "
                "min_pixels is between 0 and max_pixels"
            )

    @classmethod
    def parse(cls, name: str) -> Space:
        """Inverse of ``str``: ``"permille"``, ``"resized(28, 3136, 12845056)"``.

        Raises:
            SpaceError: there is no such space.
        """
        found = _NAME.fullmatch(name.strip())
        if found is None:
            raise SpaceError(
                f"no coordinate space is called {name!r}; expected {', '.join(known_spaces())}"
            )
        return cls(found[1], tuple(map(int, found[2].split(","))) if found[2] else ())

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(map(str, self.numbers))})" if self.numbers else self.kind

    @property
    def depends_on_size(self) -> bool:
        """Whether the scale follows from the image that the model is sent, as pixels do."""
        return self.kind in {"pixel", "resized", "fitted", "widened"}

    def extent(self, size: Size) -> tuple[float, float]:
        """What the right and the bottom edge of an image of ``size`` pixels are in this space.

        Raises:
            SpaceError: a ``resized`` space cannot hold the image (aspect ratio above 200).
        """
        if full := _FULL_SCALE.get(self.kind):
            return full, full
        match self.kind, self.numbers:
            case "scaled", (width, height):
                return float(width), float(height)
            case "widened", (width,):
                return float(width), size.height * width / size.width
            case "resized", (factor, low, high):
                size = smart_resize(size, factor, low, high)
            case "fitted", (long_edge, patch, most):
                size = fit_patches(size, long_edge, patch, most)
        return float(size.width), float(size.height)

    def as_sent(self, sent: Size) -> Space:
        """This space for a model that was sent the image scaled to ``sent``.

        Raises:
            SpaceError: see `extent`.
        """
        if not self.depends_on_size:
            return self
        width, height = self.extent(sent)
        return scaled(Size(round(width), round(height)))


def known_spaces() -> list[str]:
    """Every kind of space as it is written, ``resized(factor, min_pixels, max_pixels)``."""
    return [_signature(kind) for kind in _KINDS]


def _signature(kind: str) -> str:
    names = _KINDS[kind]
    return f"{kind}({', '.join(names)})" if names else kind


UNIT: Final = Space("unit")
PERMILLE: Final = Space("permille")
PERCENT: Final = Space("percent")
PIXEL: Final = Space("pixel")


def resized(factor: int, min_pixels: int, max_pixels: int) -> Space:
    """The space of a model that resizes the image itself, see ``smart_resize``."""
    return Space("resized", (factor, min_pixels, max_pixels))


def scaled(sent: Size) -> Space:
    """The space of a model that was sent the image scaled to ``sent``.

    Each axis has its own exact factor, so going to ``pixel`` and back loses nothing.
    """
    return Space("scaled", (sent.width, sent.height))


def _refuse_mix(one: Space, other: Space) -> NoReturn:
    raise SpaceError(f"coordinates in {one} and in {other} cannot be used together")


class Point(msgspec.Struct, frozen=True, eq=False):
    """A point in ``space``. Comparing it with a point of another space raises SpaceError."""

    x: float
    y: float
    space: Space

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Point):
            return NotImplemented
        if self.space != other.space:
            _refuse_mix(self.space, other.space)
        return (self.x, self.y) == (other.x, other.y)

    def __ne__(self, other: object) -> bool:
        return not self == other  # msgspec's own would compare the numbers alone

    def __hash__(self) -> int:
        return hash((self.x, self.y, self.space))

    def to(self, space: Space, size: Size) -> Point:
        """The same place in ``space``; ``size`` is the original image's."""
        if space == self.space:
            return self
        (width, height), (new_width, new_height) = self.space.extent(size), space.extent(size)
        return Point(self.x * new_width / width, self.y * new_height / height, space)


class Box(msgspec.Struct, frozen=True, eq=False):
    """A box with its top left corner (x1, y1) and its bottom right corner (x2, y2) in ``space``.

    Comparing it with a box or a point of another space raises SpaceError.
    """

    x1: float
    y1: float
    x2: float
    y2: float
    space: Space

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Box):
            return NotImplemented
        if self.space != other.space:
            _refuse_mix(self.space, other.space)
        return self.corners == other.corners

    def __ne__(self, other: object) -> bool:
        return not self == other  # msgspec's own would compare the numbers alone

    def __hash__(self) -> int:
        return hash((self.corners, self.space))

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """(x1, y1, x2, y2) in the box's own space."""
        return self.x1, self.y1, self.x2, self.y2

    @property
    def center(self) -> Point:
        """The point in the middle, in the same space."""
        return Point((self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2, self.space)

    def contains(self, point: Point) -> bool:
        """True if ``point`` lies in the box or on its edge.

        Raises:
            SpaceError: the point is in another space.
        """
        if self.space != point.space:
            _refuse_mix(self.space, point.space)
        return self.x1 <= point.x <= self.x2 and self.y1 <= point.y <= self.y2

    def to(self, space: Space, size: Size) -> Box:
        """The same box in ``space``; ``size`` is the original image's."""
        if space == self.space:
            return self
        (width, height), (new_width, new_height) = self.space.extent(size), space.extent(size)
        wide, high = new_width / width, new_height / height
        return Box(self.x1 * wide, self.y1 * high, self.x2 * wide, self.y2 * high, space)
