"""Records of classification to results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from screenmark.benchmarks.base import Published
from screenmark.benchmarks.ui_classification.rules import (
    BLIND,
    blind_answers,
    drawn_answers,
    expected_accuracy,
)
from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.benchmarks.unanswered import cause_of, nearly_all, share_of
from screenmark.metrics.classification import classification_report, confusion_matrix, macro_f1
from screenmark.metrics.classification_intervals import macro_f1_interval
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.pages import mean
from screenmark.types import Outcome, Record

_MOST_IN_MATRIX: Final = 300
_DRAWS: Final = 20


def summarise_classes(
    records: Iterable[Record],
    *,
    about: dict[str, Any],
    most_frequent: str | None,
    published: Sequence[Published],
) -> dict[str, Any]:
    """The benchmark's part of ``results.json``; ``records`` are in data order.

    Args:
        about: what the run was given, for the table's title: data, modalities, setting.
        most_frequent: the most frequent class of the train part; None without one.
    """
    rows: list[dict[str, Any]] = []
    samples: dict[str, ClassSample] = {}
    groups: list[str] = []
    unread: list[Outcome] = []
    asked = 0
    for record in records:
        sample = msgspec.convert(record.sample, ClassSample)
        samples[sample.id] = sample
        groups.append(sample.group)
        rows.append(_row(sample, record))
        asked += not record.outcome.is_failure
        if record.answer is not None and record.answer.value is None:
            unread.append(record.outcome)
    scores = _scores([row["chosen"] for row in rows], [row["label"] for row in rows], groups)
    answered = [row["correct"] for row in rows if row["answered"]]
    blind = blind_scores(list(samples.values()), most_frequent)
    value = scores["accuracy"]
    return {
        **about,
        "headline": {"metric": "accuracy", "value": value, **_ends(scores, "accuracy")},
        "blind_baselines": blind,
        **scores,
        "answered_only": {"num_samples": len(answered), "accuracy": mean(answered)},
        **_classes(rows),
        "published": [msgspec.to_builtins(figure) for figure in published],
        "audit": {"warnings": [*_unread(unread, asked), *_blind_as_good(value, blind)]},
        "per_sample": rows,
    }


def _scores(
    predictions: Sequence[str | None], gold: Sequence[str], groups: Sequence[str]
) -> dict[str, Any]:
    if not gold:
        names = ("accuracy", "macro_f1", "micro_f1", "weighted_f1")
        nothing = {"low": None, "high": None}
        return dict.fromkeys(names) | {"intervals": {"accuracy": nothing, "macro_f1": nothing}}
    report = classification_report(predictions, gold)
    hits = [int(said == true) for said, true in zip(predictions, gold, strict=True)]
    accuracy = clustered_interval(hits, groups)
    f1 = macro_f1_interval(predictions, gold, groups)
    return {
        "accuracy": report.accuracy,
        "macro_f1": report.macro_f1,
        "micro_f1": report.micro_f1,
        "weighted_f1": report.weighted_f1,
        "intervals": {"accuracy": accuracy._asdict(), "macro_f1": f1._asdict()},
    }


def _ends(scores: dict[str, Any], metric: str) -> dict[str, Any]:
    ends: dict[str, Any] = scores["intervals"][metric]
    return ends


def blind_scores(
    samples: Sequence[ClassSample], most_frequent: str | None
) -> dict[str, dict[str, Any]]:
    """Accuracy and macro-F1 of each rule that never looks."""
    gold = [sample.label for sample in samples]
    groups = [sample.group for sample in samples]
    found = {}
    for name, answers in blind_answers(samples, most_frequent).items():
        scores = _scores(answers, gold, groups)
        found[name] = {
            "what": BLIND[name],
            "accuracy": scores["accuracy"],
            "macro_f1": scores["macro_f1"],
            **_ends(scores, "accuracy"),
        }
    for name, accuracy in expected_accuracy(samples).items():
        # What luck gave one draw would tell nothing: the accuracy is the expectation.
        f1 = mean([macro_f1(answers, gold) for answers in drawn_answers(samples, name, _DRAWS)])
        found[name] |= {"accuracy": accuracy, "macro_f1": f1, "low": None, "high": None}
    return found


def _row(sample: ClassSample, record: Record) -> dict[str, Any]:
    return {
        "id": sample.id,
        "group": sample.group,
        **record.score,
        "answered": record.answer is not None and record.answer.value is not None,
        "outcome": record.outcome.value,
    }


def _classes(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Each class, and what is taken for what."""
    if not rows:
        return {"classes": [], "confusion": None}
    said, true = [row["chosen"] for row in rows], [row["label"] for row in rows]
    report = classification_report(said, true)
    classes = [
        {("class" if key == "label" else key): value for key, value in one._asdict().items()}
        for one in report.classes
    ]
    if len(classes) > _MOST_IN_MATRIX:
        return {"classes": classes, "confusion": None}
    names, counts = confusion_matrix(said, true)
    return {"classes": classes, "confusion": {"classes": names, "counts": counts.tolist()}}


def _unread(outcomes: Sequence[Outcome], asked: int) -> list[str]:
    if not nearly_all(len(outcomes), asked):
        return []
    cause = cause_of(outcomes) or "most declare no class of the list"
    return [f"{share_of(len(outcomes), asked)}: {cause}"]


def _blind_as_good(accuracy: float | None, blind: dict[str, dict[str, Any]]) -> list[str]:
    """Whether a rule that never looks does as well as the model, or better."""
    if accuracy is None or not blind:
        return []
    best = max(blind, key=lambda name: blind[name]["accuracy"])
    value = blind[best]["accuracy"]
    if value < accuracy:
        return []
    return [
        f"{best}, a rule that never looks, gets {value:.1%}, no less than the {accuracy:.1%} here"
    ]
