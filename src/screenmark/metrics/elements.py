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
from typing import Any

from screenmark.errors import DataError
from screenmark.metrics.boxes import find_overlaps
from screenmark.metrics.columns import Columns, Element, read_elements
from screenmark.metrics.descriptions import description_similarity
from screenmark.metrics.matching import Match, Matching, check_options, match_overlaps

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
        ``precision`` (None without predictions), ``recall`` (None without truth), ``f1``,
        ``tp``, ``fp``, ``fn``, ``avg_description_similarity`` (mean over matched pairs,
        None without any), ``description_similarity_sum``, and ``matches``, a list of
        ``{prediction, truth, iou, description_similarity}`` with the indices of both
        elements, in descending IoU.

    Raises:
        DataError: naming element and field, if an element cannot be used.
        ValueError: if the threshold is outside [0, 1] or the matching unknown.
    """
    check_options(iou_threshold, matching)
    predicted = read_elements(pred_elements, "prediction")
    true = read_elements(gt_elements, "ground truth")
    matches, similarities = _match(predicted, true, iou_threshold, matching)
    result = _page_result(predicted, true, similarities)
    result["matches"] = [
        {
            "prediction": match.prediction,
            "truth": match.truth,
            "iou": match.iou,
            "description_similarity": similarity,
        }
        for match, similarity in zip(matches, similarities, strict=True)
    ]
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
    generators; in the same order, only one page of each is held at a time. A ground
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

    def results() -> Iterator[dict[str, Any]]:
        for path, elements in _unique_items(ground_truths, "ground truth"):
            predicted = read_elements(waiting.take(path), "prediction", path)
            true = read_elements(elements, "ground truth", path)
            _, similarities = _match(predicted, true, iou_threshold, matching)
            yield {"image_path": path, **_page_result(predicted, true, similarities)}

    summary = summarise_samples(results())
    summary["unknown_predictions"] = waiting.rest()
    return summary


def summarise_samples(samples: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up the results of :func:`evaluate_sample`, each with its ``image_path``.

    Returns:
        ``num_samples``, ``total_tp``, ``total_fp``, ``total_fn``, ``overall_precision``,
        ``overall_recall`` and ``overall_f1`` from these totals,
        ``avg_description_similarity`` (mean over all matched pairs, None without any),
        ``mean_sample_description_similarity`` (mean over the samples that have one) and
        ``per_sample`` in the order given.
    """
    per_sample = []
    sums = []
    for sample in samples:
        per_sample.append({key: sample[key] for key in _PER_SAMPLE})
        sums.append(sample["description_similarity_sum"])
    tp, fp, fn = (sum(row[key] for row in per_sample) for key in ("tp", "fp", "fn"))
    means = [
        row["avg_description_similarity"]
        for row in per_sample
        if row["avg_description_similarity"] is not None
    ]
    return {
        "num_samples": len(per_sample),
        "total_tp": tp,
        "total_fp": fp,
        "total_fn": fn,
        "overall_precision": ratio(tp, tp + fp),
        "overall_recall": ratio(tp, tp + fn),
        "overall_f1": ratio(2 * tp, 2 * tp + fp + fn),
        "avg_description_similarity": ratio(math.fsum(sums), tp),
        "mean_sample_description_similarity": ratio(math.fsum(means), len(means)),
        "per_sample": per_sample,
    }


def ratio(part: float, whole: float) -> float | None:
    """``part / whole``, None if there is no whole."""
    return part / whole if whole else None


def _match(
    predicted: Columns, true: Columns, iou_threshold: float, matching: Matching
) -> tuple[list[Match], list[float]]:
    overlaps = find_overlaps(predicted.boxes, true.boxes)
    matches = match_overlaps(overlaps, iou_threshold, matching)
    similarities = [
        description_similarity(
            predicted.descriptions[match.prediction], true.descriptions[match.truth]
        )
        for match in matches
    ]
    return matches, similarities


def _page_result(predicted: Columns, true: Columns, similarities: list[float]) -> dict[str, Any]:
    tp = len(similarities)
    fp = len(predicted.descriptions) - tp
    fn = len(true.descriptions) - tp
    similarity_sum = math.fsum(similarities)
    return {
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "avg_description_similarity": ratio(similarity_sum, tp),
        "description_similarity_sum": similarity_sum,
    }


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
