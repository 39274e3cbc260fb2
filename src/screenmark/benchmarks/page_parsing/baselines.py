"""What a score is worth: answers given without looking at the screenshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screenmark.benchmarks.page_parsing.dataset import PageSample
from screenmark.benchmarks.page_parsing.scoring import Matching
from screenmark.metrics import evaluate_dataset

PREVIOUS_PAGE = (
    "copies the annotation of the previous page of the same size, never looking at the image: "
    "what pages share in layout"
)


def previous_page(
    samples: Sequence[PageSample], iou_threshold: float, matching: Matching
) -> dict[str, Any]:
    """Answer each page with the truth of the nearest earlier page of the same size.

    A page without such a predecessor is answered with an empty list.
    """
    last: dict[tuple[int, int], PageSample] = {}
    predictions = []
    for number, sample in enumerate(samples):
        size = (sample.width, sample.height)
        before = last.get(size)
        elements = before.elements if before else ()
        predictions.append({"image_path": str(number), "elements": elements})
        last[size] = sample
    truths = [{"image_path": str(n), "elements": s.elements} for n, s in enumerate(samples)]
    totals = evaluate_dataset(predictions, truths, iou_threshold, matching=matching)
    keys = ("overall_precision", "overall_recall", "overall_f1", "avg_description_similarity")
    return {"what": PREVIOUS_PAGE, **{key: totals[key] for key in keys}}
