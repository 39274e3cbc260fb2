"""What an agent is: shown a screen, it says what to do next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

import msgspec

from screenmark.answers.actions import Action
from screenmark.environments import Environment, Observation
from screenmark.types import Usage

Kind: TypeAlias = Literal["model", "pair", "embedded", "oracle"]
"""What decides; an oracle knows the solution and measures nothing but the environment."""

SaveScreen: TypeAlias = Callable[[bytes], Path]
"""Puts a screenshot where models can be sent it from; the same picture is kept once."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent does in one step.

    Attributes:
        actions: in order; empty if there is no valid one.
        invalid: why there is no valid action, fit to be told to the agent; None if there is one.
        thought: reasoning, and what was said before the actions.
        text: the reply as received; empty for agents without a model.
        usage: tokens of the reply, None if nobody counted.
    """

    actions: tuple[Action, ...] = ()
    invalid: str | None = None
    thought: str = ""
    text: str = ""
    usage: Usage | None = None


class Agent(ABC):
    """One episode's agent; what it remembers goes with it."""

    @abstractmethod
    async def decide(self, observation: Observation) -> Decision:
        """The next turn. ``observation.error`` says what was wrong with the last one.

        Raises:
            ModelError, ImageError: the model gives no reply.
        """


class AgentMaker(ABC):
    """Agents of one kind, one for each episode, and what they share, such as a model.

    Attributes:
        name: in tables.
        kind: what decides.
    """

    name: str
    kind: ClassVar[Kind]

    @abstractmethod
    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        """An agent for one episode; only an oracle looks at the environment itself."""

    async def start(self) -> None:  # noqa: B027 - many share nothing
        """Get ready what they share."""

    async def close(self) -> None:  # noqa: B027
        """Let go of what they share."""
