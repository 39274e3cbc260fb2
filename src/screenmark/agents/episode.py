"""What became of an episode, as records keep it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Claim: TypeAlias = Literal["done", "fail", "answer", "call_user"]
"""What the agent said at the end."""

Ending: TypeAlias = Literal["world", "agent", "budget"]
"""Who ended the episode: the application, the agent by its claim, or the budget."""


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """One task from one seed, played to its end.

    Attributes:
        success: 0 to 1, by the application's own state.
        reason: the verdict in words.
        steps: turns, those with no valid action and the last claim included.
        actions: actions that were done.
        invalid: turns without a valid action.
        impossible: turns in which an action could not be done.
        repeated: turns that did what the turn before did and met the same screen.
        claim: what the agent said at the end; None if it was not asked.
        seconds: of the whole episode; ``agent_seconds`` of them the agent took.
        agent_kind: model, pair, embedded or oracle.
        folder: name of the trajectory's folder.
    """

    task: str
    seed: int
    budget: int
    success: float
    reason: str
    steps: int
    actions: int
    invalid: int
    impossible: int
    repeated: int
    ended: Ending
    claim: Claim | None
    instruction: str
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    agent_seconds: float = 0.0
    agent_kind: str = "model"
    folder: str = ""
