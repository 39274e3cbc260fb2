"""Records of page parsing to results: the seed format's totals, and what explains them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from screenmark.benchmarks.page_parsing.baselines import previous_page
from screenmark.benchmarks.page_parsing.dataset import PageSample
from screenmark.benchmarks.page_parsing.scoring import Matching
from screenmark.metrics import summarise_samples
from screenmark.metrics.intervals import (
    Statistic,
    bootstrap_intervals,
    f1_of_counts,
    mean_f1_of_counts,
    ratio_of_sums,
)
from screenmark.metrics.matching import IOU_STEPS
from screenmark.metrics.pages import ratio
from screenmark.types import Record

_SIZES = ((32**2, "small"), (96**2, "medium"))
_STATISTICS: dict[str, Statistic] = {
    "overall_precision": lambda sums: ratio_of_sums(sums[:, [0, 3]]),
    "overall_recall": lambda sums: ratio_of_sums(sums[:, [0, 4]]),
    "overall_f1": lambda sums: f1_of_counts(sums[:, :3]),
    "f1_50_95": lambda sums: mean_f1_of_counts(np.hstack([sums[:, 6:], sums[:, 3:5]])),
    "avg_description_similarity": lambda sums: ratio_of_sums(sums[:, [5, 0]]),
}
"""Of columns tp, fp, fn, predicted, true, description similarity, tp at each threshold."""
_SEED_RATIOS = ("overall_precision", "overall_recall", "overall_f1", "avg_description_similarity")


class _Page(NamedTuple):
    """What the summary keeps of a record."""

    sample: PageSample
    score: dict[str, Any]
    answered: bool
    outcome: str


def summarise_pages(
    records: Iterable[Record], iou_threshold: float, matching: Matching, *, compat: bool
) -> dict[str, Any]:
    """The benchmark's part of ``results.json``; ``records`` are in data order."""
    pages: list[_Page] = []
    repairs: Counter[str] = Counter()
    dropped = 0
    for record in records:
        answer = record.answer
        sample = msgspec.convert(record.sample, PageSample)
        answered = answer is not None and answer.value is not None
        pages.append(_Page(sample, record.score, answered, record.outcome.value))
        if answer is not None:
            dropped += len(answer.dropped)
            if answer.repair:
                repairs[answer.repair] += 1
    totals = summarise_samples(_rows(pages))
    for row, page in zip(totals["per_sample"], pages, strict=True):
        row["outcome"] = page.outcome
    per_sample = totals.pop("per_sample")
    intervals = _intervals(pages)
    unique = {page.sample.id: page.sample for page in pages}
    baseline = previous_page(list(unique.values()), iou_threshold, matching)
    results: dict[str, Any] = {
        "iou_threshold": iou_threshold,
        "matching": matching,
        "headline": {
            "metric": "overall_f1",
            "value": totals["overall_f1"],
            **intervals["overall_f1"],
        },
        "blind_baselines": {"previous_page": baseline},
        **{key: value for key, value in totals.items() if key != "num_samples"},
        "intervals": intervals,
        "answered_only": _answered_only(pages),
        "by_language": _by_page(pages, lambda page: page.sample.language),
        "by_platform": _by_page(pages, lambda page: page.sample.platform),
        "by_type": _by_element(pages, lambda element: str(element["type"])),
        "by_size": _by_element(pages, _size_bucket),
        "repairs": dict(sorted(repairs.items())),
        "dropped_elements": dropped,
        "per_sample": per_sample,
    }
    return _with_zeros(results) if compat else results


def _rows(pages: Iterable[_Page]) -> Iterable[dict[str, Any]]:
    return ({"image_path": page.sample.image_path, **page.score} for page in pages)


def _intervals(pages: list[_Page]) -> dict[str, dict[str, float | None]]:
    """95 % intervals by bootstrap over screenshots; repetitions of one belong together."""
    clusters: dict[str, NDArray[np.float64]] = {}
    for page in pages:
        score, key = page.score, page.sample.id
        tp, fp, fn = score["tp"], score["fp"], score["fn"]
        similarity = score["description_similarity_sum"]
        row = np.array(
            [tp, fp, fn, tp + fp, tp + fn, similarity, *score["tp_by_iou"]], dtype=np.float64
        )
        clusters[key] = clusters[key] + row if key in clusters else row
    sums = np.array([*clusters.values()]) if clusters else np.zeros((0, 6 + len(IOU_STEPS)))
    found = bootstrap_intervals(sums, _STATISTICS)
    return {name: {"low": low, "high": high} for name, (low, high) in found.items()}


def _answered_only(pages: list[_Page]) -> dict[str, Any]:
    totals = summarise_samples(_rows(page for page in pages if page.answered))
    kept = ("num_samples", "total_tp", "total_fp", "total_fn", *_SEED_RATIOS, "f1_50_95")
    return {key: totals[key] for key in kept}


def _by_page(pages: list[_Page], key: Callable[[_Page], str | None]) -> dict[str, Any]:
    groups: dict[str, list[_Page]] = defaultdict(list)
    for page in pages:
        name = key(page)
        if name is not None:
            groups[name].append(page)
    kept = ("num_samples", *_SEED_RATIOS, "f1_50_95")
    found = {}
    for name, members in sorted(groups.items()):
        totals = summarise_samples(_rows(members))
        found[name] = {kept_key: totals[kept_key] for kept_key in kept}
    return found


def _by_element(pages: list[_Page], key: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
    """Recall and description similarity of the true elements of each kind.

    There is no precision here: which kind a wrong prediction belongs to is not known.
    """
    found: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for page in pages:
        for element in page.sample.elements:
            found[key(element)][0] += 1
        for match in page.score["matches"]:
            group = found[key(page.sample.elements[match["truth"]])]
            group[1] += 1
            group[2] += match["description_similarity"]
    return {
        name: {
            "num_elements": int(count),
            "matched": int(matched),
            "recall": ratio(matched, count),
            "avg_description_similarity": ratio(similarity, matched),
        }
        for name, (count, matched, similarity) in sorted(
            found.items(), key=lambda item: (-item[1][0], item[0])
        )
    }


def _size_bucket(element: dict[str, Any]) -> str:
    """COCO's buckets by area in pixels: small < 32², medium < 96², large."""
    x1, y1, x2, y2 = element["coordinates"]
    area = (x2 - x1) * (y2 - y1)
    for limit, name in _SIZES:
        if area < limit:
            return name
    return "large"


def _with_zeros(results: dict[str, Any]) -> dict[str, Any]:
    """Ratios of nothing as 0.0, as a plain reading of the public formulas gives them."""
    for row in (results, *results["per_sample"]):
        for key in (*_SEED_RATIOS, "precision", "recall", "f1"):
            if key in row and row[key] is None:
                row[key] = 0.0
    return results
