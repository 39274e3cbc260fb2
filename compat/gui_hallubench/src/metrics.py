"""GUI-HalluBench's metrics under the names and keys of its own module, computed by Screenmark.

A ratio of nothing to nothing is 0.0 here, as the plain formulas of a script have it;
``screenmark.metrics`` says None instead and has more to offer.
"""

from __future__ import annotations

import sys
from pathlib import Path

try:
    from screenmark import metrics as _library
except ModuleNotFoundError as _error:
    if _error.name != "screenmark":
        raise
    _root = Path(__file__).resolve().parents[3]
    _where = _root if (_root / "pyproject.toml").is_file() else "PATH_OF_ITS_REPOSITORY"
    raise ModuleNotFoundError(
        f"Screenmark is not installed for {sys.executable} (Python 3.11 or newer is needed). "
        f"Install it with: {sys.executable} -m pip install '{_where}[ocr,dashscope]'",
        name="screenmark",
    ) from None

__all__ = ["compute_iou", "evaluate_dataset", "evaluate_sample"]

compute_iou = _library.compute_iou

_RATIOS = (
    "precision",
    "recall",
    "f1",
    "overall_precision",
    "overall_recall",
    "overall_f1",
    "avg_description_similarity",
)


def evaluate_sample(pred_elements, gt_elements, iou_threshold=0.5):
    """Compare the predicted elements of one screenshot with its true elements.

    Each element is a dict with ``coordinates`` ``[x1, y1, x2, y2]`` in pixels of the image
    and a ``description``. Returns a dict with ``precision``, ``recall``, ``tp``, ``fp``,
    ``fn``, ``avg_description_similarity`` and what else ``screenmark.metrics`` reports.
    """
    return _numbers(_library.evaluate_sample(pred_elements, gt_elements, iou_threshold))


def evaluate_dataset(predictions, ground_truths, iou_threshold=0.5):
    """Compare predictions with ground truths, aligned by ``image_path``.

    Each item is ``{"image_path": ..., "elements": [...]}``. Returns a dict with
    ``overall_precision``, ``overall_recall``, ``overall_f1``,
    ``avg_description_similarity``, ``per_sample`` and what else ``screenmark.metrics``
    reports.
    """
    result = _library.evaluate_dataset(predictions, ground_truths, iou_threshold)
    result["per_sample"] = [_numbers(row) for row in result["per_sample"]]
    return _numbers(result)


def _numbers(result):
    zeros = {key: 0.0 for key in _RATIOS if key in result and result[key] is None}
    return {**result, **zeros}
