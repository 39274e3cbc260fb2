"""An answer against the truth: right or wrong."""

from __future__ import annotations

from typing import Any

from screenmark.answers import parse_choice
from screenmark.benchmarks.content_understanding.compat import compat_choice
from screenmark.benchmarks.content_understanding.dataset import ChoiceSample
from screenmark.types import Answer, Outcome, Reply


def read_choice(reply: Reply, sample: ChoiceSample, *, compat: bool) -> Answer:
    """What a reply chooses; in compat scoring as the public implementation reads it."""
    if not compat:
        return parse_choice(reply.text, sample.options, finish_reason=reply.finish_reason)
    letter = compat_choice(reply.text)
    if letter is None:
        return Answer(Outcome.UNPARSEABLE, reason="none of the six public patterns occurs")
    return Answer(Outcome.OK, letter)


def score_choice(sample: ChoiceSample, answer: Answer | None) -> dict[str, Any]:
    """``correct`` is 1 or 0; without an answer it is 0."""
    chosen = answer.value if answer is not None else None
    return {
        "correct": int(chosen == sample.answer),
        "chosen": chosen,
        "answer": sample.answer,
        "num_options": len(sample.options),
    }
