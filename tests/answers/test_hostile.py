"""A megabyte of anything is read in one go: a quadratic reader would hang here for minutes."""

import itertools

import pytest

from screenmark.answers import parse_elements
from screenmark.answers.loose_json import LooseReader
from screenmark.types import Outcome

MEGABYTE = 1_000_000

RUNS: dict[str, Outcome] = {
    "[": Outcome.TRUNCATED,
    "{": Outcome.UNPARSEABLE,
    "9": Outcome.UNPARSEABLE,
    '"': Outcome.UNPARSEABLE,
    "'": Outcome.UNPARSEABLE,
    "\\": Outcome.UNPARSEABLE,
    " ": Outcome.EMPTY,
    ",": Outcome.UNPARSEABLE,
    "]": Outcome.UNPARSEABLE,
    "\x00": Outcome.UNPARSEABLE,
    "\ud83d": Outcome.UNPARSEABLE,
    "1e": Outcome.UNPARSEABLE,
    "[1,": Outcome.UNPARSEABLE,
    "[[1,": Outcome.TRUNCATED,
    "[{": Outcome.TRUNCATED,
    '["': Outcome.TRUNCATED,
    '[" ': Outcome.TRUNCATED,
    "[{'": Outcome.TRUNCATED,
    '{"a":': Outcome.TRUNCATED,
    '[{"a":[': Outcome.TRUNCATED,
    '{"a" ': Outcome.TRUNCATED,
    '{"a":"\\"': Outcome.TRUNCATED,
    "{a: ": Outcome.TRUNCATED,
    "[ ": Outcome.TRUNCATED,
    "[/*": Outcome.UNPARSEABLE,
    "[[/*": Outcome.TRUNCATED,
    "[{} ": Outcome.TRUNCATED,
    "[]": Outcome.OK,
    "}{": Outcome.UNPARSEABLE,
    "][": Outcome.UNPARSEABLE,
    "【“": Outcome.TRUNCATED,
    "```": Outcome.UNPARSEABLE,
    "```\n[\n": Outcome.UNPARSEABLE,
    "```json\n[{\n": Outcome.TRUNCATED,
    "<think>": Outcome.TRUNCATED,
    "</think>": Outcome.EMPTY,
    '"<think>': Outcome.TRUNCATED,
    "<think></think>": Outcome.EMPTY,
    "I'm sorry ": Outcome.UNPARSEABLE,
}


@pytest.mark.parametrize(("piece", "outcome"), RUNS.items(), ids=map(repr, RUNS))
def test_a_megabyte_of(piece: str, outcome: Outcome) -> None:
    text = piece * (MEGABYTE // len(piece))
    assert parse_elements(text).outcome is outcome


INSIDE: dict[str, tuple[str, str, str]] = {
    "digits": ('[{"bbox": [1, 2, ', "9", ", 4]}"),
    "quotes": ('[{"text": "', '"', '", "bbox": [3, 2, 1, 4]}'),
    "quotes-and-spaces": ('[{"text": "', '" ', '", "bbox": [3, 2, 1, 4]}'),
    "backslashes": ('[{"text": "', "\\\\", '", "bbox": [3, 2, 1, 4]}'),
    "escapes": ('[{"text": "', "\\ud83d", '", "bbox": [3, 2, 1, 4]}'),
    "brackets-in-text": ('[{"text": "', "[{", '", "bbox": [3, 2, 1, 4]}'),
    "numbers": ('[{"bbox": [', "1,", "1]}"),
    "box-text": ('[{"bbox": "', "1 ", '"}'),
    "box-text-spaces": ('[{"bbox": "1,2,3', " ", '"}'),
    "comment": ("[{/*", "*", '*/"bbox": [3, 2, 1, 4]}'),
    "deep-list": ("[{}, ", "[", "]"),
}


@pytest.mark.parametrize("inside", INSIDE.values(), ids=INSIDE.keys())
def test_a_megabyte_inside_one_element(inside: tuple[str, str, str]) -> None:
    """The monster is dropped with a short reason and, where it ends, its neighbour survives."""
    start, piece, end = inside
    good = ', {"bbox": [1, 2, 3, 4]},]'  # the trailing comma keeps strict JSON out
    answer = parse_elements(start + piece * (MEGABYTE // len(piece)) + end + good)
    assert all(len(note) < 200 for note in answer.dropped)
    assert len(answer.dropped) >= 1
    if piece != "[":
        assert [element["coordinates"] for element in answer.value] == [[1, 2, 3, 4]]


def test_a_megabyte_of_elements_is_read_whole() -> None:
    count = MEGABYTE // 24
    answer = parse_elements("So: [" + '{"bbox": [1, 2, 3, 4]}, ' * count + "]")
    assert len(answer.value) == count


def test_a_megabyte_of_bad_elements_is_reported_in_brief() -> None:
    answer = parse_elements("[" + '{"bbox": 1},' * (MEGABYTE // 12) + "]")
    assert answer.outcome is Outcome.UNPARSEABLE
    assert len(answer.dropped) == 101


@pytest.mark.parametrize("piece", ["[", "{", '{"a":', '[{"a":1},', "'", "[{'", "x ", "{a:"])
def test_steps_grow_with_the_length_only(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: a text of twice the length takes at most about twice the steps."""
    counter = itertools.count()
    original = LooseReader._step

    def counted(self: LooseReader) -> None:
        next(counter)
        original(self)

    monkeypatch.setattr(LooseReader, "_step", counted)
    steps = []
    for times in (2_000, 4_000):
        before = next(counter)
        parse_elements("x " + piece * times)
        steps.append(next(counter) - before)
    assert steps[1] <= 2.2 * steps[0] + 10
