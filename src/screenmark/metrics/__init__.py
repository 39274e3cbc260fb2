"""Values to numbers: IoU, matching, text similarity, precision and recall, intervals.

Pure functions over plain data. The names below load on first use, so that
``import screenmark.metrics`` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from screenmark.metrics.boxes import compute_iou
    from screenmark.metrics.descriptions import description_similarity
    from screenmark.metrics.elements import evaluate_dataset, evaluate_sample, summarise_samples
    from screenmark.metrics.intervals import (
        Interval,
        bootstrap_interval,
        f1_of_counts,
        mean_f1_of_counts,
        ratio_of_sums,
        wilson_interval,
    )
    from screenmark.metrics.matching import match_boxes
    from screenmark.metrics.repeats import (
        Repetition,
        flip_rate,
        majority,
        pass_at_k,
        summarise_repeats,
    )

__all__ = [
    "Interval",
    "Repetition",
    "bootstrap_interval",
    "compute_iou",
    "description_similarity",
    "evaluate_dataset",
    "evaluate_sample",
    "f1_of_counts",
    "flip_rate",
    "majority",
    "match_boxes",
    "mean_f1_of_counts",
    "pass_at_k",
    "ratio_of_sums",
    "summarise_repeats",
    "summarise_samples",
    "wilson_interval",
]

_HOME = {
    "Interval": "intervals",
    "Repetition": "repeats",
    "bootstrap_interval": "intervals",
    "compute_iou": "boxes",
    "description_similarity": "descriptions",
    "evaluate_dataset": "elements",
    "evaluate_sample": "elements",
    "f1_of_counts": "intervals",
    "flip_rate": "repeats",
    "majority": "repeats",
    "match_boxes": "matching",
    "mean_f1_of_counts": "intervals",
    "pass_at_k": "repeats",
    "ratio_of_sums": "intervals",
    "summarise_repeats": "repeats",
    "summarise_samples": "elements",
    "wilson_interval": "intervals",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
