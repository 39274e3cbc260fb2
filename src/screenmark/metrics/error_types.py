"""What went wrong: every predicted and every true element gets exactly one label.

In the manner of TIDE (Bolya, Foley, Hays, Hoffman: "TIDE: A General Toolbox for Identifying
Object Detection Errors", ECCV 2020), for element lists, which have no confidence scores
and free descriptions instead of classes. Let ``t`` be the IoU threshold of the matching
and ``best`` the greatest IoU of a prediction with any true element.

Predictions, by the first rule that applies:

matched       its box is matched and the description similarity is at least 0.5
misdescribed  its box is matched and the description similarity is below 0.5
duplicate     ``best`` > t: that element is there, but other predictions stand for it
mislocated    0.1 <= ``best`` <= t: it points at an element but misses its outline
fabricated    ``best`` < 0.1: there is nothing (TIDE's background error)

True elements:

matched, misdescribed   as the prediction that it is matched with
mislocated    claimed by a mislocated prediction; claims are one to one, in descending
              IoU from 0.1 on, ties by prediction index, then by truth index
missed        everything else

A mislocated prediction whose true elements are all matched or claimed by others claims
nothing, so there can be more mislocated predictions than mislocated true elements. TIDE
lets any number of predictions explain one missing object; one-to-one claims keep a cloud
of loose boxes from hiding how much was missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from screenmark.metrics.matching import Pair

BACKGROUND_IOU = 0.1
"""A prediction that overlaps nothing at least this much is fabricated."""

SAME_DESCRIPTION = 0.5
"""A matched element described less similarly than this is misdescribed."""

PREDICTION_LABELS = ("matched", "misdescribed", "mislocated", "duplicate", "fabricated")
TRUTH_LABELS = ("matched", "misdescribed", "mislocated", "missed")


class Labels(NamedTuple):
    """One label for each predicted and for each true element, in their order."""

    predictions: list[str]
    truths: list[str]


def label_elements(
    num_predictions: int,
    num_truths: int,
    pairs: Sequence[Pair],
    matches: Sequence[Pair],
    similarities: Sequence[float],
    iou_threshold: float,
) -> Labels:
    """Label the elements of one page.

    Args:
        num_predictions: length of the list of predicted elements.
        num_truths: length of the list of true elements.
        pairs: all pairs with an IoU of at least 0.1 or above the threshold, ranked as
            :func:`screenmark.metrics.matching.ranked_pairs` does.
        matches: those of the pairs that match.
        similarities: description similarity of each match.
        iou_threshold: the threshold of the matching.
    """
    predictions = ["fabricated"] * num_predictions
    truths = ["missed"] * num_truths
    for (prediction, truth, _), similarity in zip(matches, similarities, strict=True):
        label = "matched" if similarity >= SAME_DESCRIPTION else "misdescribed"
        predictions[prediction] = truths[truth] = label
    claimants: set[int] = set()
    for prediction, truth, iou in pairs:
        label = predictions[prediction]
        if label == "fabricated" and (iou > iou_threshold or iou >= BACKGROUND_IOU):
            label = "duplicate" if iou > iou_threshold else "mislocated"
            predictions[prediction] = label
        if label == "mislocated" and truths[truth] == "missed" and prediction not in claimants:
            claimants.add(prediction)
            truths[truth] = "mislocated"
    return Labels(predictions, truths)


def count_labels(labels: Labels) -> tuple[dict[str, int], dict[str, int]]:
    """How many predicted and how many true elements have each label, zeros included."""
    predictions, truths = labels
    return (
        {name: predictions.count(name) for name in PREDICTION_LABELS},
        {name: truths.count(name) for name in TRUTH_LABELS},
    )
