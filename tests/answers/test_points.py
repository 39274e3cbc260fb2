"""Points and boxes under every profile: what is read, what is refused, and that nothing hangs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screenmark.answers import get_profile, parse_box, parse_point, profiles
from screenmark.answers.profiles import Profile
from screenmark.geometry import PERMILLE, UNIT, Point, Size, scaled
from screenmark.types import TARGET_ABSENT, Answer, Outcome
from tests.answers.point_cases import FAMILIES, NONE, SPACES

SQUARE = Size(1000, 1000)


def read(profile: str, size: tuple[int, int], text: str) -> Answer:
    return parse_point(text, profile=get_profile(profile), size=Size(*size))


@pytest.mark.parametrize(
    ("profile", "size", "text", "expected"),
    [pytest.param(*case, id=f"{case[0]}-{case[2]!r}") for case in SPACES + FAMILIES],
)
def test_point(
    profile: str, size: tuple[int, int], text: str, expected: tuple[float, float] | str
) -> None:
    answer = read(profile, size, text)
    if isinstance(expected, str):
        assert (answer.outcome.value, answer.value) == (expected, None)
        assert answer.reason
    else:
        assert answer.outcome is Outcome.OK, answer.reason
        assert answer.value == pytest.approx(expected, abs=1e-4)


def test_every_profile_has_a_reply_of_its_own() -> None:
    told = {get_profile(case[0]).name.partition("@")[0] for case in SPACES + FAMILIES}
    assert told == set(profiles())


WRAPPERS = {
    "fenced": "```\n{}\n```",
    "thinking": "<think>The one at (0, 0), or [[7, 7]]?</think>\n{}",
    "thinking, its opening tag lost": "At (0, 0) or [[7, 7]].</think>{}",
    "prose before": "The button is near the top.\n{}",
    "trailing text": "{}\nThis is what you asked for.",
    "blank lines": "\n\n {} \n\n",
    "answer tags": "<answer>{}</answer>",
    "a heading": "## Answer\n{}",
    "Chinese": "好的，按钮在这里：\n{}\n以上。",
}

# One reply of each family that can stand in any of these.
OWN = {
    "unit": "(0.25, 0.5)",
    "permille": "(250, 500)",
    "percent": "[25, 50]",
    "pixel": '{"x": 250, "y": 500}',
    "ui-tars": "click(start_box='(250,500)')",
    "ui-tars-1.5": "click(point='<point>252 504</point>')",
    "doubao-ui-tars": "<point>250 500</point>",
    "qwen-vl": "<box>(200,400),(300,600)</box>",
    "qwen2-vl": "<|box_start|>(200,400),(300,600)<|box_end|>",
    "qwen2.5-vl": '{"bbox_2d": [202, 404, 302, 604], "label": "Save"}',
    "qwen3-vl": '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": '
    "[250, 500]}}",
    "aguvis": "pyautogui.click(x=0.25, y=0.5)",
    "uground-v1": "(250, 500)",
    "uground": "(336, 672)",
    "os-atlas-base-4b": "[[250,500]]",
    "os-atlas-base-7b": "<|object_ref_start|>Save<|object_ref_end|><|box_start|>(200,400),(300,600)"
    "<|box_end|>",
    "showui": "{'action': 'CLICK', 'value': None, 'position': [0.25, 0.5]}",
    "seeclick": "(0.25,0.50)",
    "cogagent": "[[200,400,300,600]]",
    "cogagent-9b": "CLICK(box=[[200,400,300,600]], element_info='Save')",
    "internvl": "<ref>Save</ref><box>[[200, 400, 300, 600]]</box>",
    "scalecua": "click(x=252, y=504)",
    "opencua": "pyautogui.click(x=252, y=504)",
    "gta1": "(252,504)",
    "jedi": '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": '
    "[252, 504]}}",
    "holo1": "Click(252, 504)",
    "holo1.5": '{"action": "click_absolute", "x": 252, "y": 504}',
    "holo2": '{"x": 250, "y": 500}',
    "ui-venus-1.5": "[200, 400, 300, 600]",
    "ui-venus": "[202, 404, 302, 604]",
    "gui-r1": "[{'action': 'click', 'point': [252, 504], 'input_text': 'no input text'}]",
    "infigui-g1": '[{"point_2d": [252, 504], "label": "Save"}]',
    "gui-actor": "(0.25, 0.5)",
    "aria-ui": "[250, 500]",
    "kimi-vl": "pyautogui.click(x=0.25, y=0.5)",
    "minicpm-v": "<box>200 400 300 600</box>",
    "fara": '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": '
    "[252, 504]}}",
    "glm-v": "<|begin_of_box|>[200,400,300,600]<|end_of_box|>",
    "gpt": "[[0.20, 0.40, 0.30, 0.60]]",
    "openai-computer-use": '{"type": "click", "button": "left", "x": 250, "y": 500}',
    "claude": '{"action": "left_click", "coordinate": [250, 500]}',
    "gemini": '[{"box_2d": [400, 200, 600, 300], "label": "Save"}]',
    "molmo": '<point x="25.0" y="50.0" alt="Save">Save</point>',
}


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS.keys())
@pytest.mark.parametrize("name", profiles())
def test_every_family_in_every_wrapping(name: str, wrapper: str) -> None:
    answer = parse_point(wrapper.format(OWN[name]), profile=get_profile(name), size=SQUARE)
    assert answer.outcome is Outcome.OK, answer.reason
    assert answer.value == pytest.approx([0.25, 0.5], abs=1e-3)


@pytest.mark.parametrize("name", profiles())
def test_a_reply_that_was_cut_off_has_no_point(name: str) -> None:
    profile = get_profile(name)
    cut = parse_point(OWN[name], profile=profile, size=SQUARE, finish_reason="length")
    assert (cut.outcome, cut.value) == (Outcome.TRUNCATED, None)
    thinking = parse_point(f"<think>{OWN[name]}", profile=profile, size=SQUARE)
    assert (thinking.outcome, thinking.value) == (Outcome.TRUNCATED, None)


@pytest.mark.parametrize("name", profiles())
def test_no_beginning_of_a_reply_means_another_place(name: str) -> None:
    """Where a server does not say that it cut a reply off, a part of a box is no point."""
    profile = get_profile(name)
    for length in range(len(OWN[name])):
        answer = parse_point(OWN[name][:length], profile=profile, size=SQUARE)
        assert answer.value is None or answer.value == pytest.approx([0.25, 0.5], abs=1e-3)


WIDE = str.maketrans({c: chr(ord(c) + 0xFEE0) for c in "0123456789.,()[]"})
BRACKETED = [name for name, text in OWN.items() if set(text) <= set("0123456789.,()[] ")]


@pytest.mark.parametrize("name", BRACKETED)
def test_full_width_digits_and_brackets(name: str) -> None:
    answer = parse_point(OWN[name].translate(WIDE), profile=get_profile(name), size=SQUARE)
    assert answer.value == pytest.approx([0.25, 0.5], abs=1e-3), answer.reason


ABSENT = [
    "There is no such button on this screen.", "I cannot find the Save icon.", "Not found",
    "The element is not visible in the screenshot.", "None", "N/A", "页面上没有找到该按钮。",
    "该元素不在当前截图中", "截图中没有“保存”按钮。", "屏幕上不存在这个图标", "无法找到该元素",
    "无",
]  # fmt: skip
WITHHELD = [
    "I'm sorry, but I can't help with that.", "I cannot assist with this request.",
    "抱歉，我无法提供帮助。", "对不起，我不能协助完成这个请求。",
]  # fmt: skip
SAYS_NOTHING = [
    "Yes", "OK, I will click the button.", "There is no problem; click Save.",
    "没有问题，我来点击。",
    "I can't see any image.", "I cannot see the screenshot, please upload it.", "我看不到图片",
    "Sure!", "The Save button.", "?", "[]", "{}", "()", "click()", "12", "1.2.3", "v1.2, build 34",
]  # fmt: skip


@pytest.mark.parametrize("name", profiles())
def test_absent_withheld_and_neither(name: str) -> None:
    profile = get_profile(name)
    for text in ABSENT:
        answer = parse_point(text, profile=profile, size=SQUARE)
        assert (answer.outcome, answer.reason) == (Outcome.REFUSED, TARGET_ABSENT), text
    for text in WITHHELD:
        answer = parse_point(text, profile=profile, size=SQUARE)
        assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "policy"), text
    for text in SAYS_NOTHING:
        answer = parse_point(text, profile=profile, size=SQUARE)
        assert (answer.outcome, answer.value) == (Outcome.UNPARSEABLE, None), text


@pytest.mark.parametrize("name", ["ui-venus", "ui-venus-1.5"])
@pytest.mark.parametrize("text", ["[-1,-1]", "[-1, -1, -1, -1]", "(-1, -1)", "[[-1,-1]]"])
def test_minus_one_is_a_refusal_where_the_family_says_so(name: str, text: str) -> None:
    assert read(name, (1000, 1000), text).reason == TARGET_ABSENT
    assert read("permille", (1000, 1000), text).outcome is Outcome.UNPARSEABLE


class TestBoxes:
    @pytest.mark.parametrize(
        ("profile", "text", "expected"),
        [
            ("pixel", "[100, 200, 300, 400]", [0.1, 0.2, 0.3, 0.4]),
            ("qwen2-vl", "<|box_start|>(100,200),(300,400)<|box_end|>", [0.1, 0.2, 0.3, 0.4]),
            ("internvl", "<box>[[100, 200, 300, 400]]</box>", [0.1, 0.2, 0.3, 0.4]),
            ("gemini", '{"box_2d": [200, 100, 400, 300]}', [0.1, 0.2, 0.3, 0.4]),
            ("gemini", '{"box_2d": "[200, 100, 400, 300]"}', [0.1, 0.2, 0.3, 0.4]),
            ("gpt", "[[0.1, 0.2, 0.3, 0.4]]", [0.1, 0.2, 0.3, 0.4]),
            ("percent", '{"bbox": [[10, 20], [30, 40]]}', [0.1, 0.2, 0.3, 0.4]),
            ("permille", '{"x1": 100, "y1": 200, "x2": 300, "y2": 400}', [0.1, 0.2, 0.3, 0.4]),
        ],
    )
    def test_box(self, profile: str, text: str, expected: list[float]) -> None:
        answer = parse_box(text, profile=get_profile(profile), size=SQUARE)
        assert answer.value == pytest.approx(expected), answer.reason

    def test_a_point_is_no_box(self) -> None:
        answer = parse_box("(1, 2)", profile=get_profile("pixel"), size=SQUARE)
        assert (answer.outcome, answer.reason) == (NONE, "a point, expected a box")

    @pytest.mark.parametrize("text", ["[300, 200, 100, 400]", "[100, 400, 300, 200]"])
    def test_reversed_corners_are_no_box(self, text: str) -> None:
        answer = parse_box(text, profile=get_profile("pixel"), size=SQUARE)
        assert answer.reason is not None
        assert "its corners are reversed" in answer.reason


def test_the_space_of_the_call_takes_the_place_of_the_profiles() -> None:
    sent = scaled(Size(500, 250))
    answer = parse_point("(250, 125)", profile=get_profile("pixel"), size=SQUARE, space=sent)
    assert answer.value == [0.5, 0.5]


def test_percent_signs_say_the_space() -> None:
    answer = read("pixel", (1000, 1000), "50%, 20%")
    assert (answer.value, answer.repair) == ([0.5, 0.2], "percent signs")
    assert read("percent", (1000, 1000), "50%, 20%").repair is None


def test_an_image_that_a_space_cannot_hold_is_unreadable() -> None:
    answer = read("qwen2.5-vl", (100_000, 10), "[5, 5]")
    assert answer.outcome is Outcome.UNPARSEABLE
    assert answer.reason is not None
    assert "aspect ratio" in answer.reason


def test_long_replies_count_by_their_end() -> None:
    assert read("pixel", (1000, 1000), "Look. " * 50_000 + "\nAnswer: (500, 600)").value


# How each syntax writes a place; every profile reads back what its own syntaxes wrote.
def _json(profile: Profile, x: str, y: str) -> str:
    first = f"[{y}, {x}]" if profile.y_first else f"[{x}, {y}]"
    return f'[{{"point": {first}, "label": "Save (1, 2)"}}]'


WRITERS: dict[str, Callable[[Profile, str, str], str]] = {
    "json": _json,
    "call": lambda _, x, y: f"pyautogui.click(x={x}, y={y})",
    "point_tag": lambda _, x, y: f"<point>{x} {y}</point>",
    "molmo_tag": lambda _, x, y: f'<point x="{x}" y="{y}" alt="a">a</point>',
    "box_tag": lambda _, x, y: f"<|box_start|>({x},{y}),({x},{y})<|box_end|>",
    "corner_pairs": lambda _, x, y: f"({x},{y}),({x},{y})",
    "brackets": lambda _, x, y: f"[{x}, {y}]",
    "named": lambda _, x, y: f"x={x}, y={y}",
    "bare": lambda _, x, y: f"{x}, {y}",
}
PAIRS = [
    pytest.param(name, syntax, id=f"{name}-{syntax}")
    for name, profile in profiles().items()
    for syntax in profile.syntaxes
]


@pytest.mark.parametrize(("name", "syntax"), PAIRS)
@settings(max_examples=20)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(30, 4000), st.integers(30, 4000))
def test_what_a_syntax_writes_is_read_back(
    name: str, syntax: str, x: float, y: float, width: int, height: int
) -> None:
    profile, size = get_profile(name), Size(width, height)
    space = profile.coordinates
    there = Point(x, y, UNIT).to(space, size)
    text = WRITERS[syntax](profile, f"{there.x:.4f}", f"{there.y:.4f}")
    answer = parse_point(text, profile=profile, size=size)
    assert answer.outcome is Outcome.OK, answer.reason
    across, down = space.extent(size)
    assert answer.value[0] == pytest.approx(x, abs=1e-4 / across + 1e-9)
    assert answer.value[1] == pytest.approx(y, abs=1e-4 / down + 1e-9)


SIDE = st.tuples(st.integers(0, 1000), st.integers(0, 1000)).map(sorted)


@given(SIDE, SIDE)
def test_a_box_scores_by_its_centre(across: list[int], down: list[int]) -> None:
    (x1, x2), (y1, y2) = across, down
    text = f"[{x1}, {y1}, {x2}, {y2}]"
    answer = parse_point(text, profile=get_profile("permille"), size=SQUARE)
    assert answer.value == pytest.approx([(x1 + x2) / 2000, (y1 + y2) / 2000])


WORDS = st.sampled_from(
    [
        *(
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            ";",
            "1",
            "2.5",
            "-3",
            "999",
            ".",
            "%",
            "x=",
            "y=",
            '"',
        ),
        *("click(", "drag(", "<point>", "</point>", "<box>", "</box>", "<|box_start|>", "\n", ":"),
        *(
            '"point":',
            '"box_2d":',
            '"x":',
            '"y":',
            '{"action":',
            '"click"',
            "Answer:",
            "not",
            "没有",
        ),
        *(
            "<think>",
            "</think>",
            "<point x=",
            "none",
            "(1, 2)",
            "[1,2,3,4]",
            "５",
            "，",
            "1e9",
            "NaN",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join))


@given(TEXTS, st.sampled_from(sorted(profiles())))
def test_any_text_is_read_under_any_profile(text: str, name: str) -> None:
    profile = get_profile(name)
    point = parse_point(text, profile=profile, size=Size(640, 480))
    box = parse_box(text, profile=profile, size=Size(640, 480))
    json.dumps([point.value, box.value], allow_nan=False)
    assert (point.value is not None) == (point.outcome is Outcome.OK)
    assert point.value is None or len(point.value) == 2
    assert box.value is None or len(box.value) == 4
    assert box.value is None or point.value is not None
    if profile.coordinates in {UNIT, PERMILLE} and point.value is not None:
        assert all(0 <= number <= 1 for number in point.value)


PIECES = [
    "9", "[", "(", "(9 ", "<point>", "<box>", "click(", "(1,2)", '{"a":', "<|box_start|>", "-1.",
    "x=1 ", "没有", '{"x":1,"y":2}', "%", "9%", "<point x ", "answer:\n", "there is no ", "1,",
    "1 ",
    "pyautogui.", "click(x=1, ", "[[1,2,3,4]]", "<point>1 2</point>", "x1=\"1\" ", "（", "５",
    "<think>",
    '{"action": "click"}', "not found ", "(1, 2)\n", "finished()", ". Answer: ", "<answer>",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=map(repr, PIECES))
@pytest.mark.parametrize("name", ["pixel", "gemini"])
def test_a_megabyte_of(piece: str, name: str) -> None:
    """In one go: a quadratic reader would hang here for minutes."""
    text = piece * (1_000_000 // len(piece))
    answer = parse_point(text, profile=get_profile(name), size=SQUARE)
    assert answer.reason is None or len(answer.reason) < 400
