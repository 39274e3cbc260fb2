"""One page: a predicted element list against the annotated one."""

from __future__ import annotations

from typing import Any, Literal

from screenmark.benchmarks.page_parsing.dataset import PageSample
from screenmark.metrics import evaluate_sample
from screenmark.types import Answer

Matching = Literal["greedy", "optimal"]


def score_page(
    sample: PageSample, answer: Answer | None, iou_threshold: float, matching: Matching
) -> dict[str, Any]:
    """The result of `screenmark.metrics.evaluate_sample` for one page.

    Without a prediction the whole truth of the page counts as missed.
    """
    predicted = [] if answer is None or answer.value is None else answer.value
    return evaluate_sample(predicted, sample.elements, iou_threshold, matching=matching)
