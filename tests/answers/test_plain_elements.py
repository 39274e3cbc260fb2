"""The quick reader agrees with the tolerant one, or leaves the reply to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers import elements as tolerant
from screenmark.answers import parse_elements
from screenmark.answers.plain_elements import read_plain_elements
from screenmark.geometry import PERMILLE, Size
from screenmark.types import Answer, Outcome

ELEMENT = {"type": "text", "index": 0, "description": "a", "coordinates": [1, 2, 3, 4]}

words = st.text(max_size=20).filter(lambda text: "think" not in text.lower())
numbers = st.one_of(
    st.integers(-(10**8), 10**8),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(0, 2000),
    st.integers(0, 2000),
)
wild = st.lists(
    st.fixed_dictionaries(
        {
            "type": words,
            "index": st.one_of(st.integers(-5, 500), st.integers()),
            "description": words,
            "coordinates": st.lists(numbers, min_size=4, max_size=4),
        }
    ),
    max_size=4,
)


def read_tolerantly(text: str) -> Answer:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tolerant, "read_plain_elements", lambda text: None)
        return parse_elements(text, space=PERMILLE, size=Size(1280, 800))


@given(page=wild, ascii=st.booleans())
def test_both_readers_give_the_same(page: list[dict[str, Any]], ascii: bool) -> None:
    text = json.dumps(page, ensure_ascii=ascii)
    assert parse_elements(text, space=PERMILLE, size=Size(1280, 800)) == read_tolerantly(text)


@given(page=st.lists(st.just(ELEMENT), max_size=5))
def test_what_was_asked_for_is_read_quickly(page: list[dict[str, Any]]) -> None:
    assert read_plain_elements(json.dumps(page, indent=1)) == page


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(json.dumps(ELEMENT), id="no list"),
        pytest.param(json.dumps([ELEMENT])[:-1], id="cut"),
        pytest.param("```json\n[]\n```", id="fenced"),
        pytest.param(json.dumps([{**ELEMENT, "score": 1}]), id="one field more"),
        pytest.param('[{"type": "text", "index": 0, "description": "a"}]', id="one field less"),
        pytest.param(json.dumps([{**ELEMENT, "index": "0"}]), id="index as text"),
        pytest.param(json.dumps([{**ELEMENT, "coordinates": [3, 2, 1, 4]}]), id="x2 < x1"),
        pytest.param(json.dumps([{**ELEMENT, "coordinates": [1, 2, 1, 4]}]), id="no area"),
        pytest.param(json.dumps([{**ELEMENT, "coordinates": [0, 0, 1e9, 4]}]), id="too large"),
        pytest.param(
            '[{"type": "a", "type": "b", "index": 0, "description": "", "coordinates": [1,2,3,4]}]',
            id="a key twice",
        ),
        pytest.param('[{"type": "\\ud800"}]', id="half a surrogate escaped"),
        pytest.param("\ud800[]", id="half a surrogate"),
    ],
)
def test_what_differs_is_left_to_the_tolerant_reader(text: str) -> None:
    assert read_plain_elements(text) is None


def test_a_reply_that_met_the_token_limit_is_never_plain() -> None:
    answer = parse_elements(json.dumps([ELEMENT]), finish_reason="length")
    assert answer.outcome is Outcome.TRUNCATED
