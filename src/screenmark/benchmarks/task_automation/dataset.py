"""Tasks of worlds to samples: one for each task and seed."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from screenmark.agents.adapter import Ask
from screenmark.benchmarks.base import Dataset, Sample
from screenmark.benchmarks.task_automation.options import AgentOptions
from screenmark.environments import Task, world_class
from screenmark.environments.registry import TASK_FILE, world_names, world_of
from screenmark.errors import UsageError

OVER_ALL_WORLDS: Final = "mmbench-gui-l3"
"""The benchmark that plays tasks of every world and of files."""


class TaskSample(Sample, frozen=True, kw_only=True):
    """An episode to be played.

    Attributes:
        task: id of the task; ``world``, ``platform``, ``apps`` are the task's.
        budget: most steps.
        answerable: False where the task asks for an answer in words and the agent's dialect has
            no form for one, so that nobody can solve it.
    """

    task: str
    world: str
    platform: str
    apps: tuple[str, ...]
    seed: int
    budget: int
    answerable: bool = True

    @property
    def ask(self) -> Ask:
        """The request for it."""
        return Ask(task=self.task, world=self.world, seed=self.seed, budget=self.budget)


def episodes_of(
    tasks: Mapping[str, Task],
    suite: Sequence[str],
    options: AgentOptions,
    source: str,
    *,
    left_out: Mapping[str, str] | None = None,
    answers: bool = True,
) -> Dataset[TaskSample]:
    """The samples of a run.

    Args:
        tasks: all that there are, by id.
        suite: ids of those that are asked where ``--tasks`` names none.
        left_out: what is no task on purpose, and why.
        answers: whether the agent can give an answer in words.

    Raises:
        UsageError: ``--tasks`` names one that there is not.
    """
    wanted = [id for name in options.tasks for id in _all_of(name, tasks)] or suite
    for name in wanted:
        if name not in tasks:
            raise UsageError(f"--tasks {name}: {_why_not(name, tasks, left_out or {})}")
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    samples = [
        TaskSample(
            id=f"{name}#{seed}",
            task=name,
            world=tasks[name].world,
            platform=tasks[name].platform,
            apps=tasks[name].apps,
            seed=seed,
            budget=options.max_steps,
            answerable=answers or not tasks[name].answer,
        )
        for name in dict.fromkeys(wanted)
        for seed in seeds
    ]
    mute = [sample.task for sample in samples if not sample.answerable]
    versions = [tasks[sample.task].version for sample in samples]
    known = [sample.id + version for sample, version in zip(samples, versions, strict=True)]
    digest = hashlib.sha256("\n".join(known).encode("utf-8"))
    return Dataset(
        samples=samples,
        source=source,
        data_hash=digest.hexdigest()[:16],
        beforehand=[f"{cannot_be_answered(mute)}; --dialect names another."] if mute else [],
    )


def _all_of(name: str, tasks: Mapping[str, Task]) -> Sequence[str]:
    """The tasks of a world, or the name as it is."""
    return [id for id, task in tasks.items() if task.world == name] or [name]


def _why_not(name: str, tasks: Mapping[str, Task], left_out: Mapping[str, str]) -> str:
    """Why there is no task by this name, and which one may have been meant."""
    full = next((id for id in (*left_out, *tasks) if name in {id, id.partition("/")[2]}), None)
    if full is not None and full in left_out:
        return f"left out on purpose: {left_out[full]}"
    if full is not None:
        return f"there is no such task; did you mean {full}?"
    elsewhere = _elsewhere(name, tasks)
    if elsewhere is not None:
        return f"belongs to {OVER_ALL_WORLDS}: screenmark run {OVER_ALL_WORLDS} --tasks {elsewhere}"
    close = difflib.get_close_matches(name, tasks, n=1, cutoff=0.5)
    example = close[0] if close else next(iter(tasks), "none")
    hint = f"did you mean {example}?" if close else f"they are called like {example}"
    return f"there is no such task; {hint}"


def _elsewhere(name: str, tasks: Mapping[str, Task]) -> str | None:
    """The task, world or file of tasks that is called so, where it is of a world not among these.

    None if nothing is.
    """
    here = {task.world for task in tasks.values()}
    if world_of(name).endswith(TASK_FILE):
        return None if world_of(name) in here else name
    for world in world_names():
        if world in here:
            continue
        if name == world:
            return name
        with suppress(UsageError):  # a package whose world cannot be loaded
            for id in world_class(world)().tasks():
                if name in {id, id.partition("/")[2]}:
                    return id
    return None


def cannot_be_answered(tasks: Iterable[str]) -> str:
    """That nobody can solve these tasks, in words."""
    names = list(dict.fromkeys(tasks))
    return (
        f"{len(names)} of the tasks ask for an answer, and the agent's dialect has no form for "
        f"one: they count as not solved ({', '.join(names)})"
    )
