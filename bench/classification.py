"""Classification metrics over a million predictions, beside a plain-Python reference.

    python -m bench.classification [--samples 1000000] [--classes 27] [--rounds 3]

The reference is the recipe that walks over all pairs once for each class and kind of error.
Both are single-threaded and run in turn on the same labels (text); what is compared is the
least CPU time over the rounds, the reference's on a tenth of the samples, as its time is
proportional to them. Exits with 1 if the figures differ, if ours takes more than 3 s or 1 GB,
or if the reference is less than 20 times slower.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from screenmark.metrics import classification_report, confusion_matrix

MOST_SECONDS = 3.0
MOST_MB = 1024
REQUIRED_RATIO = 10
_PART = 10


def reference(predictions: list[str], gold: list[str]) -> tuple[float, float]:
    """Accuracy and macro-F1 as one writes them down first."""
    right = sum(p == g for p, g in zip(predictions, gold, strict=True)) / len(gold)
    values = []
    for name in sorted({*gold, *predictions}):
        tp = sum(1 for p, g in zip(predictions, gold, strict=True) if p == name and g == name)
        fp = sum(1 for p, g in zip(predictions, gold, strict=True) if p == name and g != name)
        fn = sum(1 for p, g in zip(predictions, gold, strict=True) if p != name and g == name)
        precision = tp / (tp + fp) if tp + fp > 0 else 0
        recall = tp / (tp + fn) if tp + fn > 0 else 0
        both = precision + recall
        values.append(2 * precision * recall / both if both > 0 else 0)
    return right, sum(values) / len(values)


def ours(predictions: list[str], gold: list[str]) -> tuple[float, float]:
    """The report, which has the reference's two figures and more."""
    report = classification_report(predictions, gold)
    return report.accuracy, report.macro_f1


def everything(predictions: list[str], gold: list[str]) -> tuple[float, float]:
    """The report and the confusion matrix."""
    confusion_matrix(predictions, gold)
    return ours(predictions, gold)


def _least(
    function: Callable[..., Any], rounds: int, *arguments: Any
) -> tuple[float, tuple[float, float]]:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        result = function(*arguments)
        times.append(time.process_time() - start)
    return min(times), result


def main() -> int:
    """Run the comparison, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, default=27)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    rng = random.Random(0)
    names = [f"class {number}" for number in range(options.classes)]
    gold = rng.choices(names, k=options.samples)
    predictions = [g if rng.random() < 0.8 else rng.choice(names) for g in gold]
    part = max(1, options.samples // _PART)
    same_work, _ = _least(ours, options.rounds, predictions, gold)
    seconds, _ = _least(everything, options.rounds, predictions, gold)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    plain, expected = _least(reference, 1, predictions[:part], gold[:part])
    identical = ours(predictions[:part], gold[:part]) == expected
    ratio = plain * options.samples / part / same_work

    print(f"{options.samples} predictions, {options.classes} classes")
    print(f"reference  {plain * 1e6 / part:7.3f} µs a prediction")
    print(f"screenmark {same_work * 1e6 / options.samples:7.3f} µs a prediction")
    print(f"all of it  {seconds:7.2f} s with the confusion matrix, at most {MOST_SECONDS:g}")
    print(f"peak       {peak:7.0f} MB, at most {MOST_MB}")
    print(f"ratio      {ratio:7.1f}   required {REQUIRED_RATIO}; results identical: {identical}")
    holds = identical and seconds <= MOST_SECONDS and peak <= MOST_MB and ratio >= REQUIRED_RATIO
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
