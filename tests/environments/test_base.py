"""The contract of environments, on a world of one number."""

import asyncio
from collections.abc import Sequence

import pytest

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Click, Done, Fail, GiveAnswer, Key, Wait
from screenmark.environments import (
    Environment,
    ImpossibleAction,
    Observation,
    Step,
    Task,
    Verdict,
    View,
)
from screenmark.errors import EnvironmentFailure
from screenmark.geometry import Size

TASK = Task(id="count/to-two", world="count")
CLICK = Click((0.5, 0.5))


class Counter(Environment):
    """Counts clicks; two of them are right, and Escape ends it."""

    async def _begin(self, task: Task, seed: int) -> str:
        self.clicks, self.escaped = 0, False
        return f"Click {2 + seed} times."

    async def _perform(self, action: Action) -> None:
        if isinstance(action, Key):
            self.escaped = True
        elif isinstance(action, Click):
            self.clicks += 1
        else:
            raise ImpossibleAction("there is nothing to wait for")

    async def _look(self) -> View:
        return View(screenshot=b"%d" % self.clicks, size=Size(10, 10))

    async def _verdict(self, *, final: bool) -> Verdict:
        if not final:
            return Verdict(over=self.escaped)
        return Verdict(success=float(self.clicks == 2), reason=f"{self.clicks} clicks")

    async def close(self) -> None:
        pass


def play(turns: Sequence[Action | Sequence[Action]], budget: int = 3) -> list[Step]:
    async def go() -> list[Step]:
        world = Counter(budget)
        await world.reset(TASK, 0)
        return [await world.step(turn) for turn in turns]

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("turns", "reward", "terminated", "truncated"),
    [
        ([CLICK], 0.0, False, False),
        ([CLICK, CLICK, Done()], 1.0, True, False),
        ([[CLICK, CLICK, Done()]], 1.0, True, False),
        ([[CLICK, CLICK], Fail("no")], 1.0, True, False),
        ([CLICK, Done()], 0.0, True, False),
        ([CLICK, CLICK, []], 1.0, False, True),
        ([[CLICK, Key(("escape",)), CLICK]], 0.0, True, False),
        ([GiveAnswer("2")], 0.0, True, False),
    ],
    ids=[
        "goes-on",
        "done",
        "one-turn",
        "ends-by-fail",
        "wrong",
        "budget",
        "world-ends-it-midway",
        "answer",
    ],
)
def test_how_an_episode_ends(
    turns: list[Action | list[Action]], reward: float, terminated: bool, truncated: bool
) -> None:
    last = play(turns)[-1]
    assert (last.reward, last.terminated, last.truncated) == (reward, terminated, truncated)


def test_what_cannot_be_done_is_told_costs_a_step_and_ends_the_turn() -> None:
    first, second = play([[CLICK, Wait(1), CLICK], CLICK])
    assert first.observation.error == "there is nothing to wait for"
    assert (first.observation.step, first.info["done"], first.observation.screenshot) == (
        1,
        1,
        b"1",
    )
    assert second.observation.error is None


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Click((0.5, float("nan"))), "not finite"),
        (Wait(-1e400), "not finite"),
        (Click(count=10**6), "1 to 3 times"),
        (Click((5.0, 5.0)), "(5, 5) lies outside the screen"),
    ],
)
def test_what_nobody_can_mean_reaches_no_world(action: Action, said: str) -> None:
    (step,) = play([action])
    assert step.info["done"] == 0
    assert step.observation.screenshot == b"0"
    assert said in str(step.info["error"])


def test_a_lost_turn_costs_a_step() -> None:
    (step,) = play([[]], budget=1)
    assert (step.observation.step, step.truncated) == (1, True)


def test_the_agent_is_shown_nothing_of_the_verdict() -> None:
    told = set(Observation.__struct_fields__)
    assert not told & {"reward", "success", "verdict", "reason", "oracle", "terminated"}
    step = play([[CLICK, CLICK, Done()]])[-1]
    assert "2 clicks" not in repr(step.observation)
    assert step.info["reason"] == "2 clicks"


def test_no_step_without_a_reset_or_after_the_end() -> None:
    with pytest.raises(EnvironmentFailure, match="no running episode"):
        asyncio.run(Counter().step(CLICK))
    with pytest.raises(EnvironmentFailure, match="no running episode"):
        play([Done(), CLICK])
