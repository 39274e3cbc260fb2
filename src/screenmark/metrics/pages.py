"""One screenshot: match its elements, then turn the matches into numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from screenmark.metrics.boxes import find_overlaps
from screenmark.metrics.columns import Columns
from screenmark.metrics.error_types import (
    BACKGROUND_IOU,
    Labels,
    count_labels,
    label_elements,
)
from screenmark.metrics.matching import (
    Matching,
    Pair,
    count_matches,
    match_pairs,
    rank_pairs,
)


class PageMatches(NamedTuple):
    """The elements of a page, matched by their boxes.

    Attributes:
        num_predictions: number of predicted elements.
        num_truths: number of true elements.
        pairs: the overlapping pairs that matter for matching or labels, ranked.
        matches: those that match.
        predicted_texts: predicted description of each match.
        true_texts: true description of each match.
        tp_by_iou: how many would match at each of ``IOU_STEPS``.
        iou_threshold: the IoU that a match exceeds.
    """

    num_predictions: int
    num_truths: int
    pairs: list[Pair]
    matches: list[Pair]
    predicted_texts: list[str]
    true_texts: list[str]
    tp_by_iou: list[int]
    iou_threshold: float


def match_pages(columns: Columns, iou_threshold: float, matching: Matching) -> list[PageMatches]:
    """Match the elements of each page."""
    overlaps = find_overlaps(columns.boxes, columns.counts)
    floor = min(BACKGROUND_IOU, iou_threshold)
    texts = columns.descriptions
    matched = []
    first = 0
    for counts, pairs in zip(
        columns.counts, rank_pairs(overlaps, floor, len(columns.counts)), strict=True
    ):
        num_predictions, num_truths = counts
        middle = first + num_predictions
        matches = match_pairs(pairs, iou_threshold, matching)
        page = PageMatches(
            num_predictions=num_predictions,
            num_truths=num_truths,
            pairs=pairs,
            matches=matches,
            predicted_texts=[texts[first + i] for i, _, _ in matches],
            true_texts=[texts[middle + j] for _, j, _ in matches],
            tp_by_iou=count_matches(pairs, matches, iou_threshold, matching),
            iou_threshold=iou_threshold,
        )
        matched.append(page)
        first = middle + num_truths
    return matched


def page_result(page: PageMatches, similarities: Sequence[float]) -> dict[str, Any]:
    """The numbers of one page, given the description similarity of each match."""
    tp = len(page.matches)
    similarity_sum = math.fsum(similarities)
    prediction_errors, truth_errors = count_labels(label_page(page, similarities))
    return {
        "precision": ratio(tp, page.num_predictions),
        "recall": ratio(tp, page.num_truths),
        "f1": f1_score(tp, page.num_predictions, page.num_truths),
        "tp": tp,
        "fp": page.num_predictions - tp,
        "fn": page.num_truths - tp,
        "avg_description_similarity": ratio(similarity_sum, tp),
        "description_similarity_sum": similarity_sum,
        "tp_by_iou": page.tp_by_iou,
        "prediction_errors": prediction_errors,
        "truth_errors": truth_errors,
    }


def label_page(page: PageMatches, similarities: Sequence[float]) -> Labels:
    """One label for each element of the page."""
    return label_elements(
        page.num_predictions,
        page.num_truths,
        page.pairs,
        page.matches,
        similarities,
        page.iou_threshold,
    )


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
