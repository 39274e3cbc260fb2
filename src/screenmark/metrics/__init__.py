"""Values to numbers: IoU, matching, points, choices, text similarity, precision and
recall, intervals, paired tests.

Pure functions over plain data. The names below load on first use, so that
``import screenmark.metrics`` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from screenmark.metrics.boxes import compute_iou
    from screenmark.metrics.choices import OptionWeighted, option_weighted
    from screenmark.metrics.classification import (
        ClassificationReport,
        ClassScores,
        accuracy,
        classification_report,
        confusion_matrix,
        macro_f1,
    )
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
    from screenmark.metrics.paired import mcnemar_p_value
    from screenmark.metrics.points import center_distance, point_in_shape
    from screenmark.metrics.ranking import mean_reciprocal_rank, top_k_accuracy
    from screenmark.metrics.repeats import (
        Repetition,
        flip_rate,
        majority,
        pass_at_k,
        summarise_repeats,
    )
    from screenmark.metrics.success import (
        efficiency_quality_area,
        order_averaged_eqa,
        success_rate,
    )

__all__ = [
    "ClassScores",
    "ClassificationReport",
    "Interval",
    "OptionWeighted",
    "Repetition",
    "accuracy",
    "bootstrap_interval",
    "center_distance",
    "classification_report",
    "compute_iou",
    "confusion_matrix",
    "description_similarity",
    "efficiency_quality_area",
    "evaluate_dataset",
    "evaluate_sample",
    "f1_of_counts",
    "flip_rate",
    "macro_f1",
    "majority",
    "match_boxes",
    "mcnemar_p_value",
    "mean_f1_of_counts",
    "mean_reciprocal_rank",
    "option_weighted",
    "order_averaged_eqa",
    "pass_at_k",
    "point_in_shape",
    "ratio_of_sums",
    "success_rate",
    "summarise_repeats",
    "summarise_samples",
    "top_k_accuracy",
    "wilson_interval",
]

_HOME = {
    "ClassScores": "classification",
    "ClassificationReport": "classification",
    "Interval": "intervals",
    "OptionWeighted": "choices",
    "Repetition": "repeats",
    "accuracy": "classification",
    "bootstrap_interval": "intervals",
    "center_distance": "points",
    "classification_report": "classification",
    "compute_iou": "boxes",
    "confusion_matrix": "classification",
    "description_similarity": "descriptions",
    "efficiency_quality_area": "success",
    "evaluate_dataset": "elements",
    "evaluate_sample": "elements",
    "f1_of_counts": "intervals",
    "flip_rate": "repeats",
    "macro_f1": "classification",
    "majority": "repeats",
    "match_boxes": "matching",
    "mcnemar_p_value": "paired",
    "mean_f1_of_counts": "intervals",
    "mean_reciprocal_rank": "ranking",
    "option_weighted": "choices",
    "order_averaged_eqa": "success",
    "pass_at_k": "repeats",
    "point_in_shape": "points",
    "ratio_of_sums": "intervals",
    "success_rate": "success",
    "summarise_repeats": "repeats",
    "summarise_samples": "elements",
    "top_k_accuracy": "ranking",
    "wilson_interval": "intervals",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
