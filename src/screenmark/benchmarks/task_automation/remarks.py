"""What is worth a look about a run of episodes, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from screenmark.benchmarks.task_automation.dataset import cannot_be_answered

_MOST_REASONS: Final = 4
_NO_REPLY: Final = {
    "RejectedError": "the model's endpoint refused the request",
    "TransientError": "the model's endpoint failed, again and again",
    "ReplyTimeoutError": "no reply in time",
    "UnreachableError": "the model's endpoint is out of reach",
    "CredentialsError": "the key was refused",
    "ImageError": "the screenshot could not be sent",
}
"""Kinds of failures in words; of others the message alone is said."""


def worth_a_look(rows: Sequence[dict[str, Any]], kind: str | None) -> list[str]:
    """Warnings about rows of ``per_sample``; ``kind`` is the agent's."""
    mute = [row["task"] for row in rows if not row["answerable"]]
    said = [cannot_be_answered(mute)] if mute else []
    return [*said, *_broken_worlds(rows), *_no_replies(rows), *_invalid(rows, kind)]


def _broken_worlds(rows: Sequence[dict[str, Any]]) -> list[str]:
    reasons = Counter(_reason(row) for row in rows if row["success"] is None)
    if not reasons:
        return []
    return [
        f"{reasons.total()} of {len(rows)} episodes broke down with their world (a browser, an "
        "application) and are in no score; resuming the run plays them",
        *(f"{count} broke down: {why}" for why, count in reasons.most_common(_MOST_REASONS)),
    ]


def _no_replies(rows: Sequence[dict[str, Any]]) -> list[str]:
    ended = [row for row in rows if row["success"] is not None and row["steps"] is None]
    if not ended:
        return []
    reasons = Counter(_reason(row) for row in ended)
    return [
        f"{len(ended)} of {len(rows)} episodes were broken off since the model gave no reply, and "
        "count as not solved; answered_only leaves them out; resuming the run plays them again",
        *(f"{count} broken off: {why}" for why, count in reasons.most_common(_MOST_REASONS)),
    ]


def _reason(row: dict[str, Any]) -> str:
    message = row["failure"] or row["outcome"]
    words = _NO_REPLY.get(row["failure_kind"] or "")
    return message if words is None else f"{words}: {message}"


def _invalid(rows: Sequence[dict[str, Any]], kind: str | None) -> list[str]:
    played = [row for row in rows if row["steps"] is not None]
    steps, invalid = (sum(row[name] for row in played) for name in ("steps", "invalid"))
    if not steps or invalid < steps / 2:
        return []
    advice = "do --profile and --dialect fit the model?"
    if kind == "pair":
        advice = (
            "a planner has to write one JSON action a turn, and the grounder has to find its "
            "place; show --episode lists what was wrong"
        )
    return [f"{invalid} of {steps} turns hold no valid action; {advice}"]
