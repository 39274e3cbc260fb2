"""A benchmark, a model and their options, looked at without asking the model anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from screenmark.benchmarks import Dataset, Sample
from screenmark.benchmarks.base import PROFILE_SOURCES
from screenmark.doctor.finding import Finding
from screenmark.doctor.prompts import check_prompts
from screenmark.engine.plan import Plan
from screenmark.errors import ScreenmarkError
from screenmark.models import BaseLLMAdapter
from screenmark.profile_files import find_profile
from screenmark.types import Image, Message

_LOOKED_AT = 20
_SHOWN = 3


def check_setup(benchmark: str, options: Mapping[str, Any]) -> Iterator[Finding]:
    """Everything about one run that can be known before its first request.

    Args:
        benchmark: its id.
        options: those of ``screenmark.run``.
    """
    try:
        plan = Plan(benchmark, options)
    except ScreenmarkError as error:
        yield _failed("options", error)
        return
    model: BaseLLMAdapter | None = None
    try:
        model = plan.replicas()[0]
        yield Finding(check="model", status="ok", detail=f"{model.name}, not asked")
    except ScreenmarkError as error:
        yield _failed("model", error)
    fixed, name = (model.fixed_space, model.name) if model else (None, plan.model.model)
    try:
        plan.benchmark.settle_profile(fixed, name)
    except ScreenmarkError as error:
        yield _failed("profile", error)
        return
    yield _profile(plan)
    try:
        dataset = plan.benchmark.load()
    except ScreenmarkError as error:
        yield _failed("data", error)
        return
    yield from _data(dataset)
    samples = plan.choose(dataset)
    yield from _images(samples)
    yield from _asked(plan, samples)


def _failed(check: str, error: ScreenmarkError) -> Finding:
    return Finding(check=check, status="failed", detail=str(error))


def _profile(plan: Plan) -> Finding:
    name = plan.benchmark.profile
    if name is None:
        return Finding(check="profile", status="ok", detail="answers hold no coordinates")
    how = plan.benchmark.profile_source or "default"
    detail = f"{name}, {find_profile(name).space} ({PROFILE_SOURCES[how]})"
    if how != "default":
        return Finding(check="profile", status="ok", detail=detail)
    return Finding(
        check="profile",
        status="warning",
        detail=detail,
        remedy="--profile NAME if the model was trained on another one; see: list profiles",
    )


def _data(dataset: Dataset[Any]) -> Iterator[Finding]:
    yield Finding(
        check="data", status="ok", detail=f"{len(dataset.samples)} samples of {dataset.source}"
    )
    for problem in dataset.problems[:_SHOWN]:
        yield Finding(check="data", status="failed", detail=str(problem))
    if len(dataset.problems) > _SHOWN:
        more = f"{len(dataset.problems) - _SHOWN} more samples are left out"
        yield Finding(check="data", status="failed", detail=more)
    for warning in dataset.warnings[:_SHOWN]:
        yield Finding(check="data", status="warning", detail=warning)
    if len(dataset.warnings) > _SHOWN:
        more = f"{len(dataset.warnings) - _SHOWN} more of this kind"
        yield Finding(check="data", status="warning", detail=more)


def _images(samples: Sequence[Sample]) -> Iterator[Finding]:
    broken = [sample for sample in samples if sample.problem is not None]
    if not broken:
        yield Finding(check="images", status="ok", detail="all are found and can be read")
        return
    yield Finding(
        check="images",
        status="failed",
        detail=f"{len(broken)} of {len(samples)} samples: {broken[0].problem}",
        remedy="--image-dir DIR, the folder that image paths are relative to",
    )


def _asked(plan: Plan, samples: Sequence[Sample]) -> Iterator[Finding]:
    """Prompts of some samples, as they would be sent."""
    asked: list[tuple[Sample, tuple[Message, ...]]] = []
    for sample in [s for s in samples if s.problem is None][:_LOOKED_AT]:
        try:
            asked.append((sample, plan.benchmark.build_prompt(sample)))
        except ScreenmarkError as error:
            yield _failed("prompt", error)
            return
    if plan.benchmark.options.build_prompt is not None:
        yield from _paths(asked)
    yield from check_prompts(plan, asked)


def _paths(asked: Sequence[tuple[Sample, tuple[Message, ...]]]) -> Iterator[Finding]:
    """Images that a builder of the user's own names."""
    for sample, messages in asked:
        if sample.problem is not None:
            continue
        paths = [part.path for m in messages for part in m.parts if isinstance(part, Image)]
        if not paths:
            yield Finding(
                check="prompt",
                status="failed",
                detail=f"{sample.id}: the prompt holds no image",
                remedy='add {"role": "user", "type": "image", "value": PATH} in the prompt builder',
            )
            return
        missing = [path for path in paths if not Path(path).is_file()]
        if missing:
            yield Finding(
                check="prompt",
                status="failed",
                detail=f"{sample.id}: there is no image at {missing[0]}",
                remedy="the prompt builder has to join image_path to the folder of the images",
            )
            return
