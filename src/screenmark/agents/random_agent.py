"""The agent `random`: what is to be had by acting without looking."""

from __future__ import annotations

import random
import zlib
from typing import ClassVar, Final

from screenmark.agents.base import Agent, AgentMaker, Decision, Kind, SaveScreen
from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Click, Done, Key, Scroll, Type
from screenmark.environments import Environment, Observation

_DONE: Final = 0.05
_WORDS: Final = ("a", "1", "ok", "test", "hello")


class RandomAgent(Agent):
    """Clicks most of the time; the same task and seed give the same turns."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._random: random.Random | None = None

    async def decide(self, observation: Observation) -> Decision:
        if self._random is None:
            name = f"{self._environment.task.id} {self._environment.seed}"
            self._random = random.Random(zlib.crc32(name.encode("utf-8")))  # noqa: S311
        return Decision(actions=(self._turn(self._random),))

    def _turn(self, draw: random.Random) -> Action:
        point = (draw.random(), draw.random())
        if draw.random() < _DONE:
            return Done()
        kinds: tuple[Action, ...] = (
            Click(point),
            Type(draw.choice(_WORDS)),
            Key(("enter",)),
            Scroll(dy=draw.choice((-3.0, 3.0)), point=point),
        )
        (action,) = draw.choices(kinds, weights=(7, 1, 1, 1))
        return action


class RandomMaker(AgentMaker):
    """Random agents."""

    name = "random"
    kind: ClassVar[Kind] = "embedded"

    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        return RandomAgent(environment)
