import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers import read_json
from screenmark.types import Json

CASES = {
    "strict-list": ("[1, 2]", [[1, 2]], ""),
    "strict-scalar": ("3.5", [3.5], ""),
    "byte-order-mark": ('\ufeff{"a": 1}', [{"a": 1}], ""),
    "fence-with-tag": ('```json\n{"a": 1}\n```', [{"a": 1}], "fenced"),
    "fence-on-one-line": ('```{"a": 1}```', [{"a": 1}], "fenced"),
    "fence-never-closed": ('Yes:\n```json\n{"a": 1}', [{"a": 1}], "fenced"),
    "fence-prose-around": ('Yes:\n```\n{"a": 1}\n```\nBye', [{"a": 1}], "fenced"),
    "fence-of-code-then-json": ("```py\nx = f(1)\n```\n[[1]]", [[[1]]], "prose"),
    "fence-not-strict": ("```json\n{'a': 1,}\n```", [{"a": 1}], "fenced+repaired"),
    "fence-and-prose-inside": ('```\nhere {"a": 1}\n```', [{"a": 1}], "fenced+prose"),
    "prose": ('So: {"a": 1}. Bye', [{"a": 1}], "prose"),
    "prose-bracket-in-string": ('So: {"a": "}]"}!', [{"a": "}]"}], "prose"),
    "prose-interval-first": ('In [0, 1000): [{"a": 1}]', [[{"a": 1}]], "prose"),
    "prose-placeholder-first": ('{x}, [y] or [[z]]: [{"a": 1}]', [[{"a": 1}]], "prose"),
    "prose-tick-box": ("- [ ] nothing", [], "prose"),
    "prose-empty-list": ("None at all: [].", [[]], "prose"),
    "prose-empty-list-in-code": ("x = []\nreturn x", [], "prose"),
    "lines": ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}], ""),
    "lines-with-commas": ('{"a": 1},\n{"a": 2},', [{"a": 1}, {"a": 2}], ""),
    "two-lists": ('[["a"]]\n\n[["b"]]', [[["a"]], [["b"]]], ""),
    "trailing-comma": ('{"a": [1, 2,],}', [{"a": [1, 2]}], "repaired"),
    "doubled-comma": ('{"a": [1,, 2]}', [{"a": [1, 2]}], "repaired"),
    "missing-comma": ('[{"a": 1} {"a": 2}]', [[{"a": 1}, {"a": 2}]], "repaired"),
    "missing-comma-at-line-end": ('{"a": "x"\n"b": 2}', [{"a": "x", "b": 2}], "repaired"),
    "single-quotes": ("{'a': 'it\\'s'}", [{"a": "it's"}], "repaired"),
    "apostrophe-in-single-quotes": ("{'a': 'it's', 'b': 1}", [{"a": "it's", "b": 1}], "repaired"),
    "unescaped-quotes": ('{"a": "say "hi" now"}', [{"a": 'say "hi" now'}], "repaired"),
    "inch-mark": ('{"a": "12" wide", "b": 1}', [{"a": '12" wide', "b": 1}], "repaired"),
    "raw-line-break": ('{"a": "x\ny"}', [{"a": "x\ny"}], "repaired"),
    "tab-in-string": ('{"a": "x\ty"}', [{"a": "x\ty"}], "repaired"),
    "line-comment": ('{"a": 1, // one\n"b": 2}', [{"a": 1, "b": 2}], "repaired"),
    "hash-comment": ('{"a": 1, # one\n"b": 2}', [{"a": 1, "b": 2}], "repaired"),
    "block-comment": ('{"a": /* one */ 1}', [{"a": 1}], "repaired"),
    "url-is-no-comment": ('x {"a": "http://b"}', [{"a": "http://b"}], "prose"),
    "python-words": ('{"a": True, "b": None}', [{"a": True, "b": None}], "repaired"),
    "unquoted-keys": ("{a: 1, b_c : 2}", [{"a": 1, "b_c": 2}], "repaired"),
    "unquoted-text": ("{a: Save the file, b: 2}", [{"a": "Save the file", "b": 2}], "repaired"),
    "unknown-escape": ('{"a": "C:\\path"}', [{"a": "C:\\path"}], "repaired"),
    "full-width": (
        "【｛“a”：“x，y”，“b”：【1，2】｝】",
        [[{"a": "x，y", "b": [1, 2]}]],
        "repaired",
    ),
    "full-width-inside-strings": ('x {"a": "“x”，【y】"}', [{"a": "“x”，【y】"}], "prose"),
    "number-with-unit": ('{"a": 12px}', [{"a": "12px"}], "repaired"),
    "escapes": ('x {"a": "\\u00e9\\n\\"\\\\/\\/"}', [{"a": 'é\n"\\//'}], "prose"),
    "doubled-key": ('{"a": 1, "a": 2}', [{"a": 2}], ""),
    "null-character": ('{"a": "\x00"}', [{"a": "\x00"}], "repaired"),
    "missing-value": ('{"a": , "b": 1}', [{"b": 1}], "repaired"),
    "ellipsis": ('[{"a": 1}, ...]', [[{"a": 1}, "..."]], "repaired"),
}


@pytest.mark.parametrize(("text", "values", "repairs"), CASES.values(), ids=CASES.keys())
def test_complete(text: str, values: list[Json], repairs: str) -> None:
    found = read_json(text)
    assert (found.values, "+".join(found.repairs)) == (values, repairs)
    assert not found.truncated
    assert not found.damage


CUT = {
    "in-a-string": ('[{"a": 1}, {"a": "x', [[{"a": 1}, {}]]),
    "in-a-number": ('[{"a": 1}, {"a": 12', [[{"a": 1}, {}]]),
    "in-a-key": ('[{"a": 1}, {"b', [[{"a": 1}, {}]]),
    "after-a-key": ('[{"a": 1}, {"b"', [[{"a": 1}, {}]]),
    "in-a-word": ('[{"a": 1}, {"b": tru', [[{"a": 1}, {}]]),
    "in-an-escape": ('[{"a": 1}, {"b": "\\', [[{"a": 1}, {}]]),
    "in-a-list": ('[{"a": 1}, {"b": [1, 2, 3', [[{"a": 1}, {"b": [1, 2]}]]),
    "before-the-brace": ('[{"a": 1}, {"b": 2,', [[{"a": 1}, {"b": 2}]]),
    "in-a-comment": ('[{"a": 1}, /* b', [[{"a": 1}]]),
}


@pytest.mark.parametrize(("text", "values"), CUT.values(), ids=CUT.keys())
def test_cut_off(text: str, values: list[Json]) -> None:
    found = read_json(text)
    assert found.values == values
    assert found.truncated
    assert found.repairs == (("repaired", "truncated") if "/*" in text else ("truncated",))
    root = found.values[0]
    assert found.damage_of(root) == "cut off before its end"
    assert found.damage_of(root[0]) is None
    for unfinished in root[1:]:
        assert found.damage_of(unfinished) == "cut off before its end"


BROKEN = {
    "list-closed-by-a-brace": ('[{"a": [1, 2}, {"a": 3}]', "its brackets do not match"),
    "object-closed-by-a-bracket": ('[[{"a": 1], {"a": 3}]', "its brackets do not match"),
    "brace-missing": ('[{"a": 1, {"a": 3}]', "its closing brace is missing"),
    "colon-missing": ('[{"a" 1}, {"a": 3}]', "the key 'a' has no value"),
    "key-only": ('[{"a"}, {"a": 3}]', "the key 'a' has no value"),
    "key-then-comma": ('[{"a", "b": 1}, {"a": 3}]', "the key 'a' has no value"),
    "second-colon": ('[{"a": 1: 2}, {"a": 3}]', "a colon stands where none can be"),
    "list-without-key": ('[{[1]}, {"a": 3}]', "a value stands without its key"),
}


@pytest.mark.parametrize(("text", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_malformed_object_is_marked_and_the_next_one_read(text: str, reason: str) -> None:
    found = read_json("x " + text)
    objects = list(_objects(found.values))
    assert found.damage_of(objects[0]) == reason
    assert objects[-1] == {"a": 3}
    assert found.damage_of(objects[-1]) is None
    assert not found.truncated


def _objects(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for member in value:
            yield from _objects(member)


def test_last_fence_wins_and_the_other_is_named() -> None:
    found = read_json("```json\n[[1]]\n```\nNo, rather\n```json\n[[2]]\n```")
    assert found.values == [[[2]]]
    assert found.set_aside == ("fenced block 1 of 2: a later block was read instead",)


def test_wanted_chooses_the_fence() -> None:
    text = '```\n{"answer": 1}\n```\n```\n{"note": 2}\n```'
    assert read_json(text).values == [{"note": 2}]
    assert read_json(text, lambda value: "answer" in value).values == [{"answer": 1}]


def test_numbers() -> None:
    found = read_json("[1, -0, 1e2, 1.50, 1e999, " + "7" * 301 + "]")
    assert found.values == [[1, 0, 100.0, 1.5, math.inf, "7" * 301]]
    loose = read_json("{a: [1, -0, 1e2, 1.50, 1e999, 007, " + "7" * 301 + "]}")
    assert loose.values == [{"a": [1, 0, 100.0, 1.5, math.inf, "007", "7" * 301]}]


def test_nesting_without_end_stops() -> None:
    found = read_json('{"a":' * 100)
    assert found.truncated
    assert {reason for _, reason in found.damage.values()} == {"nested too deeply"}
    assert read_json("[" * 10_000).truncated


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_loose_reading_of_strict_json_is_strict_reading(value: Json) -> None:
    """What the loose reader adds must not change the meaning of what is strict."""
    text = json.dumps({"k": [value]}, ensure_ascii=False)
    found = read_json("Here: " + text)
    assert found.values == [{"k": [value]}]
    assert found.repairs == ("prose",)


@given(st.text("[]{}\"'\\,: \n1a-./*#`“”【】：，\ud800\x00", max_size=60))
def test_any_text_is_read(text: str) -> None:
    found = read_json(text)
    assert found.truncated == ("truncated" in found.repairs)
