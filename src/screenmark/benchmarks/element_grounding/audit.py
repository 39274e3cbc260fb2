"""The convention audit: would the same replies score better if read in another way?

A model whose points are read in the wrong coordinate space scores near zero, and nothing in the
score says why. The audit takes the numbers as the model wrote them, reads them in every space
and axis order, and compares the hit rates on the same samples. It also names what looks like a
fault of the set-up rather than of the model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from screenmark.answers import Profile, profiles, strip_thinking
from screenmark.answers.points import LONGEST_REPLY, Unreadable, read_mark
from screenmark.benchmarks.element_grounding.readings import (
    Compared,
    Marked,
    better_readings,
    compare_readings,
    same_as_own,
)
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.benchmarks.unanswered import (
    FEW,
    cause_of,
    faulty_function,
    nearly_all,
    share_of,
)
from screenmark.geometry import Size
from screenmark.types import TARGET_ABSENT, Outcome, Record

_CLUSTERED = 0.25
_OUTSIDE = 0.1
_PLAIN = frozenset({"unit", "permille", "percent", "pixel"})


class Seen(NamedTuple):
    """What the audit keeps of a record.

    Attributes:
        marked: its numbers and its target.
        several: whether the reply holds several places, of which none is the answer.
        group: its stratum.
        point: where it points, as fractions of the image, None without one.
        unread: why a reply holds no answer, None if it holds one or if there is no reply.
    """

    marked: Marked
    several: bool
    group: str
    point: list[float] | None
    outcome: Outcome
    unread: str | None


def look_at(sample: GroundingSample, record: Record, profile: Profile) -> Seen:
    """Keep what the audit needs of one record."""
    reply, answer = record.reply, record.answer
    numbers, percent, several = (None, False, False)
    if reply is not None and reply.text:
        numbers, percent, several = _numbers(reply.text, profile)
    size = Size(max(1, sample.width), max(1, sample.height))
    sent = reply.images[0] if reply is not None and reply.images else None
    scaled = sent is not None and sent.original_width is not None
    unread = None
    if answer is not None and answer.value is None and answer.reason != TARGET_ABSENT:
        unread = answer.reason or answer.outcome.value
    return Seen(
        marked=Marked(
            numbers=numbers,
            fixed=percent,
            sent=Size(sent.width, sent.height) if scaled and sent is not None else size,
            original=size,
            shapes=sample.shapes,
            hit=record.score["hit"],
        ),
        several=several,
        group="/".join(sample.groups.get(k, "") for k in ("grounding_type", "platform")),
        point=record.score["point"],
        outcome=record.outcome,
        unread=unread,
    )


def _numbers(text: str, profile: Profile) -> tuple[tuple[float, ...] | None, bool, bool]:
    """The one mark of a reply in the profile's forms, else in any: numbers, percent, several."""
    reply = strip_thinking(text).text[-LONGEST_REPLY:]
    several = False
    for known in (profile, profiles()["pixel"]):
        try:
            mark = read_mark(reply, known)
        except Unreadable as error:
            several = several or "different places" in str(error)
        else:
            return (mark.numbers, mark.percent, False) if mark is not None else (None, False, False)
    return None, False, several


def audit(seen: Sequence[Seen], profile: Profile, read_by: str | None = None) -> dict[str, Any]:
    """Hit rates under every reading, and what is worth a look, in words.

    ``read_by`` is the user's own function in whose place no profile can be put.
    """
    present = [item for item in seen if item.marked.shapes]
    marked = [item.marked for item in present]
    compared = compare_readings(marked, profile)
    better = better_readings(marked, compared)
    own = sum(item.hit for item in marked) / len(marked) if marked else None
    return {
        "num_samples": len(present),
        "num_with_numbers": sum(item.numbers is not None for item in marked),
        "as_read": {
            "space": profile.space,
            "accuracy": own,
            "same_as": same_as_own(marked, profile),
        },
        "readings": [other.row() for other in compared],
        "better_reading": _better(better, profile),
        "warnings": [*_better_words(better, own, profile, read_by), *_flags(present, seen)],
    }


def _better(better: Sequence[Compared], profile: Profile) -> dict[str, Any] | None:
    if not better:
        return None
    best, *others = better
    return {
        **best.row(),
        "profile": _profile_for(best, profile),
        "not_told_apart": [other.words for other in others],
    }


def _profile_for(best: Compared, profile: Profile) -> str | None:
    """What --profile would read the numbers so, if there is such a one."""
    space = best.reading.space
    if space is None or best.reading.swapped:
        return None
    name = profile.name.partition("@")[0]
    return space if name in _PLAIN and space in _PLAIN else f"{name}@{space}"


def _better_words(
    better: Sequence[Compared], own: float | None, profile: Profile, read_by: str | None
) -> list[str]:
    if not better or own is None:
        return []
    best, *others = better
    line = (
        f"read as {best.words} these replies would score {100 * best.accuracy:.0f} % instead of "
        f"{100 * own:.0f} %: is {read_by or 'the profile'} right?"
    )
    name = _profile_for(best, profile)
    if name is not None and read_by is None:
        line += f" --profile '{name}' reads them so."
    if others:
        line += f" Not told apart by these replies: {'; '.join(o.words for o in others)}."
    return [line]


def _flags(present: Sequence[Seen], seen: Sequence[Seen]) -> list[str]:
    """What looks like a fault of the set-up rather than of the model."""
    faults = faulty_function([item.unread for item in seen])
    found = [*(faults or _unread(seen)), *_extremes(present), *_clusters(present)]
    found += _never_declined(seen)
    points = [item.point for item in present if item.point is not None]
    outside = sum(not all(0 <= number <= 1 for number in point) for point in points)
    if len(points) >= FEW and outside > _OUTSIDE * len(points):
        found.append(
            f"{outside} of {len(points)} points lie outside their image: the coordinate space or "
            "the resize rule may be another one"
        )
    return found


def _unread(seen: Sequence[Seen]) -> list[str]:
    """If nearly nothing could be read: the commonest cause, in words."""
    asked = [item for item in seen if not item.outcome.is_failure]
    missing = [item for item in asked if item.unread is not None]
    if not nearly_all(len(missing), len(asked)):
        return []
    share = share_of(len(missing), len(asked))
    cause = cause_of([item.outcome for item in missing])
    if cause is not None:
        return [f"{share}: {cause}"]
    reasons = Counter(item.unread for item in missing).most_common(1)
    example = f"for example: {reasons[0][0]}"
    if sum(item.several for item in missing) > len(missing) / 2:
        return [
            f"{share}: most name several places; was the model asked for one point? ({example})"
        ]
    if sum(item.marked.numbers is not None for item in missing) > len(missing) / 2:
        return [
            f"{share}, though most hold coordinates: their form or their space is not that of "
            f"the profile; is another --profile the right one? ({example})"
        ]
    return [
        f"{share}: most hold no coordinates; did the prompt lose its request for them, or does a "
        f"postprocess function cut them off? ({example})"
    ]


def _never_declined(seen: Sequence[Seen]) -> list[str]:
    """Whether the model points at something whether or not it is there."""
    absent = [item for item in seen if not item.marked.shapes]
    pointed = sum(item.point is not None for item in absent)
    if pointed < FEW or any(item.marked.hit for item in absent):
        return []
    return [
        f"none of the {len(absent)} absent targets was declined, {pointed} were pointed at: if "
        "the prompt is not the built-in one, does it say what to answer where there is no such "
        "thing, as in: not on screen?"
    ]


def _extremes(present: Sequence[Seen]) -> list[str]:
    """Strata where all or none are right, while others are not so."""
    strata: dict[str, list[int]] = defaultdict(list)
    for item in present:
        strata[item.group].append(item.marked.hit)
    large = {name: flags for name, flags in strata.items() if len(flags) >= 2 * FEW}
    overall = sum(item.marked.hit for item in present) / len(present) if present else 0.0
    found = []
    for name, flags in sorted(large.items()):
        rate = sum(flags) / len(flags)
        if (rate == 0 and overall > 0.1) or (rate == 1 and overall < 0.9):
            found.append(
                f"exactly {100 * rate:.0f} % of {len(flags)} in {name.strip('/')}, against "
                f"{100 * overall:.0f} % of all"
            )
    return found


def _clusters(present: Sequence[Seen]) -> list[str]:
    """Whether one place is named for many different targets, and mostly in vain."""
    pointed = [item for item in present if item.point is not None]
    if len(pointed) < 2 * FEW:
        return []
    places: dict[tuple[float, ...], list[int]] = defaultdict(list)
    for item in pointed:
        places[tuple(round(number, 2) for number in item.point or ())].append(item.marked.hit)
    place, flags = max(places.items(), key=lambda known: len(known[1]))
    if len(flags) <= _CLUSTERED * len(pointed) or sum(flags) > len(flags) / 2:
        return []
    return [
        f"{len(flags)} of {len(pointed)} points are at {place[0]:.2f}, {place[1]:.2f} of the "
        "image, whatever was asked: the model may not see it"
    ]
