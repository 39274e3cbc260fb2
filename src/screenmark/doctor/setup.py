"""A benchmark, a model and their options, looked at without asking the model anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from screenmark.benchmarks import Dataset, Sample
from screenmark.benchmarks.base import PROFILE_SOURCES
from screenmark.benchmarks.calibration import Calibration
from screenmark.doctor.checkpoint import check_checkpoint
from screenmark.doctor.finding import Finding
from screenmark.doctor.own_functions import check_functions
from screenmark.doctor.prompts import check_absence, check_prompts
from screenmark.doctor.remedies import IMAGE_DIR, failed
from screenmark.engine.plan import Plan
from screenmark.errors import ScreenmarkError, UsageError
from screenmark.models import BaseLLMAdapter
from screenmark.models.image_limits import limits_of_run
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
    yield from look_at(benchmark, options)[0]


def look_at(benchmark: str, options: Mapping[str, Any]) -> tuple[list[Finding], Plan | None]:
    """As `check_setup`, with the plan, its profile settled; None if there can be none."""
    try:
        plan = Plan(benchmark, options)
    except ScreenmarkError as error:
        return [failed("options", error)], None
    return list(_check_plan(plan)), plan


def look_at_model(options: Mapping[str, Any]) -> tuple[list[Finding], Plan | None]:
    """What can be known of a model before its first request, without a benchmark.

    Args:
        options: those of ``screenmark.run`` that say who is asked.

    Returns:
        What was found, and a plan with which the model can be asked; None if there can be none.
    """
    try:
        plan = Plan(Calibration.info.id, options)
    except ScreenmarkError as error:
        return [failed("options", error)], None
    return list(_check_model(plan, [])), plan


def _check_model(plan: Plan, replicas: list[BaseLLMAdapter]) -> Iterator[Finding]:
    """The model; its replicas are put into the list."""
    try:
        replicas += plan.replicas()
        yield Finding(check="model", status="ok", detail=replicas[0].name)
    except ScreenmarkError as error:
        yield failed("model", error, plan.model)
    if plan.model.adapter in {"transformers", "vllm"} and plan.model.model:
        yield from check_checkpoint(plan.model)


def _check_plan(plan: Plan) -> Iterator[Finding]:
    replicas: list[BaseLLMAdapter] = []
    yield from _check_model(plan, replicas)
    model = replicas[0] if replicas else None
    fixed, name = (model.fixed_space, model.name) if model else (None, plan.model.model)
    try:
        plan.benchmark.settle_profile(fixed, name)
    except ScreenmarkError as error:
        yield failed("profile", error)
        return
    yield _profile(plan)
    try:
        plan.benchmark.settle_image_limits(limits_of_run(plan.model, replicas))
    except UsageError as error:
        yield failed("options", error)
        return
    try:
        dataset = plan.benchmark.load()
    except ScreenmarkError as error:
        yield failed("data", error)
        return
    yield from _data(dataset)
    samples = plan.choose(dataset)
    yield from _images(samples)
    if usable := [sample for sample in samples if sample.problem is None]:
        yield from _asked(plan, usable)
        yield from check_functions(plan, usable[0])


def _profile(plan: Plan) -> Finding:
    name, own = plan.benchmark.profile, plan.benchmark.options.parse_function
    if name is None:
        return Finding(check="profile", status="ok", detail="answers hold no coordinates")
    if own is not None and not plan.benchmark.options.profile:
        detail = f"{own} reads the replies, so no profile is needed"
        return Finding(check="profile", status="ok", detail=detail)
    how = plan.benchmark.profile_source or "default"
    space = find_profile(name).space
    detail = f"{name}{'' if space == name else f', {space}'} ({PROFILE_SOURCES[how]})"
    if how != "default":
        return Finding(check="profile", status="ok", detail=detail)
    return Finding(
        check="profile",
        status="warning",
        detail=detail,
        remedy="--profile NAME if the model was trained on another one; see: list profiles",
    )


def _data(dataset: Dataset[Any]) -> Iterator[Finding]:
    if dataset.samples:
        detail = f"{len(dataset.samples)} samples of {dataset.source}"
        yield Finding(check="data", status="ok", detail=detail)
    elif not dataset.problems:
        yield Finding(
            check="data",
            status="failed",
            detail=f"no sample in {dataset.source}",
            remedy="--annotation FILE or --data DIR with samples in it; see: screenmark data list",
        )
    left = "; the others are used" if dataset.samples else ""
    mend = f"mend the item in {dataset.source}{left}"
    for problem in dataset.problems[:_SHOWN]:
        yield Finding(check="data", status="failed", detail=str(problem), remedy=mend)
    if len(dataset.problems) > _SHOWN:
        more = f"{len(dataset.problems) - _SHOWN} more samples are left out"
        yield Finding(check="data", status="failed", detail=more, remedy=mend)
    for warning in dataset.warnings[:_SHOWN]:
        yield Finding(check="data", status="warning", detail=warning)
    if len(dataset.warnings) > _SHOWN:
        more = f"{len(dataset.warnings) - _SHOWN} more of this kind"
        yield Finding(check="data", status="warning", detail=more)


def _images(samples: Sequence[Sample]) -> Iterator[Finding]:
    broken = [sample for sample in samples if sample.problem is not None]
    if broken:
        yield Finding(
            check="images",
            status="failed",
            detail=f"{len(broken)} of {len(samples)} samples: {broken[0].problem}",
            remedy=IMAGE_DIR,
        )
    elif samples:
        yield Finding(
            check="images", status="ok", detail=f"all of {len(samples)} samples can be read"
        )


def _asked(plan: Plan, samples: Sequence[Sample]) -> Iterator[Finding]:
    """Prompts of some samples, as they would be sent."""
    asked: list[tuple[Sample, tuple[Message, ...]]] = []
    for sample in samples[:_LOOKED_AT]:
        try:
            asked.append((sample, plan.benchmark.build_prompt(sample)))
        except ScreenmarkError as error:
            yield failed("prompt", error)
            return
    lost = _lost_image(asked) if plan.benchmark.options.build_prompt is not None else None
    if lost is not None:
        yield lost
    else:
        yield from check_prompts(plan, asked)
        yield from check_absence(plan, samples, asked)


def _lost_image(asked: Sequence[tuple[Sample, tuple[Message, ...]]]) -> Finding | None:
    """What is wrong with the images that a builder of the user's own names."""
    for sample, messages in asked:
        paths = [part.path for m in messages for part in m.parts if isinstance(part, Image)]
        if not paths:
            return Finding(
                check="prompt",
                status="failed",
                detail=f"{sample.id}: the prompt holds no image",
                remedy='add {"role": "user", "type": "image", "value": PATH} in the prompt builder',
            )
        missing = [path for path in paths if not Path(path).is_file()]
        if missing:
            return Finding(
                check="prompt",
                status="failed",
                detail=f"{sample.id}: there is no image at {missing[0]}",
                remedy="the prompt builder has to join image_path to the folder of the images",
            )
    return None
