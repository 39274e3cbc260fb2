"""Where a judge's marks and the deterministic checks say different things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from screenmark.answers.rubric import RANGES
from screenmark.benchmarks.map_judging.checks_judge import NUMBERS, PARTS, SHAPES
from screenmark.benchmarks.map_judging.samples import Check


class _Rule(NamedTuple):
    """A criterion and the checks that bear on it; ``both`` if a low mark may disagree too."""

    criterion: str
    checks: Sequence[str]
    both: bool


_RULES: Final = (
    _Rule("exists", ("not_blank", "extracted"), both=True),
    _Rule("spatial_location", ("in_region", "in_view", "not_swapped"), both=True),
    _Rule("accuracy", ("in_region",), both=False),
    _Rule("requirement", ("geometry_kinds", "projection"), both=False),
    _Rule("geometry_validity", SHAPES, both=True),
    _Rule("numeric_match", NUMBERS, both=True),
    _Rule("completeness", PARTS, both=False),
)
_HIGH: Final = 0.75
_LOW: Final = 0.25


def disagreements(
    marks: Mapping[str, float | None], checks: Iterable[Check]
) -> list[dict[str, str]]:
    """``[{"criterion", "check", "text"}]``: high marks beside failed checks, and the reverse.

    Args:
        marks: mean mark of each criterion; None where there is none.
        checks: of the same output.
    """
    by_name = {check.check: check for check in checks}
    found = []
    for rule in _RULES:
        mark = marks.get(rule.criterion)
        if mark is None:
            continue
        most = RANGES[rule.criterion][-1]
        made = [by_name[name] for name in rule.checks if name in by_name]
        failed = [check for check in made if check.status == "failed"]
        passed = [check for check in made if check.status == "passed"]
        said = f"{rule.criterion} {mark:g} of {most}"
        if mark >= _HIGH * most:
            found += [
                _entry(rule, check, f"judge: {said}; failed: {check.detail}") for check in failed
            ]
        elif rule.both and mark <= _LOW * most and passed and not failed:
            found.append(_entry(rule, passed[0], f"judge: {said}; passed: {passed[0].detail}"))
    return found


def _entry(rule: _Rule, check: Check, text: str) -> dict[str, str]:
    return {"criterion": rule.criterion, "check": check.check, "text": text}
