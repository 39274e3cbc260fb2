"""Accuracy and macro-F1 of two lists of labels, as UIBert's evaluation counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screenmark.metrics import classification_report


def score(predictions: Sequence[Any], gold: Sequence[Any]) -> tuple[float, float]:
    """Accuracy and macro-F1, fractions from 0 to 1, to the bit those of the plain recipe.

    Quirks included: pairs end where the shorter list ends, but accuracy is over all of
    ``gold``, and the classes are those of both lists as a whole.

    Raises:
        ValueError: there are no pairs.
    """
    count = min(len(predictions), len(gold))
    report = classification_report(predictions[:count], gold[:count])
    classes = sorted({*gold, *predictions})
    f1 = {found.label: found.f1 for found in report.classes}
    accuracy = round(report.accuracy * count) / len(gold)
    return accuracy, sum(f1.get(name, 0) for name in classes) / len(classes)
