"""One screenshot: match its elements, then turn the matches into numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from screenmark.metrics.boxes import find_overlaps
from screenmark.metrics.columns import Columns
from screenmark.metrics.error_types import (
    BACKGROUND_IOU,
    PREDICTION_LABELS,
    TRUTH_LABELS,
    count_labels,
    label_elements,
)
from screenmark.metrics.matching import (
    Matching,
    Pair,
    count_matches,
    match_pairs,
    ranked_pairs,
)


class PageMatches(NamedTuple):
    """The elements of a page, matched by their boxes.

    Attributes:
        predicted: the predicted elements.
        true: the true elements.
        pairs: the overlapping pairs that matter for matching or labels, ranked.
        matches: those that match.
        iou_threshold: the IoU that a match exceeds.
        matching: how the matches were chosen.
    """

    predicted: Columns
    true: Columns
    pairs: list[Pair]
    matches: list[Pair]
    iou_threshold: float
    matching: Matching

    def descriptions(self) -> list[tuple[str, str]]:
        """Predicted and true description of each match."""
        predicted, true = self.predicted.descriptions, self.true.descriptions
        return [(predicted[pair.prediction], true[pair.truth]) for pair in self.matches]


def match_page(
    predicted: Columns, true: Columns, iou_threshold: float, matching: Matching
) -> PageMatches:
    """Match the elements of one page."""
    overlaps = find_overlaps(predicted.boxes, true.boxes)
    pairs = ranked_pairs(overlaps, min(BACKGROUND_IOU, iou_threshold))
    matches = match_pairs(pairs, iou_threshold, matching)
    return PageMatches(predicted, true, pairs, matches, iou_threshold, matching)


def page_result(page: PageMatches, similarities: Sequence[float]) -> dict[str, Any]:
    """The numbers of one page, given the description similarity of each match."""
    num_predictions, num_truths = len(page.predicted.descriptions), len(page.true.descriptions)
    tp = len(page.matches)
    fp, fn = num_predictions - tp, num_truths - tp
    similarity_sum = math.fsum(similarities)
    tp_by_iou = count_matches(page.pairs, page.matching)
    f1_by_iou = [f1_score(count, num_predictions, num_truths) for count in tp_by_iou]
    labels = label_elements(
        num_predictions, num_truths, page.pairs, page.matches, similarities, page.iou_threshold
    )
    return {
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "f1": f1_score(tp, num_predictions, num_truths),
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "avg_description_similarity": ratio(similarity_sum, tp),
        "description_similarity_sum": similarity_sum,
        "f1_50_95": mean(f1_by_iou),
        "tp_by_iou": tp_by_iou,
        "prediction_errors": count_labels(labels.predictions, PREDICTION_LABELS),
        "truth_errors": count_labels(labels.truths, TRUTH_LABELS),
    }


def ratio(part: float, whole: float) -> float | None:
    """``part / whole``, None if there is no whole."""
    return part / whole if whole else None


def f1_score(tp: int, num_predictions: int, num_truths: int) -> float | None:
    """``2 tp / (2 tp + fp + fn)``, None if there is nothing on either side."""
    return ratio(2 * tp, num_predictions + num_truths)


def mean(values: Sequence[float | None]) -> float | None:
    """Mean of the values that are there, by ``math.fsum``; None without any."""
    present = [value for value in values if value is not None]
    return ratio(math.fsum(present), len(present))
