"""Whether a task is what it should be: solvable, not for free, and the same each time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Done
from screenmark.environments.base import Environment, Step, Task, Turns, World
from screenmark.errors import EnvironmentFailure

_BUDGET: Final = 50
_IDLE_STEPS: Final = 3

CheckName: TypeAlias = Literal["oracle", "idle", "mistake", "reset"]
_Found: TypeAlias = tuple[bool | None, str, int]
_Checker: TypeAlias = Callable[[World, Environment, Task, int], Awaitable[_Found]]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at.

    Attributes:
        check: ``oracle``: its turns succeed. ``idle``: doing nothing does not. ``mistake``: doing
            the wrong thing does not. ``reset``: a second reset shows the same screen.
        passed: None where there is no oracle to try.
        steps: that the episode took.
    """

    task: str
    seed: int
    check: CheckName
    passed: bool | None
    detail: str
    steps: int = 0


async def check_task(world: World, task: Task, seeds: Sequence[int]) -> list[Check]:
    """All checks of a task: the oracle for every seed, the others for the first.

    A world that breaks down on the way has not passed.
    """
    found = [await _guarded(_oracle, "oracle", world, task, seed) for seed in seeds]
    found.append(await _guarded(_idle, "idle", world, task, seeds[0]))
    found.append(await _guarded(_mistake, "mistake", world, task, seeds[0]))
    found.append(await _guarded(_reset, "reset", world, task, seeds[0]))
    return found


async def _guarded(check: _Checker, name: CheckName, world: World, task: Task, seed: int) -> Check:
    environment = world.environment(_BUDGET)
    try:
        passed, detail, steps = await check(world, environment, task, seed)
    except EnvironmentFailure as failure:
        passed, detail, steps = False, str(failure), 0
    finally:
        await environment.close()
    return Check(task=task.id, seed=seed, check=name, passed=passed, detail=detail, steps=steps)


async def _oracle(world: World, environment: Environment, task: Task, seed: int) -> _Found:
    await environment.reset(task, seed)
    turns = environment.oracle()
    if turns is None:
        return None, "no oracle", 0
    last = await _play(environment, turns)
    return last.reward == 1.0, str(last.info["reason"]), last.observation.step


async def _idle(world: World, environment: Environment, task: Task, seed: int) -> _Found:
    environment.budget = _IDLE_STEPS
    await environment.reset(task, seed)
    last = await _play(environment, _nothing())
    return last.reward < 1.0, str(last.info["reason"]), last.observation.step


async def _mistake(world: World, environment: Environment, task: Task, seed: int) -> _Found:
    await environment.reset(task, seed)
    last = await _play(environment, environment.mistake())
    return last.reward < 1.0, str(last.info["reason"]), last.observation.step


async def _reset(world: World, environment: Environment, task: Task, seed: int) -> _Found:
    one = await environment.reset(task, seed)
    again = world.environment(_BUDGET)
    try:
        other = await again.reset(task, seed)
    finally:
        await again.close()
    if one.instruction != other.instruction:
        return False, f"the instruction differs: {other.instruction[:120]!r}", 0
    same = one.screenshot == other.screenshot
    return same, "the same screen" if same else "the screen differs", 0


async def _play(environment: Environment, turns: Turns) -> Step:
    """The step that ends the episode: one of the script's, or else that it is done."""
    async for turn in turns:
        step = await environment.step(turn)
        if step.terminated or step.truncated:
            return step
    return await environment.step(Done())


async def _nothing() -> AsyncIterator[Sequence[Action]]:
    while True:
        yield ()
