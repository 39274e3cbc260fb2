"""Page parsing as GUI-HalluBench defines it: element lists against element lists.

An element is a dict with ``coordinates`` ``[x1, y1, x2, y2]`` (pixels of the original
image, origin top left) and a ``description``; other keys are ignored and a missing
description counts as empty. A ratio of nothing to nothing is None, never 0 or NaN.

Means of description similarities are reproducible to the bit: the sum of a page is
``math.fsum`` over its matched pairs, the sum of a data set is ``math.fsum`` over the
sums of its pages, whatever the order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from screenmark.errors import DataError
from screenmark.metrics.columns import Element, Page, read_pages
from screenmark.metrics.descriptions import description_similarities
from screenmark.metrics.error_types import PREDICTION_LABELS, TRUTH_LABELS
from screenmark.metrics.matching import IOU_STEPS, Matching, check_options
from screenmark.metrics.pages import (
    f1_score,
    label_page,
    match_pages,
    mean,
    page_result,
    ratio,
)

_CHUNK = 128
"""Pages that are read and compared in one go."""

_PER_SAMPLE = (
    "image_path",
    "precision",
    "recall",
    "f1",
    "tp",
    "fp",
    "fn",
    "avg_description_similarity",
)


def evaluate_sample(
    pred_elements: Sequence[Element],
    gt_elements: Sequence[Element],
    iou_threshold: float = 0.5,
    *,
    matching: Matching = "greedy",
) -> dict[str, Any]:
    """Compare the predicted elements of one screenshot with its true elements.

    Boxes are matched as :mod:`screenmark.metrics.matching` says; a matched pair is a
    true positive. Similarity is that of :func:`description_similarity`, the prediction
    being the first sequence.

    Returns:
        A dict with

        - ``precision`` (None without predictions), ``recall`` (None without truth),
          ``f1``, ``tp``, ``fp``, ``fn``;
        - ``avg_description_similarity``, the mean over matched pairs (None without any),
          and ``description_similarity_sum``;
        - ``f1_50_95``, F1 averaged over the IoU thresholds 0.50, 0.55, ..., 0.95, and
          ``tp_by_iou``, the true positives at each of them;
        - ``prediction_errors`` and ``truth_errors``, counts of the labels that
          :mod:`screenmark.metrics.error_types` explains; they add up to the number of
          predicted and of true elements;
        - ``matches``, a list of ``{prediction, truth, iou, description_similarity}`` with
          the indices of both elements, in descending IoU;
        - ``prediction_labels`` and ``truth_labels``, the label of each element.

    Raises:
        DataError: naming element and field, if an element cannot be used.
        ValueError: if the threshold is outside [0, 1] or the matching unknown.
    """
    check_options(iou_threshold, matching)
    columns = read_pages([Page(None, pred_elements, gt_elements)])
    (page,) = match_pages(columns, iou_threshold, matching)
    similarities = description_similarities(page.predicted_texts, page.true_texts)
    labels = label_page(page, similarities)
    result = page_result(page, similarities)
    result["f1_50_95"] = mean(
        [f1_score(tp, page.num_predictions, page.num_truths) for tp in page.tp_by_iou]
    )
    result["matches"] = [
        {"prediction": i, "truth": j, "iou": iou, "description_similarity": similarity}
        for (i, j, iou), similarity in zip(page.matches, similarities, strict=True)
    ]
    result["prediction_labels"] = labels.predictions
    result["truth_labels"] = labels.truths
    return result


def evaluate_dataset(
    predictions: Iterable[Mapping[str, Any]],
    ground_truths: Iterable[Mapping[str, Any]],
    iou_threshold: float = 0.5,
    *,
    matching: Matching = "greedy",
) -> dict[str, Any]:
    """Compare predictions with ground truths, aligned by ``image_path``.

    Each item is ``{"image_path": str, "elements": [...]}``. Both sides may be
    generators; in the same order, only some pages of each are held at a time. A ground
    truth without a prediction counts all its elements as missed.

    Returns:
        What :func:`summarise_samples` returns, ``per_sample`` in the order of the ground
        truths, and ``unknown_predictions``: the paths of predictions without a ground
        truth, which count for nothing.

    Raises:
        DataError: naming screenshot, element and field, if an element cannot be used, or
            if an ``image_path`` occurs twice on one side.
        ValueError: if the threshold is outside [0, 1] or the matching unknown.
    """
    check_options(iou_threshold, matching)
    waiting = _Waiting(predictions)
    pages = (
        Page(path, waiting.take(path), elements)
        for path, elements in _unique_items(ground_truths, "ground truth")
    )
    summary = summarise_samples(_results(pages, iou_threshold, matching))
    summary["unknown_predictions"] = waiting.rest()
    return summary


def summarise_samples(samples: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up the results of :func:`evaluate_sample`, each with its ``image_path``.

    Returns:
        A dict with

        - ``num_samples``, ``total_tp``, ``total_fp``, ``total_fn`` and, from these totals,
          ``overall_precision``, ``overall_recall``, ``overall_f1``;
        - ``avg_description_similarity`` (mean over all matched pairs, None without any)
          and ``mean_sample_description_similarity`` (over the samples that have one);
        - ``f1_by_iou``, overall F1 at each IoU threshold 0.50, 0.55, ..., 0.95, and its
          mean ``f1_50_95``;
        - ``prediction_errors`` and ``truth_errors``, counts by label;
        - ``per_sample`` in the order given.
    """
    per_sample = []
    sums = []
    tp_by_iou = [0] * len(IOU_STEPS)
    errors = {
        "prediction_errors": dict.fromkeys(PREDICTION_LABELS, 0),
        "truth_errors": dict.fromkeys(TRUTH_LABELS, 0),
    }
    for sample in samples:
        per_sample.append({key: sample[key] for key in _PER_SAMPLE})
        sums.append(sample["description_similarity_sum"])
        tp_by_iou = [a + b for a, b in zip(tp_by_iou, sample["tp_by_iou"], strict=True)]
        for side, counts in errors.items():
            for label, count in sample[side].items():
                counts[label] += count
    tp, fp, fn = (sum(row[key] for row in per_sample) for key in ("tp", "fp", "fn"))
    f1_by_iou = [f1_score(count, tp + fp, tp + fn) for count in tp_by_iou]
    return {
        "num_samples": len(per_sample),
        "total_tp": tp,
        "total_fp": fp,
        "total_fn": fn,
        "overall_precision": ratio(tp, tp + fp),
        "overall_recall": ratio(tp, tp + fn),
        "overall_f1": f1_score(tp, tp + fp, tp + fn),
        "avg_description_similarity": ratio(math.fsum(sums), tp),
        "mean_sample_description_similarity": mean(
            [row["avg_description_similarity"] for row in per_sample]
        ),
        "f1_50_95": mean(f1_by_iou),
        "f1_by_iou": [
            {"iou_threshold": step, "f1": f1} for step, f1 in zip(IOU_STEPS, f1_by_iou, strict=True)
        ],
        **errors,
        "per_sample": per_sample,
    }


def _results(
    pages: Iterator[Page], iou_threshold: float, matching: Matching
) -> Iterator[dict[str, Any]]:
    """The result of each page. Many go through at once, which is what makes it fast."""
    while chunk := list(islice(pages, _CHUNK)):
        matched = match_pages(read_pages(chunk), iou_threshold, matching)
        similarities = iter(
            description_similarities(
                [text for page in matched for text in page.predicted_texts],
                [text for page in matched for text in page.true_texts],
            )
        )
        for (path, _, _), page in zip(chunk, matched, strict=True):
            result = page_result(page, list(islice(similarities, len(page.matches))))
            result["image_path"] = path
            yield result


class _Waiting:
    """Predictions by path, read only as far as the next path asked for."""

    def __init__(self, predictions: Iterable[Mapping[str, Any]]) -> None:
        self._items = _unique_items(predictions, "prediction")
        self._read: dict[str, Any] = {}

    def take(self, path: str) -> Any:
        """The elements predicted for ``path``; none if there is no prediction."""
        while path not in self._read:
            item = next(self._items, None)
            if item is None:
                return []
            self._read[item[0]] = item[1]
        return self._read.pop(path)

    def rest(self) -> list[str]:
        """The paths that nobody asked for, in the order of the predictions."""
        return [*self._read, *(path for path, _ in self._items)]


def _unique_items(items: Iterable[Mapping[str, Any]], role: str) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for position, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get("image_path"), str):
            problem = f"expected an object with image_path and elements (as a {role})"
            raise DataError(problem, sample=f"{role} {position}", field="image_path")
        path = item["image_path"]
        if path in seen:
            raise DataError(f"a second {role} for this image_path", sample=path, field="image_path")
        if "elements" not in item:
            problem = f"missing; expected a list of elements (in the {role})"
            raise DataError(problem, sample=path, field="elements")
        seen.add(path)
        yield path, item["elements"]
