"""The same numbers read in every coordinate space and axis order, against the same targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from screenmark.answers import Profile
from screenmark.benchmarks.element_grounding.samples import Shape
from screenmark.geometry import Size, Space, SpaceError
from screenmark.metrics.paired import mcnemar_p_value
from screenmark.metrics.points import point_in_shape

LEAST_GAIN: Final = 0.05
"""A reading has to be better by so much, and significantly so, to be mentioned."""

SIGNIFICANT: Final = 0.001
"""P value below which it is, after Bonferroni's correction for the readings tried."""

_NOT_TOLD_APART: Final = 0.05
_SPACES: Final = (
    ("0–1", "unit"),
    ("0–1000", "permille"),
    ("0–100", "percent"),
    ("pixels of the image", "pixel"),
    ("pixels after Qwen2.5-VL's resize", "resized(28, 3136, 12845056)"),
    ("pixels after Qwen2.5-VL's resize to 2.1 megapixels", "resized(28, 3136, 2116800)"),
    ("pixels after Qwen2.5-VL's resize to 1 megapixel", "resized(28, 3136, 1003520)"),
    ("pixels after Qwen3-VL's resize", "resized(32, 4096, 16777216)"),
    ("pixels after Claude's resize", "fitted(1568, 28, 1568)"),
    ("pixels of a 1344 pixels wide image", "widened(1344)"),
)
_UNSCALED: Final = "pixels of the image before it was scaled"


class Marked(NamedTuple):
    """Numbers that a model wrote, the image they are about, and what they should hit.

    Attributes:
        numbers: a point or a box as the model wrote it, None if there is none.
        fixed: whether the numbers say themselves what they are, as percent signs do.
        sent: size of the image as it was sent.
        original: size of the image itself.
        hit: what the run's own reading made of it.
    """

    numbers: tuple[float, ...] | None
    fixed: bool
    sent: Size
    original: Size
    shapes: tuple[Shape, ...]
    hit: int


class Reading(NamedTuple):
    """One way to read numbers.

    Attributes:
        names: in words; several where they come to the same on all images of the run.
        space: the first one's, None where no space has a name for it.
        extents: what the right and bottom edge of an image are, by its sizes.
        swapped: that the other axis comes first than the profile says, in words; else "".
    """

    names: tuple[str, ...]
    space: str | None
    extents: dict[tuple[Size, Size], tuple[float, float] | None]
    swapped: str

    def hits(self, numbers_of: Marked, target_of: Marked) -> int:
        """Whether the numbers of one item, read so, are on the target of another or the same."""
        if numbers_of.fixed:
            return numbers_of.hit if numbers_of is target_of else 0
        extent = self.extents[numbers_of.sent, numbers_of.original]
        numbers = numbers_of.numbers
        if numbers is None or extent is None:
            return 0
        x, y = (sum(axis) / len(axis) for axis in (numbers[::2], numbers[1::2]))
        if self.swapped:
            x, y = y, x
        point = (x / extent[0], y / extent[1])
        return int(any(point_in_shape(point, shape) for shape in target_of.shapes))


class Compared(NamedTuple):
    """A reading's result beside that of the run's own."""

    reading: Reading
    flags: list[int]
    p_value: float
    gained: int
    lost: int

    @property
    def accuracy(self) -> float:
        return sum(self.flags) / len(self.flags)

    @property
    def words(self) -> str:
        names = " or ".join(self.reading.names)
        return f"{names}, {self.reading.swapped}" if self.reading.swapped else names

    def row(self) -> dict[str, Any]:
        return {
            "reading": self.words,
            "space": self.reading.space,
            "swapped": bool(self.reading.swapped),
            "accuracy": self.accuracy,
            "gained": self.gained,
            "lost": self.lost,
            "p_value": self.p_value,
        }


def compare_readings(items: Sequence[Marked], profile: Profile) -> list[Compared]:
    """Every reading that differs from the profile's own on these images, in a fixed order."""
    own = [item.hit for item in items]
    compared = []
    for reading in _readings(items, profile) if items else ():
        flags = [reading.hits(item, item) for item in items]
        gained = sum(new > old for new, old in zip(flags, own, strict=True))
        lost = sum(new < old for new, old in zip(flags, own, strict=True))
        compared.append(Compared(reading, flags, mcnemar_p_value(gained, lost), gained, lost))
    return compared


def same_as_own(items: Sequence[Marked], profile: Profile) -> list[str]:
    """Spaces that come to the same as the profile's own on these images, in words."""
    sizes = _sizes(items)
    own = _extents(profile.coordinates, sizes)
    return [
        words
        for words, space in _SPACES
        if space != profile.space and _extents(Space.parse(space), sizes) == own
    ]


def better_readings(items: Sequence[Marked], compared: Sequence[Compared]) -> list[Compared]:
    """The best of the significantly better readings, then those not told apart from it.

    A reading has to do better than the run's own, and better than it does itself when each
    reply is set against the target of another item: replies that point at one place whatever
    was asked hit something by chance in one reading or another.
    """
    level = SIGNIFICANT / max(1, len(compared))
    own = sum(item.hit for item in items) / max(1, len(items))
    found = [
        other
        for other in compared
        if other.p_value < level
        and other.accuracy - own >= LEAST_GAIN
        and _beats_chance(items, other, level)
    ]
    found.sort(key=lambda other: -other.accuracy)
    return [other for other in found if _p_between(found[0], other) >= _NOT_TOLD_APART]


def _beats_chance(items: Sequence[Marked], other: Compared, level: float) -> bool:
    count = len(items)
    for shift in {count // 3, count // 2, 2 * count // 3} - {0}:
        chance = [
            other.reading.hits(items[(place + shift) % count], item)
            for place, item in enumerate(items)
        ]
        gained = sum(new > old for new, old in zip(other.flags, chance, strict=True))
        lost = sum(new < old for new, old in zip(other.flags, chance, strict=True))
        if gained <= lost or mcnemar_p_value(gained, lost) >= level:
            return False
    return True


def _p_between(one: Compared, other: Compared) -> float:
    pairs = list(zip(one.flags, other.flags, strict=True))
    return mcnemar_p_value(sum(a > b for a, b in pairs), sum(a < b for a, b in pairs))


def _readings(items: Sequence[Marked], profile: Profile) -> Iterator[Reading]:
    sizes = _sizes(items)
    own = _extents(profile.coordinates, sizes)
    grouped: dict[tuple[Any, ...], tuple[list[str], str | None]] = {}
    for words, space, extents in _candidates(profile, sizes):
        grouped.setdefault(tuple(extents.values()), ([], space))[0].append(words)
    order = "x before y" if profile.y_first else "y before x"
    for key, (names, space) in grouped.items():
        extents = dict(zip(sizes, key, strict=True))
        if extents != own:
            yield Reading(tuple(names), space, extents, swapped="")
        yield Reading(tuple(names), space, extents, swapped=order)


def _candidates(
    profile: Profile, sizes: Sequence[tuple[Size, Size]]
) -> Iterable[tuple[str, str | None, dict[tuple[Size, Size], tuple[float, float] | None]]]:
    known = list(_SPACES)
    if profile.space not in {space for _, space in known}:
        known.append((f"the profile's {profile.space}", profile.space))
    for words, space in known:
        yield words, space, _extents(Space.parse(space), sizes)
    if any(sent != original for sent, original in sizes):
        unscaled = {pair: (float(pair[1].width), float(pair[1].height)) for pair in sizes}
        yield _UNSCALED, None, dict(unscaled)


def _sizes(items: Sequence[Marked]) -> list[tuple[Size, Size]]:
    return list(dict.fromkeys((item.sent, item.original) for item in items))


def _extents(
    space: Space, sizes: Sequence[tuple[Size, Size]]
) -> dict[tuple[Size, Size], tuple[float, float] | None]:
    found: dict[tuple[Size, Size], tuple[float, float] | None] = {}
    for sent, original in sizes:
        try:
            found[sent, original] = space.extent(sent)
        except SpaceError:
            found[sent, original] = None
    return found
