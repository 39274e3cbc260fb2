"""Models that are a rule: what a score is worth is told by what they get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Rule(NamedTuple):
    """A way to answer every sample of a benchmark without a model.

    Attributes:
        what: the rule in words.
        answer: the samples of a data set to a reply for each, in their order. A rule may look
            at all of them, as one that answers what is most often right has to.
        alone: whether a sample's answer depends on that sample alone, so that others need not
            be looked at where they are not asked.
    """

    what: str
    answer: Callable[[Sequence[Any]], list[str]]
    alone: bool = False
