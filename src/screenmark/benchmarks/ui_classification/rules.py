"""Rules in a model's place: those that never look, and the embedded ones that were trained."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from screenmark.benchmarks.rules import Rule
from screenmark.benchmarks.ui_classification.features import Matrix, inked_share
from screenmark.benchmarks.ui_classification.head import predicted_labels
from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.models.encoders import UI, Component, Encoder, components_of, embed_all

Samples: TypeAlias = Sequence[ClassSample]
Features: TypeAlias = Callable[[Samples], Matrix]
LoadTrain: TypeAlias = Callable[[], Samples]

BLIND: Final = {
    "random": "any class, all alike, by a hash of the sample's id",
    "prior": "the class that is right most often in this very data set",
    "stratified": "a class drawn as often as it is right in this very data set, by a hash",
    "most_frequent": "the class that is most frequent in the train part, where there is one",
}
"""Rules that never look at what is asked, as results name them."""

LOGISTIC: Final = "logistic-regression"
_ALL_INKED: Final = 1.0


def blind_answers(samples: Samples, most_frequent: str | None) -> dict[str, list[str]]:
    """The class that each rule answers to each sample, by the names of `BLIND`.

    Args:
        most_frequent: the most frequent class of the train part; None without one.
    """
    if not samples:
        return {}
    found = {
        "random": drawn_answers(samples, "random", 1)[0],
        "prior": [most_frequent_label(samples)] * len(samples),
        "stratified": drawn_answers(samples, "stratified", 1)[0],
    }
    if most_frequent is not None:
        found["most_frequent"] = [most_frequent] * len(samples)
    return found


def drawn_answers(samples: Samples, name: str, draws: int) -> list[list[str]]:
    """Several draws of ``random`` or ``stratified``; the first is what they answer as models."""
    counts = Counter(sample.label for sample in samples)
    order = sorted(counts)
    ends = np.cumsum([counts[label] for label in order])

    def answer(sample: ClassSample, draw: int) -> str:
        value = _drawn(sample, f"{name} {draw}" if draw else name)
        if name == "random":
            return sample.classes[int(value * len(sample.classes))]
        return order[int(np.searchsorted(ends, value * len(samples), side="right"))]

    return [[answer(sample, draw) for sample in samples] for draw in range(draws)]


def expected_accuracy(samples: Samples) -> dict[str, float]:
    """What the rules that draw get on average."""
    if not samples:
        return {}
    counts = Counter(sample.label for sample in samples)
    count = len(samples)
    return {
        "random": math.fsum(1 / len(sample.classes) for sample in samples) / count,
        "stratified": sum((number / count) ** 2 for number in counts.values()),
    }


def most_frequent_label(train: Samples) -> str:
    """The most frequent class of some samples; of equal ones the first by name."""
    counts = Counter(sample.label for sample in train)
    return min(sorted(counts), key=lambda name: -counts[name])


def _drawn(sample: ClassSample, what: str) -> float:
    """From 0 up to 1, the same for a sample in every run."""
    digest = hashlib.sha256(f"{what} {sample.id}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def blind_rules(most_frequent: str | None) -> dict[str, Rule]:
    """The blind rules as models."""

    def rule(name: str) -> Rule:
        return Rule(BLIND[name], lambda samples: blind_answers(samples, most_frequent)[name])

    names = [name for name in BLIND if name != "most_frequent" or most_frequent is not None]
    return {name.replace("_", "-"): rule(name) for name in names}


def logistic_rule(features: Features, load_train: LoadTrain) -> Rule:
    """Logistic regression on own image features, trained when it is asked."""
    what = "logistic regression on image features, trained on the train part (fine-tuned)"

    def answer(samples: Samples) -> list[str]:
        train = load_train()
        labels = [sample.label for sample in train]
        return predicted_labels(features(train), labels, features(samples))

    return Rule(what, answer)


def ink_rule() -> Rule:
    """Sync without training: everything that is listed has to show on the screenshot."""

    def answer(samples: Samples) -> list[str]:
        shares = inked_share(samples)
        return ["synced" if share >= _ALL_INKED else "unsynced" for share in shares]

    return Rule("synced if no listed box is of one colour on the screenshot (zero-shot)", answer)


def encoder_head(encoder: Encoder, load_train: LoadTrain, *, of_parts: bool) -> Rule:
    """A head on an encoder's vectors: of icons (``of_parts``), or of whole screens."""
    what = f"logistic regression on the vectors of {encoder.name}, trained on the train part"

    def vectors(samples: Samples) -> Matrix:
        if of_parts:
            return embed_all(encoder, [_icon(sample) for sample in samples]).astype(np.float64)
        uis = [_screen(sample) for sample in samples]
        if type(encoder).embed_ui is not Encoder.embed_ui:
            return encoder.embed_uis(uis).astype(np.float64)
        parts = components_of(encoder, uis)
        return np.stack([part.mean(axis=0) for part in parts]).astype(np.float64)

    def answer(samples: Samples) -> list[str]:
        train = load_train()
        return predicted_labels(vectors(train), [s.label for s in train], vectors(samples))

    return Rule(what, answer)


def _icon(sample: ClassSample) -> Component:
    known = sample.components[0] if sample.components else Component()
    box = None
    if sample.box is not None and sample.width and sample.height:
        x1, y1, x2, y2 = sample.box
        wide, high = sample.width, sample.height
        box = (x1 / wide, y1 / high, x2 / wide, y2 / high)
    return Component(
        box=box or known.box,
        class_name=known.class_name,
        text=known.text,
        description=known.description,
        resource_id=known.resource_id,
        file=sample.file,
    )


def _screen(sample: ClassSample) -> UI:
    parts = sample.components or (Component(),)
    return UI(
        id=sample.id,
        file=sample.file,
        components=tuple(_placed(part, sample.file) for part in parts),
    )


def _placed(part: Component, file: str) -> Component:
    return Component(
        box=part.box,
        class_name=part.class_name,
        text=part.text,
        description=part.description,
        resource_id=part.resource_id,
        ocr=part.ocr,
        file=file,
    )
