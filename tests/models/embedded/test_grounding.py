"""Where to click on pages whose elements are given, without any reading of pictures."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.models.embedded.grounding import find
from screenmark.models.embedded.respond import respond
from screenmark.models.embedded.screen import Item, part_box, screen_of, wrap
from screenmark.models.embedded.wishes import read_wish

SIZE = (800, 600)
BOXES: dict[str, tuple[str, str, list[int], str]] = {
    "menu": ("button", "", [10, 10, 40, 40], "bars"),
    "home": ("link", "Home", [60, 10, 110, 40], ""),
    "lens": ("button", "", [600, 10, 630, 40], "lens"),
    "bell": ("button", "", [640, 10, 670, 40], ""),
    "user": ("button", "", [690, 10, 720, 40], ""),
    "heading": ("text", "Sales Report", [60, 100, 170, 120], ""),
    "fold": ("button", "", [300, 98, 324, 122], "minus"),
    "close": ("button", "", [330, 98, 354, 122], "cross"),
    "other heading": ("text", "Visitors", [400, 100, 470, 120], ""),
    "other close": ("button", "", [700, 98, 724, 122], "cross"),
    "email label": ("text", "Email address", [60, 150, 160, 168], ""),
    "email": ("input", "", [60, 175, 360, 210], ""),
    "password": ("input", "Password", [60, 230, 360, 265], ""),
    "box": ("checkbox", "", [60, 285, 74, 299], ""),
    "remember": ("text", "Remember Me", [84, 283, 170, 301], ""),
    "sign in": ("button", "Sign ln", [60, 320, 140, 350], ""),
    "upper more": ("link", "More info", [60, 400, 140, 420], ""),
    "lower more": ("link", "More info", [500, 500, 580, 520], ""),
    "visits": ("text", "Unique Visits", [500, 460, 620, 480], ""),
    "footer": ("text", "Copyright 2023 Example.io. All rights reserved.", [60, 570, 460, 590], ""),
    "wifi": ("text", "无线局域网", [60, 530, 140, 548], ""),
    "switch": ("button", "", [330, 528, 366, 550], ""),
}  # fmt: skip
PAGE: list[dict[str, Any]] = [
    {"type": kind, "index": i, "description": text, "coordinates": box, "shape": shape}
    for i, (kind, text, box, shape) in enumerate(BOXES.values())
]


@pytest.mark.parametrize(
    ("instruction", "target"),
    [
        ('Open the "Home" link', "home"),
        ("Click the menu (three bars) icon", "menu"),
        ("Click the magnifier icon", "lens"),
        ("Click the bell icon with the red 3", "bell"),
        ('Click the minus icon of the "Sales Report" panel', "fold"),
        ('Click the close (x) icon of the "Sales Report" panel', "close"),
        ('Click the close (x) icon of the "Visitors" panel', "other close"),
        ('Click into the "Email address" field', "email"),
        ('Click into the "Password" field', "password"),
        ('Toggle the "Remember Me" checkbox', "box"),
        ("勾选“Remember Me”前面的复选框", "box"),
        ('Click the "Sign In" button', "sign in"),
        ('Click "More info" on the blue "Unique Visits" card', "lower more"),
        ('Click the upper "More info" link', "upper more"),
        ('Click the second "More info" link', "lower more"),
        ("点击第二个“More info”", "lower more"),
        ("点击“无线局域网”开关", "switch"),
        ("Type the secret word", "password"),
        ("Stay logged in on this device", "box"),
        ("See what the system has to notify you about", "bell"),
        ("Fold up the sales figures", "fold"),
    ],
)
def test_targets(instruction: str, target: str) -> None:
    x1, y1, x2, y2 = BOXES[target][2]
    match, good = find(screen_of(PAGE, SIZE), instruction)
    assert match is not None
    x, y = match.point
    assert (x1 <= x <= x2, y1 <= y <= y2, good) == (True, True, True), match


def test_a_few_words_of_a_text_are_clicked_where_they_stand() -> None:
    match, good = find(screen_of(PAGE, SIZE), 'Open the "Example.io" link')
    assert good
    assert match is not None
    assert 180 < match.point[0] < 280
    block = Item("link", "I forgot my password Register a new membership", (40, 604, 238, 650))
    assert part_box(block, "I forgot my password")[3] <= 627
    assert part_box(block, "Register a new membership")[1] >= 627


@pytest.mark.parametrize(
    "instruction",
    ['Open the "Trash" link', "点击“退出登录”按钮", "Book a table for two", 'Tick the "Bug" box'],
)
def test_absent_targets(instruction: str) -> None:
    _, good = find(screen_of(PAGE, SIZE), instruction)
    assert not good
    asked = f"Instruction: {instruction}\n\n"
    assert respond(asked + "If absent, answer: not on screen", PAGE, SIZE) == "not on screen"
    assert respond(asked, PAGE, SIZE).startswith("(")


def test_an_empty_page() -> None:
    assert find(screen_of([], SIZE), "Click the bell icon") == (None, False)
    assert respond("Instruction: Click it", [], SIZE) == "(400, 300)"


def test_any_other_prompt_gets_the_elements_without_what_only_questions_need() -> None:
    plain = [{k: v for k, v in element.items() if k != "shape"} for element in PAGE]
    assert respond("List the elements", PAGE, SIZE) == json.dumps(plain, ensure_ascii=False)


@pytest.mark.parametrize(
    ("instruction", "target", "anchor", "relation"),
    [
        ('Click the "A" button in the "B" column', "A", "B", "near"),
        ('Click on "A"', "A", None, "near"),
        ('Type into the "A" field', "A", None, "near"),
        ('Click into the multi-line field under "A"', None, "A", "below"),
        ('Click into the field labelled "A"', "A", None, "near"),
        ("点击“A”下面的文本框", None, "A", "below"),
        ("点击标着“A”的那一天", "A", None, "near"),
        ("点击数量旁边的加号", None, "数量", "beside"),
    ],
)
def test_what_is_quoted_is_the_target_or_a_neighbour(
    instruction: str, target: str | None, anchor: str | None, relation: str
) -> None:
    wish = read_wish(instruction)
    assert wish.target == target
    assert wish.anchor == anchor
    if anchor is not None:
        assert wish.relation == relation


@given(st.text(max_size=60), st.booleans())
def test_any_instruction_has_an_answer_on_the_page(instruction: str, offers: bool) -> None:
    prompt = f"Instruction: {instruction}\n" + ("or say: not on screen" if offers else "")
    answer = respond(prompt, PAGE, SIZE)
    if answer.startswith("("):
        x, y = (int(number) for number in answer.strip("()").split(","))
        assert 0 <= x < SIZE[0]
        assert 0 <= y < SIZE[1]
    else:
        assert answer == "not on screen" or answer.startswith("[")


@given(st.text(min_size=1, max_size=80), st.integers(1, 900), st.integers(1, 300))
def test_wrapped_lines_hold_the_text_in_order(text: str, width: int, height: int) -> None:
    spans = wrap(text, width, height)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (_, end), (start, _) in pairwise(spans):
        assert text[end:start].strip() == ""
