"""compat/uibert/score.py gives the plain recipe's figures on the same lists."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

FILE = Path(__file__).parents[2] / "compat" / "uibert" / "score.py"
LABELS = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=30)


def load() -> Callable[[list[Any], list[Any]], tuple[float, float]]:
    spec = importlib.util.spec_from_file_location("uibert_score", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    score: Callable[[list[Any], list[Any]], tuple[float, float]] = module.score
    return score


SCORE = load()


def recipe(predictions: list[Any], gold: list[Any]) -> tuple[float, float]:
    """The published description, read literally."""

    def count(test: Callable[[Any, Any], bool]) -> int:
        return sum(1 for p, g in zip(predictions, gold, strict=False) if test(p, g))

    values: list[float] = []
    for name in sorted(set(gold + predictions)):
        tp = count(lambda p, g: p == name and g == name)  # noqa: B023 - called at once
        fp = count(lambda p, g: p == name and g != name)  # noqa: B023
        fn = count(lambda p, g: p != name and g == name)  # noqa: B023
        precision = tp / (tp + fp) if (tp + fp) > 0 else 0
        recall = tp / (tp + fn) if (tp + fn) > 0 else 0
        both = precision + recall
        values.append(2 * precision * recall / both if both > 0 else 0)
    return count(lambda p, g: p == g) / len(gold), sum(values) / len(values)


@given(LABELS, LABELS)
def test_same_pair_on_any_two_lists(predictions: list[str], gold: list[str]) -> None:
    assert SCORE(predictions, gold) == recipe(predictions, gold)


def test_known_pair() -> None:
    assert SCORE([1, 2, 3], [1, 2, 2]) == (2 / 3, (1 + 2 / 3 + 0) / 3)


def test_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no samples"):
        SCORE([], [])
