"""What looks like a fault of the set-up rather than of the model, in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from screenmark.benchmarks.content_understanding.dataset import ChoiceSample
from screenmark.benchmarks.unanswered import (
    FEW,
    cause_of,
    faulty_function,
    nearly_all,
    share_of,
)
from screenmark.types import Outcome, Record

_NEARLY_ALWAYS: Final = 0.8
_LONGEST: Final = 2000
# What models say that were asked to choose from options that they were not shown.
_NO_OPTIONS: Final = re.compile(
    r"\b(?:no|without|missing|provide|share|include|list|give|see|which|what)\b[^.?!\n]{0,40}"
    r"\b(?:options|choices)\b"
    r"|\b(?:options|choices)\b[^.?!\n]{0,40}\b(?:missing|not|n't|provided|available)\b"
    r"|(?:没有|未|缺少|请)[^。！？\n]{0,10}选项|选项[^。！？\n]{0,10}(?:没有|未|缺)",
    re.IGNORECASE,
)


class Seen(NamedTuple):
    """What the audit keeps of a record.

    Attributes:
        unread: why its reply holds no answer, None if it holds one or if there is no reply.
        asks: whether the reply says that it was shown no options.
    """

    outcome: Outcome
    chosen: str | None
    answer: str
    unread: str | None
    asks: bool


def look_at(sample: ChoiceSample, record: Record) -> Seen:
    """Keep what the audit needs of one record."""
    answer, reply = record.answer, record.reply
    unread, asks = None, False
    if answer is not None and answer.value is None:
        unread = answer.reason or answer.outcome.value
        asks = reply is not None and _NO_OPTIONS.search(reply.text[-_LONGEST:]) is not None
    chosen = record.score["chosen"]
    return Seen(record.outcome, chosen, sample.answer, unread, asks)


def audit(seen: Sequence[Seen]) -> dict[str, Any]:
    """Warnings about the run as a whole."""
    faults = faulty_function([item.unread for item in seen])
    return {"warnings": [*(faults or _unread(seen)), *_one_letter(seen)]}


def _unread(seen: Sequence[Seen]) -> list[str]:
    """If nearly nothing could be read: the commonest cause."""
    asked = [item for item in seen if not item.outcome.is_failure]
    missing = [item for item in asked if item.unread is not None]
    if not nearly_all(len(missing), len(asked)):
        return []
    share = share_of(len(missing), len(asked))
    cause = cause_of([item.outcome for item in missing])
    if cause is not None:
        return [f"{share}: {cause}"]
    example = f"for example: {Counter(item.unread for item in missing).most_common(1)[0][0]}"
    if sum(item.asks for item in missing) > len(missing) / 2:
        return [f"{share}: most miss the options; are they in the prompt? ({example})"]
    return [
        f"{share}: most declare no option; does the prompt show the options and ask for a letter, "
        f"and does a postprocess function keep it? ({example})"
    ]


def _one_letter(seen: Sequence[Seen]) -> list[str]:
    """Whether one letter is the answer to nearly everything, and seldom the right one."""
    chosen = [item for item in seen if item.chosen is not None]
    if len(chosen) < 2 * FEW:
        return []
    letter, count = Counter(item.chosen for item in chosen).most_common(1)[0]
    right = sum(item.answer == letter for item in chosen)
    if count < _NEARLY_ALWAYS * len(chosen) or right >= count / 2:
        return []
    return [
        f"{count} of {len(chosen)} answers are {letter}, whatever was asked: the model may see "
        "neither the screenshot nor the options"
    ]
