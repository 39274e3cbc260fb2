"""The convention audit: would the same replies score better if read in another way?

A model whose points are read in the wrong coordinate space scores near zero, and nothing in the
score says why. The audit takes the numbers as the model wrote them, reads them in every space
and axis order, and compares the hit rates on the same samples.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from screenmark.answers import Profile, profiles, strip_thinking
from screenmark.answers.points import Unreadable, read_mark
from screenmark.benchmarks.element_grounding.samples import GroundingSample, Shape
from screenmark.geometry import UNIT, Point, Size, Space, SpaceError
from screenmark.metrics.paired import mcnemar_p_value
from screenmark.metrics.points import point_in_shape
from screenmark.types import Outcome, Reply

LEAST_GAIN = 0.05
"""A reading has to be better by so much, and significantly so, to be mentioned."""

SIGNIFICANT = 0.001
"""P value below which it is, after Bonferroni's correction for the readings tried."""

_CLUSTERED = 0.25
_OUTSIDE = 0.1
_FEW = 10
_READINGS: tuple[tuple[str, str], ...] = (
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


class Seen(NamedTuple):
    """What the audit keeps of a record.

    Attributes:
        numbers: as the model wrote them, None if there are none.
        sent: size of the image as it was sent.
        hit: what the run's own reading made of it.
        why_not: why there was no answer, or None.
    """

    numbers: tuple[float, ...] | None
    percent: bool
    sent: Size
    shapes: tuple[Shape, ...]
    instruction_key: str
    group: str
    hit: int
    point: list[float] | None
    outcome: Outcome
    why_not: str | None


def look_at(
    sample: GroundingSample,
    reply: Reply | None,
    profile: Profile,
    score: dict[str, Any],
    outcome: Outcome,
    why_not: str | None,
) -> Seen:
    """Keep what the audit needs of one record."""
    numbers, percent = None, False
    if reply is not None and reply.text:
        mark = None
        text = strip_thinking(reply.text).text
        for known in (profile, profiles()["pixel"]):
            try:
                mark = read_mark(text, known)
                break
            except Unreadable:
                continue
        if mark is not None:
            numbers, percent = mark.numbers, mark.percent
    size = Size(max(1, sample.width), max(1, sample.height))
    if reply is not None and reply.images and reply.images[0].original_width is not None:
        size = Size(reply.images[0].width, reply.images[0].height)
    return Seen(
        numbers=numbers,
        percent=percent,
        sent=size,
        shapes=sample.shapes,
        instruction_key=sample.image_path,
        group="/".join(sample.groups.get(k, "") for k in ("grounding_type", "platform")),
        hit=score["hit"],
        point=score["point"],
        outcome=outcome,
        why_not=why_not,
    )


def audit(seen: Sequence[Seen], profile: Profile) -> dict[str, Any]:
    """Hit rates under every reading, and what is worth a look, in words."""
    present = [item for item in seen if item.shapes]
    pointed = [item for item in present if item.numbers is not None and not item.percent]
    readings = [_as_it_is(present, profile), *_others(present, pointed, profile)]
    better = _better(readings)
    return {
        "num_samples": len(present),
        "num_with_numbers": len(pointed),
        "readings": [
            {key: value for key, value in reading.items() if key != "hits"} for reading in readings
        ],
        "better_reading": better,
        "warnings": [*_better_words(readings, better), *_flags(present, seen)],
    }


def _as_it_is(present: Sequence[Seen], profile: Profile) -> dict[str, Any]:
    flags = [item.hit for item in present]
    return _reading("as read", profile.space, profile.y_first, flags, flags)


def _others(
    present: Sequence[Seen], pointed: Sequence[Seen], profile: Profile
) -> Iterable[dict[str, Any]]:
    own = [item.hit for item in present]
    for words, space in _READINGS:
        for swapped in (False, True):
            if space == profile.space and not swapped:
                continue
            flags = [
                _hit(item, Space.parse(space), swapped=swapped) if item.numbers else 0
                for item in present
            ]
            name = f"{words}, y before x" if swapped else words
            yield _reading(name, space, swapped, flags, own)


def _reading(
    words: str, space: str, swapped: bool, flags: list[int], own: list[int]
) -> dict[str, Any]:
    rate = sum(flags) / len(flags) if flags else None
    gained = sum(new > old for new, old in zip(flags, own, strict=True))
    lost = sum(new < old for new, old in zip(flags, own, strict=True))
    return {
        "reading": words,
        "space": space,
        "swapped": swapped,
        "accuracy": rate,
        "gained": gained,
        "lost": lost,
        "p_value": mcnemar_p_value(gained, lost),
        "hits": flags,
    }


def _hit(item: Seen, space: Space, *, swapped: bool) -> int:
    """Whether the numbers, read in ``space``, are on the target."""
    numbers = item.numbers or ()
    x, y = (sum(axis) / len(axis) for axis in (numbers[::2], numbers[1::2]))
    if swapped:
        x, y = y, x
    try:
        point = Point(x, y, space).to(UNIT, item.sent)
    except SpaceError:
        return 0
    return int(any(point_in_shape((point.x, point.y), shape) for shape in item.shapes))


def _better(readings: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The best of the significantly better readings, or None."""
    own, others = readings[0], readings[1:]
    if own["accuracy"] is None:
        return None
    level = SIGNIFICANT / max(1, len(others))
    found = [
        reading
        for reading in others
        if reading["p_value"] < level and reading["accuracy"] - own["accuracy"] >= LEAST_GAIN
    ]
    best = max(found, key=lambda reading: reading["accuracy"], default=None)
    if best is None:
        return None
    return {key: best[key] for key in ("reading", "space", "swapped", "accuracy", "p_value")}


def _better_words(readings: Sequence[dict[str, Any]], better: dict[str, Any] | None) -> list[str]:
    if better is None:
        return []
    own = readings[0]["accuracy"]
    return [
        f"read as {better['reading']} these replies would score {better['accuracy']:.0%} instead "
        f"of {own:.0%}: is the profile right?"
    ]


def _flags(present: Sequence[Seen], seen: Sequence[Seen]) -> list[str]:
    """What looks like a fault of the set-up rather than of the model."""
    found = [*_unread(seen), *_extremes(present), *_clusters(present)]
    points = [item.point for item in present if item.point is not None]
    outside = sum(not all(0 <= number <= 1 for number in point) for point in points)
    if points and outside > _OUTSIDE * len(points):
        found.append(
            f"{outside} of {len(points)} points lie outside their image: the coordinate space or "
            "the resize rule may be another one"
        )
    return found


def _unread(seen: Sequence[Seen]) -> list[str]:
    """If nearly nothing could be read: the commonest cause, in words."""
    asked = [item for item in seen if not item.outcome.is_failure]
    missing = [item for item in asked if item.why_not is not None]
    if len(asked) < _FEW or len(missing) < 0.5 * len(asked):
        return []
    share = f"{len(missing)} of {len(asked)} replies hold no answer that can be scored"
    truncated = sum(item.outcome is Outcome.TRUNCATED for item in missing)
    empty = sum(item.outcome is Outcome.EMPTY for item in missing)
    with_numbers = sum(item.numbers is not None for item in missing)
    if truncated > len(missing) / 2:
        return [f"{share}: most were cut off at the token limit; raise --max-tokens"]
    if empty > len(missing) / 2:
        return [f"{share}: most are empty; does a postprocess function drop the text?"]
    if with_numbers > len(missing) / 2:
        return [
            f"{share}, though most hold coordinates: another --profile reads them, or their "
            "space is another one"
        ]
    words = Counter(item.why_not for item in missing if item.why_not).most_common(1)
    return [
        f"{share}: they hold no coordinates (most often: {words[0][0]}); was the prompt's request "
        "for coordinates lost, or does a postprocess function cut them off?"
    ]


def _extremes(present: Sequence[Seen]) -> list[str]:
    """Strata where all or none are right, while others are not so."""
    strata: dict[str, list[int]] = defaultdict(list)
    for item in present:
        strata[item.group].append(item.hit)
    large = {name: flags for name, flags in strata.items() if len(flags) >= 2 * _FEW}
    overall = sum(item.hit for item in present) / len(present) if present else 0.0
    found = []
    for name, flags in sorted(large.items()):
        rate = sum(flags) / len(flags)
        if (rate == 0 and overall > 0.1) or (rate == 1 and overall < 0.9):
            found.append(f"exactly {rate:.0%} of {len(flags)} in {name.strip('/')}: worth a look")
    return found


def _clusters(present: Sequence[Seen]) -> list[str]:
    """Whether one place is named for many different targets."""
    points = [item.point for item in present if item.point is not None]
    if len(points) < 2 * _FEW:
        return []
    places = Counter((round(x, 2), round(y, 2)) for x, y in points)
    (place, count), *_ = places.most_common(1)
    if count <= _CLUSTERED * len(points):
        return []
    return [
        f"{count} of {len(points)} points are at {place[0]:.2f}, {place[1]:.2f} of the image, "
        "whatever was asked: the model may not see it"
    ]
