"""Measure the embedded `ocr` model on annotated screenshots.

    python -m tools.tune_ocr --annotation dev.json --image-dir DIR [--limit N] [--worst K]

The annotation is a file in the format of GUI-HalluBench. Every page is parsed and matched with
its elements (greedy, one to one, IoU above --iou-threshold); precision, recall and F1 are taken
over the summed counts. Recall by type of the true element and the pages with the lowest F1 show
where a change of the rules would help. Tune on `dev` only: a figure on `test` is worth something
only as long as nobody has looked at those pages.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

from screenmark.benchmarks.page_parsing.dataset import load_pages
from screenmark.images import open_rgb
from screenmark.metrics import evaluate_dataset
from screenmark.metrics.matching import match_boxes
from screenmark.models.embedded.ocr import OcrParser


def main() -> None:
    """Parse, score and print."""
    arguments = _arguments()
    samples = load_pages(arguments.annotation, arguments.image_dir).samples
    pages = [sample for sample in samples if sample.file][: arguments.limit]
    parser = OcrParser(threads=arguments.threads)
    truths: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    seconds: list[float] = []
    for page in pages:
        image = open_rgb(page.file)
        start = time.perf_counter()
        elements = parser.parse(image)
        seconds.append(time.perf_counter() - start)
        predictions.append({"image_path": page.image_path, "elements": elements})
        truths.append({"image_path": page.image_path, "elements": list(page.elements)})
    result = evaluate_dataset(predictions, truths, arguments.iou_threshold)
    _print_summary(result, seconds)
    _print_recall_by_type(predictions, truths, arguments.iou_threshold)
    for row in sorted(result["per_sample"], key=lambda row: row["f1"] or 0.0)[: arguments.worst]:
        counts = f"tp {row['tp']:3d}  fp {row['fp']:3d}  fn {row['fn']:3d}"
        print(f"  {row['f1'] or 0.0:.3f}  {counts}  {row['image_path']}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotation", type=Path, required=True)
    parser.add_argument("--image-dir", type=Path)
    parser.add_argument("--iou-threshold", type=float, default=0.5)
    parser.add_argument("--limit", type=int, help="only the first N pages")
    parser.add_argument("--worst", type=int, default=10, help="how many of the worst pages to list")
    parser.add_argument("--threads", type=int, default=1, help="threads of the networks")
    return parser.parse_args()


def _print_summary(result: dict[str, Any], seconds: list[float]) -> None:
    print(f"pages {result['num_samples']}")
    for key in ("overall_f1", "overall_precision", "overall_recall", "avg_description_similarity"):
        print(f"{key} {result[key] or 0.0:.4f}")
    counts = (result["total_tp"], result["total_fp"], result["total_fn"])
    print("tp {} fp {} fn {}".format(*counts))
    if len(seconds) > 1:
        # The first page also loads the networks.
        print(f"seconds a page {sum(seconds[1:]) / len(seconds[1:]):.2f}, first {seconds[0]:.2f}")


def _print_recall_by_type(
    predictions: list[dict[str, Any]], truths: list[dict[str, Any]], threshold: float
) -> None:
    total: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for prediction, truth in zip(predictions, truths, strict=True):
        elements = truth["elements"]
        total.update(element["type"] for element in elements)
        pairs = match_boxes(
            [element["coordinates"] for element in prediction["elements"]],
            [element["coordinates"] for element in elements],
            threshold,
        )
        found.update(elements[index]["type"] for _, index, _ in pairs)
    print("recall by type of the true element")
    for kind, count in total.most_common():
        print(f"  {kind:10s} {found[kind]:4d} of {count:4d}")


if __name__ == "__main__":
    main()
