"""What must hold for every reply, whatever a model writes."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers import parse_elements
from screenmark.geometry import PERCENT, PERMILLE, PIXEL, UNIT, Size, Space, resized
from screenmark.types import Answer, Json, Outcome

Element = dict[str, Any]
OUTCOMES = {
    Outcome.OK,
    Outcome.UNPARSEABLE,
    Outcome.REFUSED,
    Outcome.TRUNCATED,
    Outcome.EMPTY,
}
FINISH_REASONS = [None, "stop", "length", "content_filter", "refusal", "something else"]

lows, lengths = st.integers(-50, 4000), st.integers(1, 4000)
# Thinking tags inside a description are the business of test_thinking.
words = st.text(max_size=30).filter(lambda text: "think" not in text.lower())


@st.composite
def elements(draw: st.DrawFn) -> Element:
    x, y = draw(lows), draw(lows)
    return {
        "type": draw(st.sampled_from(["icon", "text", "button", "输入框"])),
        "index": draw(st.integers(0, 500)),
        "description": draw(words),
        "coordinates": [x, y, x + draw(lengths), y + draw(lengths)],
    }


pages = st.lists(elements(), max_size=6)


def compact(page: list[Element]) -> str:
    return json.dumps(page, ensure_ascii=False, separators=(",", ":"))


def escaped(page: list[Element]) -> str:
    return json.dumps(page)


def indented(page: list[Element]) -> str:
    return json.dumps(page, ensure_ascii=False, indent=2)


def lines(page: list[Element]) -> str:
    return "\n".join(json.dumps(element) for element in page) or "[]"


def object_around(page: list[Element]) -> str:
    return json.dumps({"image": "a.png", "elements": page, "count": len(page)})


def trailing_commas(page: list[Element]) -> str:
    return "[" + "".join(json.dumps(element)[:-1] + ",}," for element in page) + "]"


writers = st.sampled_from([compact, escaped, indented, lines, object_around, trailing_commas])
wrappers: st.SearchStrategy[Callable[[str], str]] = st.sampled_from(
    [
        lambda text: text,
        lambda text: f"```json\n{text}\n```",
        lambda text: f"```\n{text}```",
        lambda text: f"Here are the elements I found:\n{text}",
        lambda text: f"以下是该页面的元素列表：\n\n```json\n{text}\n```\n\n希望对你有帮助！",
        lambda text: f"<think>Is [0, 1] or {{x}} meant?\n[{{}}]</think>\n{text}",
        lambda text: f"so [{{'a': 1}}]\n</think>\n\n```json\n{text}\n```",
        lambda text: f"<|begin_of_box|>{text}<|end_of_box|>",
        lambda text: f"\ufeff  {text}\n\n",
    ]
)


@given(pages, writers, wrappers)
def test_what_is_written_is_read_back(
    page: list[Element], write: Callable[[list[Element]], str], wrap: Callable[[str], str]
) -> None:
    answer = parse_elements(wrap(write(page)), finish_reason="stop")
    assert answer.outcome is Outcome.OK
    assert answer.value == page
    assert answer.dropped == ()


@given(pages, writers, wrappers, st.floats(0, 1), st.sampled_from(["length", "stop"]))
def test_a_prefix_gives_leading_elements_only(
    page: list[Element],
    write: Callable[[list[Element]], str],
    wrap: Callable[[str], str],
    part: float,
    finish_reason: str,
) -> None:
    text = wrap(write(page))
    answer = parse_elements(text[: int(part * len(text))], finish_reason=finish_reason)
    read = answer.value or []
    assert read == page[: len(read)]
    if finish_reason == "length":
        assert answer.outcome is Outcome.TRUNCATED


@given(pages.filter(bool), writers)
def test_every_prefix_keeps_what_is_complete(
    page: list[Element], write: Callable[[list[Element]], str]
) -> None:
    """No element is lost either, once its closing brace has been written."""
    text = write(page)
    if write is object_around:
        ends = [text.index(json.dumps(page)[1:-1]) + len(json.dumps(page)[1:-1])]
        expected = [len(page)]
    else:
        ends = [len(write(page[:n]).rstrip("] \n,")) for n in range(1, len(page) + 1)]
        expected = list(range(1, len(page) + 1))
    for end, count in zip(ends, expected, strict=True):
        answer = parse_elements(text[:end], finish_reason="length")
        assert answer.value == page[:count]
        shorter = parse_elements(text[: end - 1], finish_reason="length")
        assert (shorter.value or []) == page[: count - 1]


@pytest.mark.parametrize(
    "space", [UNIT, PERMILLE, PERCENT, PIXEL, resized(28, 3136, 12845056)], ids=str
)
@given(elements(), st.integers(200, 5000), st.integers(200, 5000))
def test_every_space_leads_back_to_the_same_pixels(
    space: Space, element: Element, width: int, height: int
) -> None:
    size = Size(width, height)
    across, down = space.extent(size)
    scale = [across / width, down / height] * 2
    there = [value * by for value, by in zip(element["coordinates"], scale, strict=True)]
    answer = parse_elements(json.dumps([{**element, "coordinates": there}]), space=space, size=size)
    assert answer.value[0]["coordinates"] == pytest.approx(element["coordinates"], abs=1e-6)


def check(answer: Answer) -> None:
    """What any answer must fulfil."""
    assert answer.outcome in OUTCOMES
    assert (answer.reason is None) == (answer.outcome is Outcome.OK)
    assert answer.value is None or answer.outcome in {
        Outcome.OK,
        Outcome.TRUNCATED,
        Outcome.REFUSED,
    }
    assert answer.outcome is not Outcome.OK or answer.value is not None
    written = json.dumps(answer.value, allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert json.loads(written) == answer.value
    for note in (answer.reason or "", *answer.dropped):
        note.encode("utf-8")
    for element in answer.value or []:
        check_element(element)


def check_element(element: Json) -> None:
    assert list(element) == ["type", "index", "description", "coordinates"]
    assert isinstance(element["type"], str)
    assert isinstance(element["description"], str)
    assert type(element["index"]) is int
    x1, y1, x2, y2 = element["coordinates"]
    assert x1 < x2
    assert y1 < y2


any_text = st.text(st.characters(codec=None, exclude_categories=[]))
json_like = st.lists(
    st.sampled_from(
        [
            *"[]{}\",:'\\",
            *"【】｛｝“”，：",
            *[
                "1",
                "-2",
                "30",
                "4.5",
                "null",
                "True",
                "NaN",
                "x",
                " ",
                "\n",
                "...",
                "//",
                "/*",
                "# ",
            ],
            *["```", "```json\n", "<think>", "</think>", "◁think▷", "\ud83d", "\\u12", "\x00"],
            *['"bbox"', '"text"', '"elements"', "[1, 2, 3, 4]", '{"bbox": [1, 2, 3, 4]}'],
            *["I'm sorry, but I can't help", "抱歉，我无法协助"],
        ]
    ),
    max_size=40,
).map("".join)


@given(any_text | json_like, st.sampled_from(FINISH_REASONS))
def test_any_text_ends_in_one_outcome(text: str, finish_reason: str | None) -> None:
    check(parse_elements(text, finish_reason=finish_reason))


@given(pages, writers, st.lists(st.tuples(st.floats(0, 1), st.sampled_from('[]{}",: x\n'))))
def test_a_damaged_reply_ends_in_one_outcome(
    page: list[Element],
    write: Callable[[list[Element]], str],
    damage: list[tuple[float, str]],
) -> None:
    text = write(page)
    for place, character in damage:
        at = int(place * len(text))
        text = text[:at] + character + text[at + 1 :]
    check(parse_elements(text))


@given(json_like)
def test_same_text_same_answer(text: str) -> None:
    assert parse_elements(text) == parse_elements(text)


plain_pages = st.lists(
    elements().map(lambda e: {**e, "description": f"word {e['index']}"}), min_size=1, max_size=4
)


@given(plain_pages, writers, st.data())
def test_one_lost_character_of_structure_invents_nothing(
    page: list[Element], write: Callable[[list[Element]], str], data: st.DataObject
) -> None:
    """What is still read was written so; and what is not touched by the loss is still read."""
    text = write(page)
    places = [at for at, character in enumerate(text) if character in '[]{}",:']
    at = data.draw(st.sampled_from(places))
    answer = parse_elements(text[:at] + text[at + 1 :])
    read = answer.value or []
    assert all(element in page for element in read)
    assert len(read) >= len(page) - 2
