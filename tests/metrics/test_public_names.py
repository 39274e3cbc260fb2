"""The public names of the metrics, and that importing the package costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import screenmark.metrics

PUBLIC = {
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
    "evaluate_dataset",
    "efficiency_quality_area",
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
}


def test_public_names_are_exactly_these() -> None:
    assert set(screenmark.metrics.__all__) == PUBLIC
    assert set(dir(screenmark.metrics)) == PUBLIC


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(screenmark.metrics, name)
    assert value.__name__ == name
    assert value.__doc__


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'accuracy_of_nothing'"):
        _ = screenmark.metrics.accuracy_of_nothing


def test_importing_the_package_loads_no_numpy() -> None:
    code = "import sys, screenmark.metrics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
