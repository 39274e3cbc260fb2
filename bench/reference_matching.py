"""Page parsing metrics in plain Python, as one would write them down from the definition.

The oracle of ``bench/matching.py`` and of the tests: standard library only, no tricks.
"""

from __future__ import annotations

import difflib
import math
from typing import Any


def compute_iou(box_a: list[float], box_b: list[float]) -> float:
    """Intersection over union of two boxes [x1, y1, x2, y2]."""
    x1 = max(box_a[0], box_b[0])
    y1 = max(box_a[1], box_b[1])
    x2 = min(box_a[2], box_b[2])
    y2 = min(box_a[3], box_b[3])
    intersection = max(0, x2 - x1) * max(0, y2 - y1)
    area_a = (box_a[2] - box_a[0]) * (box_a[3] - box_a[1])
    area_b = (box_b[2] - box_b[0]) * (box_b[3] - box_b[1])
    union = area_a + area_b - intersection
    return intersection / union if union > 0 else 0.0


def divide(part: float, whole: float) -> float | None:
    """A ratio, None if it is 0/0."""
    return part / whole if whole else None


def evaluate_sample(
    pred_elements: list[dict[str, Any]],
    gt_elements: list[dict[str, Any]],
    iou_threshold: float = 0.5,
) -> dict[str, Any]:
    """The IoU of all pairs; in descending order, each element used at most once."""
    pairs = []
    for i, pred in enumerate(pred_elements):
        for j, gt in enumerate(gt_elements):
            iou = compute_iou(pred["coordinates"], gt["coordinates"])
            pairs.append((iou, i, j))
    pairs.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))

    used_pred = set()
    used_gt = set()
    matches = []
    for iou, i, j in pairs:
        if iou <= iou_threshold:
            break
        if i in used_pred or j in used_gt:
            continue
        used_pred.add(i)
        used_gt.add(j)
        similarity = difflib.SequenceMatcher(
            None, pred_elements[i].get("description") or "", gt_elements[j].get("description") or ""
        ).ratio()
        matches.append(
            {"prediction": i, "truth": j, "iou": iou, "description_similarity": similarity}
        )

    tp = len(matches)
    fp = len(pred_elements) - tp
    fn = len(gt_elements) - tp
    similarity_sum = math.fsum(match["description_similarity"] for match in matches)
    return {
        "precision": divide(tp, tp + fp),
        "recall": divide(tp, tp + fn),
        "f1": divide(2 * tp, 2 * tp + fp + fn),
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "avg_description_similarity": divide(similarity_sum, tp),
        "description_similarity_sum": similarity_sum,
        "matches": matches,
    }


def evaluate_dataset(
    predictions: list[dict[str, Any]],
    ground_truths: list[dict[str, Any]],
    iou_threshold: float = 0.5,
) -> dict[str, Any]:
    """Every ground truth with the prediction of the same path, and the totals."""
    by_path = {item["image_path"]: item["elements"] for item in predictions}
    known = {item["image_path"] for item in ground_truths}
    per_sample = []
    similarity_sums = []
    for item in ground_truths:
        path = item["image_path"]
        result = evaluate_sample(by_path.get(path, []), item["elements"], iou_threshold)
        similarity_sums.append(result.pop("description_similarity_sum"))
        del result["matches"]
        per_sample.append({"image_path": path, **result})

    tp = sum(row["tp"] for row in per_sample)
    fp = sum(row["fp"] for row in per_sample)
    fn = sum(row["fn"] for row in per_sample)
    sample_means = [
        row["avg_description_similarity"]
        for row in per_sample
        if row["avg_description_similarity"] is not None
    ]
    return {
        "num_samples": len(per_sample),
        "total_tp": tp,
        "total_fp": fp,
        "total_fn": fn,
        "overall_precision": divide(tp, tp + fp),
        "overall_recall": divide(tp, tp + fn),
        "overall_f1": divide(2 * tp, 2 * tp + fp + fn),
        "avg_description_similarity": divide(math.fsum(similarity_sums), tp),
        "mean_sample_description_similarity": divide(math.fsum(sample_means), len(sample_means)),
        "per_sample": per_sample,
        "unknown_predictions": [path for path in by_path if path not in known],
    }
