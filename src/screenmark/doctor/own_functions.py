"""A user's functions called once on a reply that is as it should be, before any is paid for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from screenmark.answers import Profile
from screenmark.benchmarks import Sample
from screenmark.benchmarks.unanswered import PARSE_FAILED, POSTPROCESS_FAILED
from screenmark.doctor.finding import Finding
from screenmark.engine.plan import Plan
from screenmark.geometry import UNIT, Point, Size
from screenmark.profile_files import find_profile
from screenmark.types import Answer, Outcome, Reply

_X, _Y = 0.3, 0.6
_NEAR = 0.02
_LETTER = "A"
_FAULTS = (PARSE_FAILED, POSTPROCESS_FAILED, "postprocess returned", "the parse function returned")


def check_functions(plan: Plan, sample: Sample) -> Iterator[Finding]:
    """Call postprocess and the parse function on a sample reply in the profile's syntax."""
    local = plan.model.adapter == "transformers"
    post, parse = plan.model.postprocess, plan.benchmark.options.parse_function
    if post is not None and local:
        yield Finding(
            check="functions",
            status="note",
            detail=f"{post} works on the model's tokens: not called without the model",
        )
        post = None
    named = " and ".join(name for name in (post, parse) if name is not None)
    text = _sample_reply(plan, sample)
    if not named or text is None:
        return
    answer = plan.benchmark.parse(Reply(text=text, finish_reason="stop"), sample)
    yield _judged(named, text, answer)


def _judged(named: str, text: str, answer: Answer) -> Finding:
    shown = f"{named} on {text!r}"
    if (answer.reason or "").startswith(_FAULTS):
        return Finding(
            check="functions",
            status="failed",
            detail=f"{shown}: {answer.reason}",
            remedy=f"mend {named}; screenmark score reads kept replies again",
        )
    if answer.outcome is not Outcome.OK:
        return Finding(
            check="functions",
            status="warning",
            detail=f"{shown}: no answer ({answer.reason or answer.outcome.value})",
            remedy=f"if the model answers in this form, mend {named}",
        )
    if _is_elsewhere(answer.value):
        return Finding(
            check="functions",
            status="warning",
            detail=f"{shown}: read as {answer.value} of the image, meant is [{_X}, {_Y}]",
            remedy=f"--profile of the space that the function reads, or mend {named}",
        )
    verb = "read" if " and " in named else "reads"
    return Finding(check="functions", status="ok", detail=f"{named} {verb} {text!r}")


def _is_elsewhere(value: Any) -> bool:
    if not (isinstance(value, list) and len(value) == 2):
        return False
    return bool(abs(value[0] - _X) > _NEAR or abs(value[1] - _Y) > _NEAR)


def _sample_reply(plan: Plan, sample: Sample) -> str | None:
    """What a model that does as it should would say; None if the benchmark's form is another."""
    if plan.benchmark.info.family == "content_understanding":
        return _LETTER
    width, height = getattr(sample, "width", 0), getattr(sample, "height", 0)
    of_points = plan.benchmark.info.family == "element_grounding"
    if plan.benchmark.profile is None or not (of_points and width and height):
        return None
    return written(find_profile(plan.benchmark.profile), Size(width, height), _X, _Y)


def written(profile: Profile, size: Size, x: float, y: float) -> str:
    """A place as a family writes it, in the first of its syntaxes.

    Args:
        size: of the image as the model sees it, in pixels.
        x, y: as fractions of the image.
    """
    place = Point(x, y, UNIT).to(profile.coordinates, size)
    digits = 3 if profile.coordinates.kind == "unit" else 0
    a, b = f"{place.x:.{digits}f}", f"{place.y:.{digits}f}"
    first, second = (b, a) if profile.y_first else (a, b)
    box = "box_2d" if profile.y_first else "bbox_2d"
    forms = {
        "json": f'{{"{box}": [{first}, {second}, {first}, {second}]}}'
        if profile.ask == "box"
        else f'{{"point": [{first}, {second}]}}',
        "call": f"click(x={a}, y={b})",
        "point_tag": f"<point>{a} {b}</point>",
        "molmo_tag": f'<point x="{a}" y="{b}" alt="it">it</point>',
        "box_tag": f"<|box_start|>({a},{b}),({a},{b})<|box_end|>",
        "corner_pairs": f"({a},{b}),({a},{b})",
        "named": f"x={a}, y={b}",
        "bare": f"{a}, {b}",
    }
    return forms.get(profile.syntaxes[0], f"({a}, {b})")
