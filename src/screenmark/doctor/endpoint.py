"""A model that is asked over a network, looked at by asking it a few questions."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from screenmark.benchmarks import Sample
from screenmark.benchmarks.element_grounding.benchmark import ElementGrounding
from screenmark.doctor.access import check_access
from screenmark.doctor.asking import Interview, interview
from screenmark.doctor.coordinates import check_coordinates, read_targets
from screenmark.doctor.cost import check_cost
from screenmark.doctor.finding import Finding
from screenmark.doctor.model_list import address_of, has_list
from screenmark.doctor.pace import check_pace
from screenmark.doctor.questions import Questions, make_questions
from screenmark.doctor.remedies import failed
from screenmark.doctor.understanding import check_picture, check_system, check_thinking
from screenmark.engine.plan import Plan
from screenmark.errors import ScreenmarkError
from screenmark.models import BaseLLMAdapter
from screenmark.models.hosted import HostedAdapter
from screenmark.models.image_limits import limits_of_run
from screenmark.models.secrets import Secrets


def is_asked(model: BaseLLMAdapter) -> bool:
    """Whether a model is one to ask: a service or a user's own, none with its weights here."""
    own = not type(model).__module__.startswith("screenmark.")
    return isinstance(model, HostedAdapter) or own


def check_endpoint(plans: Sequence[Plan], announce: Callable[[str], None]) -> Iterator[Finding]:
    """Ask the plans' model some ten short questions; nothing if it is not one to ask.

    Args:
        plans: of one model; one that asks for points says how targets are asked for.
        announce: is told, before anything is sent, how much that will be and where it goes.
    """
    plan = next((p for p in plans if isinstance(p.benchmark, ElementGrounding)), plans[0])
    try:
        replicas = plan.replicas()
        if not is_asked(replicas[0]):
            return
        for one in plans:
            one.benchmark.settle_profile(replicas[0].fixed_space, replicas[0].name)
            one.benchmark.settle_image_limits(limits_of_run(one.model, replicas))
    except ScreenmarkError:
        return  # whatever looks at the plan says so
    secrets = Secrets(plan.model)
    with tempfile.TemporaryDirectory(prefix="screenmark-doctor-") as folder:
        questions = make_questions(plan, Path(folder))
        announce(_announcement(plan, questions, len(replicas)))
        try:
            found = asyncio.run(interview(replicas, plan.model, questions))
        except ScreenmarkError as error:
            yield _without(secrets, failed("model", error, plan.model))
            return
        for finding in _findings(plan, plans, questions, found):
            yield _without(secrets, finding)


def _announcement(plan: Plan, questions: Questions, replicas: int) -> str:
    count = len(questions) + has_list(plan.model) + replicas - 1
    where = address_of(plan.model) or str(plan.model.adapter)
    return (
        f"doctor sends {count} short requests to {where}, 6 of them with an image; "
        "--offline leaves them out"
    )


def _without(secrets: Secrets, finding: Finding) -> Finding:
    detail, remedy = secrets.out_of(finding.detail), secrets.out_of(finding.remedy)
    return msgspec.structs.replace(finding, detail=detail, remedy=remedy)


def _findings(
    plan: Plan, plans: Sequence[Plan], questions: Questions, found: Interview
) -> Iterator[Finding]:
    yield from check_access(found, plan.model)
    if found.picture is None or (found.word.reply is None and found.picture.reply is None):
        return
    pointed = read_targets(questions, found.targets) if found.targets else None
    yield check_picture(found.picture, on_target=pointed is not None and pointed.enough)
    if pointed is not None:
        yield from check_coordinates(plan, pointed)
    if found.system is not None:
        yield check_system(found.system, plan)
    yield from check_thinking(found, plan.model.max_tokens)
    work = [(one, samples) for one in plans if (samples := _samples(one))]
    total = sum(len(samples) * one.engine.repeats for one, samples in work)
    yield from check_pace(found, plan.model, total)
    for one, samples in work:
        if (cost := check_cost(one, samples, questions, found)) is not None:
            yield cost


def _samples(plan: Plan) -> Sequence[Sample]:
    """What the run will ask; nothing if the data cannot be read or there is no run."""
    if plan.benchmark.info.family == "calibration":
        return ()
    try:
        dataset = plan.benchmark.load()
    except ScreenmarkError:
        return ()
    return [sample for sample in plan.choose(dataset) if sample.problem is None]
