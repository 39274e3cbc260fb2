"""In which convention a model answers about five targets, and whether that is the profile's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from screenmark.answers import profiles, strip_thinking
from screenmark.answers.points import Unreadable, read_mark
from screenmark.benchmarks.calibration import size_seen
from screenmark.benchmarks.calibration.fit import ENOUGH, SWAPPED, Hypothesis, Said, fit
from screenmark.doctor.asking import Heard
from screenmark.doctor.finding import Finding
from screenmark.doctor.questions import Questions, TargetQuestion
from screenmark.engine.plan import Plan
from screenmark.geometry import Space
from screenmark.profile_files import find_profile
from screenmark.types import Reply

_PLAIN = ("unit", "permille", "percent", "pixel")
_HIT = 0.06
_SHOWN = 50


class Pointed(NamedTuple):
    """What came of the targets.

    Attributes:
        said: the replies with numbers in them.
        hits: replies that the run itself would read as a place on the target; None if the
            benchmark does not ask for points.
        asked: number of targets.
        example: the first reply's text, for people.
    """

    said: Sequence[Said]
    hits: int | None
    asked: int
    example: str

    @property
    def enough(self) -> bool:
        """Whether the targets are found, by the run's own reading or any other."""
        best = fit(self.said, self.asked)["space"] is not None
        return best or (self.hits or 0) >= ENOUGH * self.asked


def read_targets(questions: Questions, heard: Sequence[Heard]) -> Pointed:
    """Read the replies, once by their numbers and once as the run would."""
    said, hits, example = [], 0, ""
    for question, one in zip(questions.targets, heard, strict=True):
        if one.reply is None:
            continue
        text = strip_thinking(one.reply.text).text
        example = example or text[:_SHOWN]
        try:
            mark = read_mark(text, profiles()["pixel"])
        except Unreadable:
            mark = None
        if mark is not None:
            size = size_seen(question.page, one.reply)
            said.append(Said(tuple(mark.numbers), size, question.page.x, question.page.y))
        hits += questions.in_own_words and _hit(question, one.reply)
    return Pointed(said, hits if questions.in_own_words else None, len(heard), example)


def _hit(question: TargetQuestion, reply: Reply) -> bool:
    value: Any = question.benchmark.parse(reply, question.sample).value
    if not (isinstance(value, list) and len(value) == 2):
        return False
    return math.hypot(value[0] - question.page.x, value[1] - question.page.y) < _HIT


def check_coordinates(plan: Plan, pointed: Pointed) -> Iterator[Finding]:
    """Compare what fits with what the run would read."""
    found = fit(pointed.said, pointed.asked)
    name = plan.benchmark.profile
    reading = _reading(found)
    if pointed.hits is not None and pointed.hits >= ENOUGH * pointed.asked:
        yield _finding(
            "ok", f"{pointed.hits} of {pointed.asked} targets are hit, read as the profile {name}"
        )
        return
    matters = pointed.hits is not None
    if reading is None:
        yield _nothing_fits(pointed, matters=matters)
        return
    explained = round(found["explained"] * pointed.asked)
    space, swapped = reading
    words = space + SWAPPED * swapped
    fits = f"{explained} of {pointed.asked} replies fit {words}"
    agrees = name is not None and _agrees(name, found)
    if matters and agrees:
        yield _finding(
            "failed",
            f"{fits}, the space of the profile {name}, but the run's own reading makes "
            f"{pointed.hits} hits of them",
            "--parse-function, --postprocess or --prompt: one of them loses the coordinates",
        )
    elif matters:
        yield _finding(
            "failed",
            f"{fits}; read as the profile {name}, {pointed.hits} of {pointed.asked} hit",
            _profile_option(space, swapped=swapped),
        )
    elif name is not None and not agrees:
        yield _finding(
            "warning",
            f"{fits} when no convention is asked for; the benchmark asks for the profile {name}",
            f"{_profile_option(space, swapped=swapped)}, if the run's boxes are off",
        )
    elif swapped and name is None:
        yield _finding("warning", fits, _profile_option(space, swapped=True))
    else:
        yield _finding("ok", fits)


def _finding(status: Any, detail: str, remedy: str = "") -> Finding:
    return Finding(check="coordinates", status=status, detail=detail, remedy=remedy)


def _nothing_fits(pointed: Pointed, *, matters: bool) -> Finding:
    count = f"{len(pointed.said)} of {pointed.asked} replies hold coordinates"
    shown = f", such as {pointed.example!r}" if pointed.example else ""
    detail = f"no convention fits; {count}{shown}"
    remedy = "screenmark calibrate with the same options asks about 40 pages and shows replies"
    return _finding("failed" if matters else "note", detail, remedy)


def _reading(found: dict[str, Any]) -> tuple[str, bool] | None:
    """The plainest reading among those that fit alike."""
    if found["space"] is None:
        return None
    best, *alike = _fitting(found)
    return next((one for one in (best, *alike) if one[0] in _PLAIN and one[1] == best[1]), best)


def _fitting(found: dict[str, Any]) -> list[tuple[str, bool]]:
    """Spaces that fit alike, the best first, and whether y comes before x."""
    told = [str(Hypothesis(Space.parse(found["space"]), found["y_first"])), *found["alike"]]
    return [(text.removesuffix(SWAPPED), text.endswith(SWAPPED)) for text in told]


def _agrees(name: str, found: dict[str, Any]) -> bool:
    """Whether the profile's reading is among those that fit."""
    profile = find_profile(name)
    return (profile.space, profile.y_first) in _fitting(found)


def _profile_option(space: str, *, swapped: bool) -> str:
    """A profile that reads a space in an axis order, or how to get one."""
    if not swapped:
        return f"--profile {space}" if space in _PLAIN else f'--profile "pixel@{space}"'
    for profile in profiles().values():
        if profile.space == space and profile.y_first:
            return f"--profile {profile.name}"
    return "screenmark calibrate … --write FILE.toml, then --profile FILE.toml"
