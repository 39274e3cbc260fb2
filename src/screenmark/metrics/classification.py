"""Predicted classes against true ones: accuracy, F1 in four averages, the confusion matrix.

Labels are any hashable values. A prediction of None is none at all: its truth is missed, and
no class is charged with it. Classes are those that occur in the truth or in the predictions,
so that a class that is only ever predicted, by mistake, counts with an F1 of 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Labels: TypeAlias = Sequence[Hashable] | NDArray[Any]

_MOST_CLASSES: Final = 10_000
_NONE: Final = -1


class ClassScores(NamedTuple):
    """One class against all others.

    Attributes:
        precision, recall, f1: 0 where nothing is predicted, or true.
        support: how often it is true.
        predicted: how often it is predicted.
    """

    label: Hashable
    precision: float
    recall: float
    f1: float
    support: int
    predicted: int


class ClassificationReport(NamedTuple):
    """Everything about some predictions.

    Attributes:
        macro_f1: mean over classes.
        micro_f1: of all decisions together; the accuracy, unless predictions are missing.
        weighted_f1: mean over classes weighted by support.
        classes: in ascending order where labels have one, else by first appearance.
    """

    num_samples: int
    accuracy: float
    macro_f1: float
    micro_f1: float
    weighted_f1: float
    classes: list[ClassScores]


def accuracy(predictions: Labels, gold: Labels) -> float:
    """Share of the samples whose predicted label is the true one.

    Raises:
        ValueError: there are no samples, or the two differ in length.
    """
    _, predicted, true = _coded(predictions, gold)
    return int(np.count_nonzero(predicted == true)) / len(true)


def macro_f1(predictions: Labels, gold: Labels) -> float:
    """F1 of each class, averaged over the classes that occur in either.

    Raises:
        ValueError: there are no samples, the two differ in length, or a true label is None.
    """
    return classification_report(predictions, gold).macro_f1


def classification_report(predictions: Labels, gold: Labels) -> ClassificationReport:
    """All averages and every class.

    Args:
        predictions: a label for each sample; None where there is no prediction.
        gold: the true labels.

    Raises:
        ValueError: there are no samples, the two differ in length, or a true label is None.
    """
    names, predicted, true = _coded(predictions, gold)
    count = len(names)
    hits = np.bincount(true[predicted == true], minlength=count)
    guessed = np.bincount(predicted[predicted != _NONE], minlength=count)
    support = np.bincount(true, minlength=count)
    precision, recall = _divide(hits, guessed), _divide(hits, support)
    f1 = _divide(2 * precision * recall, precision + recall)
    total, right, said = len(true), int(hits.sum()), int(guessed.sum())
    columns = (precision, recall, f1, support, guessed)
    return ClassificationReport(
        num_samples=total,
        accuracy=right / total,
        macro_f1=sum(f1.tolist()) / count,
        micro_f1=2 * right / (said + total),
        weighted_f1=float(f1 @ support) / total,
        classes=[
            ClassScores(*row) for row in zip(names, *(c.tolist() for c in columns), strict=True)
        ],
    )


def confusion_matrix(predictions: Labels, gold: Labels) -> tuple[list[Hashable], NDArray[np.int64]]:
    """How often each class is taken for each.

    Returns:
        The n classes, and counts of shape (n, n): rows are true, columns predicted classes.
        Samples without a prediction are in no cell.

    Raises:
        ValueError: there are no samples, the two differ in length, a true label is None, or
            there are more than 10,000 classes.
    """
    names, predicted, true = _coded(predictions, gold)
    count = len(names)
    if count > _MOST_CLASSES:
        raise ValueError(f"a confusion matrix of {count} classes; at most {_MOST_CLASSES}")
    said = predicted != _NONE
    cells = np.bincount(true[said] * count + predicted[said], minlength=count * count)
    return names, cells.reshape(count, count).astype(np.int64, copy=False)


def _coded(
    predictions: Labels, gold: Labels
) -> tuple[list[Hashable], NDArray[np.intp], NDArray[np.intp]]:
    """The classes, and both sides as positions among them; -1 for no prediction."""
    said, true = _listed(predictions), _listed(gold)
    if len(said) != len(true):
        raise ValueError(f"{len(said)} predictions for {len(true)} samples")
    if not true:
        raise ValueError("no samples")
    present = dict.fromkeys(true)
    if None in present:
        raise ValueError("a true label is None")
    present |= dict.fromkeys(said)
    present.pop(None, None)
    names = _in_order(list(present))
    codes: dict[Hashable, int] = {name: code for code, name in enumerate(names)}
    codes[None] = _NONE
    return names, _positions(codes, said), _positions(codes, true)


def _listed(labels: Labels) -> Sequence[Hashable]:
    """Plain values, as NumPy's own hash and compare slowly."""
    if not isinstance(labels, np.ndarray):
        return labels
    if labels.ndim != 1:
        raise ValueError(f"expected one label a sample, got the shape {labels.shape}")
    plain: list[Hashable] = labels.tolist()
    return plain


def _in_order(names: list[Hashable]) -> list[Hashable]:
    try:
        return sorted(names)  # type: ignore[type-var]
    except TypeError:
        return names


def _positions(codes: dict[Hashable, int], labels: Sequence[Hashable]) -> NDArray[np.intp]:
    return np.fromiter(map(codes.__getitem__, labels), dtype=np.intp, count=len(labels))


def _divide(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    result = np.zeros(len(part))
    np.divide(part, whole, out=result, where=whole != 0)
    return result
