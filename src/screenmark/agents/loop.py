"""The loop: observe, decide, act, until the world, the agent or the budget ends it."""

from __future__ import annotations

import time
from typing import Final

import msgspec

from screenmark.agents.base import Agent, Decision, Kind
from screenmark.agents.episode import Claim, Ending, Episode
from screenmark.agents.patience import within_patience
from screenmark.agents.trajectory import Recorder
from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import CallUser, Done, Fail, GiveAnswer
from screenmark.environments import Environment, Observation, Step, Task
from screenmark.types import Usage

_CLAIMS: Final[dict[type[Action], Claim]] = {
    Done: "done",
    Fail: "fail",
    GiveAnswer: "answer",
    CallUser: "call_user",
}
_TELL_AFTER: Final = 2
_NOTHING_CHANGED: Final = "the last turns were the same and changed nothing; try something else"


class _Count:
    """What adds up over an episode."""

    def __init__(self) -> None:
        self.actions = self.invalid = self.impossible = self.repeated = 0
        self.input_tokens = self.output_tokens = 0
        self.agent_seconds = 0.0
        self.in_a_row = 0

    def add(self, decision: Decision, shown: Observation, step: Step) -> None:
        self.actions += int(step.info["done"])
        self.invalid += decision.invalid is not None
        self.impossible += step.info["error"] is not None
        usage = decision.usage or Usage()
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens

    def same_again(self, now: tuple[bytes, tuple[Action, ...]], before: object) -> None:
        self.in_a_row = self.in_a_row + 1 if now == before else 0
        self.repeated += now == before


async def run_episode(
    environment: Environment,
    task: Task,
    seed: int,
    agent: Agent,
    recorder: Recorder,
    *,
    kind: Kind = "model",
) -> Episode:
    """Play one episode to its end and write its trajectory.

    A reply without a valid action costs a step and is told once, in the next observation's
    ``error``; so is an action that cannot be done.

    Raises:
        EnvironmentFailure: the world broke down.
        ModelError, ImageError: the agent's model gives no reply.
    """
    began = time.monotonic()
    observation = await environment.reset(task, seed)
    count = _Count()
    before: object = None
    while True:
        asked = time.monotonic()
        decision = await agent.decide(observation)
        took = time.monotonic() - asked
        count.agent_seconds += took
        step = await environment.step(within_patience(decision.actions))
        shown, last = observation, step.terminated or step.truncated
        count.add(decision, shown, step)
        now = (shown.screenshot, decision.actions)
        count.same_again(now, before)
        before = now
        observation = _told(step.observation, decision, count.in_a_row)
        recorder.add(shown, decision, observation, last=last, seconds=took)
        if last:
            break
    episode = Episode(
        task=task.id,
        seed=seed,
        budget=environment.budget,
        success=float(step.info["success"]),
        reason=str(step.info["reason"]),
        steps=observation.step,
        actions=count.actions,
        invalid=count.invalid,
        impossible=count.impossible,
        repeated=count.repeated,
        ended=_ending(environment, step),
        claim=None if environment.said is None else _CLAIMS[type(environment.said)],
        instruction=observation.instruction,
        input_tokens=count.input_tokens,
        output_tokens=count.output_tokens,
        seconds=round(time.monotonic() - began, 3),
        agent_seconds=round(count.agent_seconds, 3),
        agent_kind=kind,
        folder=recorder.folder.name,
    )
    recorder.finish(episode)
    return episode


def _told(observation: Observation, decision: Decision, in_a_row: int) -> Observation:
    """The observation with what the loop has to say about the last turn."""
    if decision.invalid is not None:
        return msgspec.structs.replace(observation, error=decision.invalid)
    if in_a_row == _TELL_AFTER:
        return msgspec.structs.replace(observation, notes=(*observation.notes, _NOTHING_CHANGED))
    return observation


def _ending(environment: Environment, step: Step) -> Ending:
    if step.truncated:
        return "budget"
    return "world" if environment.said is None else "agent"
