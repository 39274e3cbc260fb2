"""Replies to the number that they declare."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers.indices import parse_index
from screenmark.types import Outcome

NUMBERS = [0, 1, 2, 3, 7, 12]

DECLARED = {
    "bare": "7",
    "padded": "  7\n",
    "brackets": "[7]",
    "bold": "**7**",
    "full stop": "7.",
    "hash": "#7",
    "named": "Element 7",
    "named number": "Candidate number 7",
    "full width": "７",
    "json": '{"index": 7}',
    "json text": '{"answer": "7"}',
    "json element_index": '```json\n{"element_index": 7, "reason": "it says 3 items"}\n```',
    "json list of one": '{"answer": [7]}',
    "bare array": "[7]",
    "answer": "The answer is 7.",
    "answer with a name": "Answer: element 7",
    "boxed": r"So it is \boxed{7}",
    "tag": "<answer>7</answer>",
    "thinking": "<think>Perhaps 3, the answer is 3.</think>7",
    "last of several": "At first the answer is 3. On reflection, the answer is 7.",
    "picks": "There are 2 buttons at the top. I would choose 7 because it is on the left.",
    "matching": "The matching element is 7 (the search icon).",
    "last line": "It has a magnifier at the top right.\n\n7",
    "first line": "7\n\nIt has a magnifier at the top right.",
    "labelled line": "7: the search icon",
    "labelled by name": "Element 7 is the search icon at the top",
    "denied before": "The answer is not 3. The answer is 7.",
    "chinese": "答案是7",
    "chinese choice": "应选 7 号",
}

UNCLEAR = {
    "several": "The answer is 3 or 7",
    "several in json": '{"answer": [3, 7]}',
    "list": "3, 7",
    "first and last line": "3\nbecause\n7",
    "labels": "3: search\n7: menu",
    "mentioned": "There are 7 icons on this screen and I see a search icon.",
    "out of range": "99",
    "among the range but left out": "5",
    "negative": "-1",
    "fraction": "7.5",
    "range": "The answer is 3-7",
    "percent": "The answer is 7%",
    "letter": "B",
    "denied": "The answer is not 7.",
    "nothing": "I see a search icon.",
    "json true": '{"index": true}',
    "json float": '{"index": 7.5}',
    "coordinates": "(120, 340)",
    "scores too few": '{"scores": [1, 2]}',
    "scores not numbers": '{"scores": [1, 2, 3, 4, 5, "6"]}',
}


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in DECLARED.items()])
def test_declared(text: str) -> None:
    answer = parse_index(text, NUMBERS)
    assert (answer.outcome, answer.value) == (Outcome.OK, {"index": 7, "scores": None}), answer


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in UNCLEAR.items()])
def test_unclear(text: str) -> None:
    answer = parse_index(text, NUMBERS)
    assert answer.outcome == Outcome.UNPARSEABLE, answer
    assert answer.reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(
            '{"scores": [0, 0, 0, 1, 0.5, -2]}',
            {"index": None, "scores": [0.0, 0.0, 0.0, 1.0, 0.5, -2.0]},
            id="scores alone",
        ),
        pytest.param(
            '{"index": 7, "scores": [0, 0, 0, 1, 0, 0]}',
            {"index": 7, "scores": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]},
            id="with an index",
        ),
    ],
)
def test_scores(text: str, value: Any) -> None:
    assert parse_index(text, NUMBERS).value == value


@pytest.mark.parametrize(
    ("text", "finish", "outcome"),
    [
        pytest.param("", None, Outcome.EMPTY, id="empty"),
        pytest.param("7", "length", Outcome.TRUNCATED, id="cut off"),
        pytest.param("<think>7", None, Outcome.TRUNCATED, id="thinking never ends"),
        pytest.param("I'm sorry, but I can't help with that.", None, Outcome.REFUSED, id="refusal"),
        pytest.param("7", "content_filter", Outcome.REFUSED, id="filter"),
    ],
)
def test_endings(text: str, finish: str | None, outcome: Outcome) -> None:
    answer = parse_index(text, NUMBERS, finish_reason=finish)
    assert (answer.outcome, answer.value) == (outcome, None)


@given(st.text(max_size=200), st.lists(st.integers(0, 30), max_size=5))
def test_any_text_is_accepted(text: str, numbers: list[int]) -> None:
    answer = parse_index(text, numbers)
    if answer.value is not None and answer.value["index"] is not None:
        assert answer.value["index"] in numbers


@pytest.mark.parametrize(
    "piece", ["answer is ", "element 7 ", "7, ", "[[", "7:\n", "#" * 9, "1 or "]
)
def test_long_replies_take_no_longer_than_their_length(piece: str) -> None:
    assert parse_index(piece * 20_000, NUMBERS).outcome in Outcome
