"""What a score is worth: answers given without looking at the screenshot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from screenmark.benchmarks.content_understanding.dataset import ChoiceSample
from screenmark.metrics.choices import option_weighted
from screenmark.metrics.intervals import wilson_interval

WHAT = {
    "always_a": "answers A every time",
    "longest_option": "answers the option with the longest text, the first of several",
    "majority_letter": "answers the letter that is right most often in this very data set",
    "options_only": (
        "answers the option that shares the most of its words with the question, the first of "
        "several: what the wording alone gives away"
    ),
}
"""Each baseline in words."""

_WORD = re.compile(r"[一-鿿]|[^\W_]+")


def blind_choices(samples: Sequence[ChoiceSample]) -> dict[str, list[str]]:
    """The letter that each baseline answers to each sample."""
    counts = Counter(sample.answer for sample in samples)
    majority = min(counts, key=lambda letter: (-counts[letter], letter)) if counts else "A"
    choose: dict[str, Callable[[ChoiceSample], str]] = {
        "always_a": lambda sample: "A",
        "longest_option": lambda sample: _first_best(sample, len),
        "majority_letter": lambda sample: majority,
        "options_only": _most_shared,
    }
    return {name: [pick(sample) for sample in samples] for name, pick in choose.items()}


def blind_scores(
    samples: Sequence[ChoiceSample], *, circular: bool = False
) -> dict[str, dict[str, Any]]:
    """Accuracy of each baseline over the samples, plain and weighted by options.

    In circular evaluation the samples are rotations, and a question is right as in the results:
    if the baseline is right under each of them. One that answers the same letter never is.
    """
    keys = [s.question_id if circular else position for position, s in enumerate(samples)]
    options = {key: len(s.options) for key, s in zip(keys, samples, strict=True)}
    scores = {}
    for name, letters in blind_choices(samples).items():
        right = dict.fromkeys(options, 1)
        for key, letter, sample in zip(keys, letters, samples, strict=True):
            right[key] = min(right[key], int(letter == sample.answer))
        hits = list(right.values())
        low, high = wilson_interval(sum(hits), len(hits))
        scores[name] = {
            "what": WHAT[name],
            "accuracy": sum(hits) / len(hits) if hits else None,
            "accuracy_weighted": option_weighted(hits, list(options.values())).score,
            "low": low,
            "high": high,
        }
    return scores


def _first_best(sample: ChoiceSample, value: Callable[[str], float]) -> str:
    return max(sample.options, key=lambda letter: (value(sample.options[letter]), -ord(letter)))


def _most_shared(sample: ChoiceSample) -> str:
    asked = set(_words(sample.question))

    def share(text: str) -> float:
        words = set(_words(text))
        return len(words & asked) / len(words) if words else 0.0

    return _first_best(sample, share)


def _words(text: str) -> list[str]:
    """Words in lower case; of Chinese, single characters."""
    return _WORD.findall(text.casefold())
