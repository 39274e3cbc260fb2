"""The oracle: plays the environment's own solution. It checks environments, and is no model."""

from __future__ import annotations

from typing import ClassVar

from screenmark.agents.base import Agent, AgentMaker, Decision, Kind, SaveScreen
from screenmark.answers.actions.schema import Done, Fail
from screenmark.environments import Environment, Observation, Turns


class OracleAgent(Agent):
    """Turn for turn what the environment's script says; done when it has no more."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._turns: Turns | None = None

    async def decide(self, observation: Observation) -> Decision:
        if self._turns is None:
            self._turns = self._environment.oracle()
        if self._turns is None:
            return Decision(actions=(Fail("nobody wrote a solution"),))
        turn = await anext(self._turns, (Done(),))
        return Decision(actions=tuple(turn))


class OracleMaker(AgentMaker):
    """Oracles."""

    name = "oracle"
    kind: ClassVar[Kind] = "oracle"

    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        return OracleAgent(environment)
