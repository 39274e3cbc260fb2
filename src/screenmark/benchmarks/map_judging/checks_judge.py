"""The embedded judge: marks that deterministic checks decide, and no others.

A criterion gets a mark only where the rubric's own words say which one follows from the checks.
How well a map meets its task on a scale from 0 to 30 follows from none of them, so that there is
never a total, only bounds: what the marks given come to, and what they could come to at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from screenmark.answers.rubric import CRITERIA, PASS_FROM, RANGES, normalised
from screenmark.benchmarks.map_judging.picture import SUSPICIOUS
from screenmark.benchmarks.map_judging.samples import Check, Picture
from screenmark.types import Json

NAME: Final = "checks"
"""What ``--judge`` calls it."""

PARTS: Final = ("title", "legend", "labels")
PLACES: Final = ("in_region", "in_view")
SHAPES: Final = ("geometry_valid", "antimeridian", "buffer_shape", "great_circle")
NUMBERS: Final = (
    *("count", "count_points", "highlight", "buffer_radius", "distances", "ramp", "top"),
    *("nearest_hub", "title_area"),
)
"""Checks by the criterion that they decide."""

WHY_NOT: Final = "not judged: a matter of degree that no check decides"


def marks(checks: Iterable[Check], picture: Picture | None) -> tuple[dict[str, int | None], str]:
    """The mark of each criterion, None where it is not judged; and the evidence in words."""
    by_name = {check.check: check for check in checks}
    found: dict[str, int | None] = dict.fromkeys(CRITERIA)
    found["exists"] = _exists(by_name, picture)
    found["completeness"] = _all_or_none(by_name, PARTS, (0, 20))
    found["spatial_location"] = _location(by_name)
    found["geometry_validity"] = _all_or_none(by_name, SHAPES, (0, 5))
    found["numeric_match"] = _numbers(by_name)
    failed = [f"{check.check}: {check.detail}" for check in checks if check.status == "failed"]
    judged = sum(mark is not None for mark in found.values())
    words = f"{judged} of {len(CRITERIA)} criteria follow from checks"
    return found, "; ".join([words, *failed])


def bounds(found: Mapping[str, int | None]) -> tuple[int, int]:
    """Least and most points out of 100 that the marks leave open."""
    least = sum(mark or 0 for mark in found.values())
    open_to = sum(RANGES[name][-1] for name, mark in found.items() if mark is None)
    return normalised(least), normalised(least + open_to)


def value_of(checks: Sequence[Check], picture: Picture | None) -> dict[str, Json]:
    """What this judge says, in place of the verdict on a reply."""
    found, reason = marks(checks, picture)
    low, high = bounds(found)
    value: dict[str, Any] = {
        "status": "checks",
        "scores": found,
        "total_raw": None,
        "total_normalized": None,
        "bounds": [low, high],
        "pass": True if low >= PASS_FROM else False if high < PASS_FROM else None,
        "reason": reason,
    }
    return value


def _decided(by_name: Mapping[str, Check], names: Iterable[str]) -> list[bool]:
    """Whether each check that came to something passed."""
    checks = (by_name[name] for name in names if name in by_name)
    return [c.status == "passed" for c in checks if c.status in {"passed", "failed"}]


def _exists(by_name: Mapping[str, Check], picture: Picture | None) -> int | None:
    """20 for a picture with something on it; a nearly blank one may be an error message."""
    drawn = _decided(by_name, ["not_blank"])
    if not drawn or picture is None:
        return None
    if not drawn[0]:
        return 0
    return 20 if picture.dominant <= SUSPICIOUS else None


def _all_or_none(
    by_name: Mapping[str, Check], names: Iterable[str], marks: tuple[int, int]
) -> int | None:
    """The highest mark where all checks passed, the lowest where all failed, else none.

    One of them that could not be made leaves the criterion open.
    """
    names = [name for name in names if name in by_name]
    if any(by_name[name].status == "not_extracted" for name in names):
        return None
    decided = _decided(by_name, names)
    if not decided or (any(decided) and not all(decided)):
        return None
    return marks[decided[0]]


def _location(by_name: Mapping[str, Check]) -> int | None:
    """15 for features in the region and in view; 0 where they are not in the region."""
    inside = _decided(by_name, ["in_region"])
    if not inside:
        return None
    if not inside[0]:
        return 0
    return 15 if all(_decided(by_name, PLACES)) else None


def _numbers(by_name: Mapping[str, Check]) -> int | None:
    """10, 5 or 0 for all, some or none of the conditions that can be counted."""
    decided = _decided(by_name, NUMBERS)
    if not decided:
        return None
    return 10 if all(decided) else 5 if any(decided) else 0
