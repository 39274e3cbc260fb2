"""All checks of one output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations, expectations_of
from screenmark.benchmarks.map_judging.map_checks.furniture import furniture, projection
from screenmark.benchmarks.map_judging.map_checks.hubs import nearest_hub
from screenmark.benchmarks.map_judging.map_checks.numbers import counts, title_area, top
from screenmark.benchmarks.map_judging.map_checks.place import antimeridian, in_region, in_view
from screenmark.benchmarks.map_judging.map_checks.reading_words import picture_words
from screenmark.benchmarks.map_judging.map_checks.routes import distances, great_circles
from screenmark.benchmarks.map_judging.map_checks.shapes import buffers, kinds, validity
from screenmark.benchmarks.map_judging.map_checks.styling import highlight, ramp
from screenmark.benchmarks.map_judging.samples import Check, CheckStatus, Output, Task

MapCheck = Callable[[Evidence, Expectations], Sequence[Check]]

_CHECKS: Final[dict[str, MapCheck]] = {
    "in_region": in_region,
    "in_view": in_view,
    "antimeridian": antimeridian,
    "geometry_kinds": kinds,
    "geometry_valid": validity,
    "count": counts,
    "highlight": highlight,
    "buffer_radius": buffers,
    "ramp": ramp,
    "distances": distances,
    "top": top,
    "projection": projection,
    "title": furniture,
}
"""Checks by the name that they have where they cannot be made."""

_BY_PROMPT: Final = {
    "great_circle": great_circles,
    "nearest_hub": nearest_hub,
    "title_area": title_area,
}
"""Checks that the words of the task ask for."""

_OF_A_SET: Final = frozenset({"count", "highlight", "in_view", "geometry_valid", "ramp"})
"""Checks whose outcome depends on which shapes a public file has, and how they are called."""

_OF_PICTURES: Final[dict[str, Callable[[Expectations], bool]]] = {
    "in_region": lambda e: bool(e.codes or e.bbox),
    "count": lambda e: e.count is not None,
    "count_points": lambda e: e.count_points is not None,
    "highlight": lambda e: bool(e.highlight),
    "buffer_radius": lambda e: bool(e.buffers_km),
    "buffer_shape": lambda e: bool(e.buffers_km),
    "ramp": lambda e: e.colour_direction is not None,
    "distances": lambda e: bool(e.distances_km),
    "top": lambda e: bool(e.top5),
    "projection": lambda e: bool(e.projection),
    "labels": lambda e: bool(e.labels),
}
"""What is wanted of pictures too, and cannot be read from them."""


def map_checks(task: Task, output: Output) -> list[Check]:
    """What the maps of an output come to."""
    expected = expectations_of(task.expectations or {})
    if output.file_type != "html_screenshot":
        return _picture(expected, output)
    found = Evidence(output)
    checks = _extracted(found)
    for name, check in _CHECKS.items():
        checks += _made(name, partial(check, found, expected))
    for name, asked in _BY_PROMPT.items():
        checks += _made(name, partial(asked, found, expected, task.prompt))
    if found.stand_ins:
        checks = [_but_for_stand_ins(check) for check in checks]
    if task.expectations is None:
        why = "nobody said what a right output satisfies"
        checks.append(Check("expectations", "not_applicable", why))
    return checks


def _made(name: str, make: Callable[[], Sequence[Check]]) -> Sequence[Check]:
    """A check's findings; shapes that GEOS cannot compute with leave it open."""
    from shapely.errors import ShapelyError

    try:
        return make()
    except (ShapelyError, ValueError, OverflowError, ZeroDivisionError) as error:
        return [Check(name, "not_extracted", f"cannot be computed ({str(error)[:120]})")]


def _but_for_stand_ins(check: Check) -> Check:
    """A finding that another set of the same shapes, with other small islands, might change."""
    if check.status != "failed" or check.check not in _OF_A_SET:
        return check
    return Check(check.check, "not_extracted", f"shapes of countries stand in: {check.detail}")


def _picture(expected: Expectations, output: Output) -> list[Check]:
    checks = [
        Check(name, "not_extracted", "pictures hold no features")
        for name, is_wanted in _OF_PICTURES.items()
        if is_wanted(expected)
    ]
    if not output.file:
        return checks
    wanted = bool(expected.title), bool(expected.legend)
    return [*picture_words(output.file, *wanted), *checks]


def _extracted(found: Evidence) -> list[Check]:
    """Whether the page's scripts ran, and whether its features could be read."""
    errors = found.script_errors
    checks = []
    if found.features:
        number = len(found.features)
        said = f"{number} features of {', '.join(found.engines)}"
        if found.unusable:
            said += f"; {found.unusable} without a shape"
        if not found.is_whole:
            said += f"; only a part: {few(found.notes, 2)}"
        checks.append(Check("extracted", "passed", said))
    elif found.not_served:
        why = f"not served: {few(found.not_served, 2)}"
        checks.append(Check("extracted", "not_extracted", why))
    elif found.is_blank or errors:
        why = few(found.notes, 2) or "there is no map on the page"
        checks.append(Check("extracted", "failed", f"nothing is drawn: {why}"))
    else:
        why = few(found.notes, 3) or "no map of an engine that can be read"
        checks.append(Check("extracted", "not_extracted", why))
    if errors:
        # A page may fail at a trifle and still show its map.
        missed = found.not_served and not found.features
        status: CheckStatus = (
            "passed" if found.features else "not_extracted" if missed else "failed"
        )
        checks.append(Check("scripts_run", status, f"script error: {few(errors, 2)}"))
    return checks
