"""Similarity of descriptions, against the standard library's difflib."""

from __future__ import annotations

import difflib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.metrics import description_similarity
from screenmark.metrics.descriptions import description_similarities
from screenmark.metrics.matching_blocks import MAX_LENGTH, similarity_ratios


def by_difflib(predicted: str, truth: str) -> float:
    return difflib.SequenceMatcher(None, predicted, truth).ratio()


PAIRS = {
    "both_empty": ("", "", 1.0),
    "one_empty": ("", "wifi", 0.0),
    "equal": ("支付宝", "支付宝", 1.0),
    "nothing_in_common": ("abc", "xyz", 0.0),
    "part": ("bcde", "abcd", 0.75),
    "prediction_first": ("tide", "diet", 0.25),
    "truth_first": ("diet", "tide", 0.5),
    "emoji": ("🔍 search", "search", 12 / 14),
}


@pytest.mark.parametrize(("predicted", "truth", "expected"), PAIRS.values(), ids=list(PAIRS))
def test_similarity(predicted: str, truth: str, expected: float) -> None:
    assert description_similarity(predicted, truth) == expected
    assert by_difflib(predicted, truth) == expected


few_letters = st.text("ab c", max_size=80)
any_text = st.text(max_size=40)


@given(few_letters | any_text, few_letters | any_text)
def test_similarity_has_difflibs_bits(predicted: str, truth: str) -> None:
    assert description_similarity(predicted, truth) == by_difflib(predicted, truth)


long_text = st.builds(
    lambda seed, letters, size: "".join(random.Random(seed).choices(letters, k=size)),
    st.integers(0, 10_000),
    st.sampled_from(["a", "ab", "aaaaaaaab", "abcdefghijklmnopqrstuvwxyz", "中文a "]),
    st.integers(190, 420),
)


@given(long_text, long_text, st.integers(0, 419))
def test_similarity_of_long_texts_with_popular_characters(a: str, b: str, cut: int) -> None:
    for pair in ((a, b), (a, a[:cut] + b[cut:]), (a, a), (a, "".join(list(a)))):
        assert description_similarity(*pair) == by_difflib(*pair)


short_texts = st.text("ab", max_size=MAX_LENGTH) | st.text("abcdefg \0中🔍\ud800", max_size=20)


@given(st.lists(st.tuples(short_texts, short_texts).filter(any), max_size=12))
def test_short_pairs_compared_together_have_difflibs_bits(pairs: list[tuple[str, str]]) -> None:
    ratios = similarity_ratios([a for a, _ in pairs], [b for _, b in pairs])
    assert ratios == [by_difflib(a, b) for a, b in pairs]


@pytest.mark.parametrize("letters", ["ab", "abcdefgh ", "etaoinshrdlu ETA0123"])
@pytest.mark.parametrize("longest", [8, 16, 17, 33, MAX_LENGTH, MAX_LENGTH + 1, 250])
def test_many_pairs_have_difflibs_bits(letters: str, longest: int) -> None:
    rng = random.Random(f"{letters}{longest}")
    pairs = []
    for _ in range(700):
        a = "".join(rng.choices(letters, k=rng.randint(0, longest)))
        cut = rng.randint(0, len(a))
        b = rng.choice([a, a[:cut] + rng.choice(letters) + a[cut + 1 :], a[::-1], a[cut:]])
        pairs.append((a, b))
    predicted, truths = ([pair[side] for pair in pairs] for side in (0, 1))
    assert description_similarities(predicted, truths) == [by_difflib(a, b) for a, b in pairs]
