"""Each form of a mark by itself, and JSON under its many keys."""

from __future__ import annotations

import json

import pytest

from screenmark.answers.json_marks import json_marks
from screenmark.answers.mark import Finding, Mark, NotAClick, is_click, is_other_action
from screenmark.answers.marks import SYNTAXES, find_marks
from screenmark.types import Json


def numbers(found: list[Finding]) -> list[tuple[float, ...]]:
    return [finding.numbers for finding in found if isinstance(finding, Mark)]


def actions(found: list[Finding]) -> list[str]:
    return [finding.action for finding in found if isinstance(finding, NotAClick)]


FORMS: list[tuple[str, str, list[tuple[float, ...]]]] = [
    ("brackets", "(1, 2)", [(1, 2)]),
    ("brackets", "[[1,2,3,4]]", [(1, 2, 3, 4)]),
    ("brackets", "【1，2】（3，4）", [(1, 2), (3, 4)]),
    ("brackets", "(.5, 0.25)", [(0.5, 0.25)]),
    ("brackets", "(012, 034)", [(12, 34)]),
    ("brackets", "(1px, 2px)", [(1, 2)]),
    ("brackets", "( 1 ; 2 )", [(1, 2)]),
    ("brackets", "(1, 2, 3)", []),
    ("brackets", "(1, 2, 3, 4, 5)", []),
    ("brackets", "(1,299.00)", [(1, 299)]),
    ("brackets", "(a1, 2)", []),
    ("brackets", "(1.2.3, 4)", []),
    ("brackets", "(1e3, 4)", []),
    ("brackets", "(1234567890123, 4)", []),
    ("brackets", "(1, 2", []),
    ("brackets", "(1, 2), (3, ", []),
    ("brackets", "(1, 2),", []),
    ("corner_pairs", "(1,2),(3,4)", [(1, 2, 3, 4)]),
    ("corner_pairs", "[1, 2] [3, 4]", [(1, 2, 3, 4)]),
    ("corner_pairs", "(1,2) or (3,4)", []),
    ("named", "x=1, y=2", [(1, 2)]),
    ("named", "x: 1 and y: 2", [(1, 2)]),
    ("named", 'X = 1\nY = 2', [(1, 2)]),
    ("named", "x1=1, y1=2", []),
    ("named", "max=1, y=2", []),
    ("bare", "1, 2", [(1, 2)]),
    ("bare", "1 2 3 4", [(1, 2, 3, 4)]),
    ("bare", "`1, 2.`", [(1, 2)]),
    ("bare", "1, 2, 3", []),
    ("bare", "at 1, 2", []),
    ("point_tag", "<point>1 2</point>", [(1, 2)]),
    ("point_tag", "<|point_start|>(1,2)<|point_end|>", [(1, 2)]),
    ("point_tag", "<point>1 2", []),
    ("point_tag", "<point>1 2 3</point>", []),
    ("box_tag", "<box>1 2 3 4</box>", [(1, 2, 3, 4)]),
    ("box_tag", "<|box_start|>(1,2),(3,4)<|box_end|>", [(1, 2, 3, 4)]),
    ("box_tag", "<|begin_of_box|>[1,2,3,4]<|end_of_box|>", [(1, 2, 3, 4)]),
    ("box_tag", "<box>[[1,2,3,4],[5,6,7,8]]</box>", []),
    ("molmo_tag", '<point x="1.5" y="2" alt="3, 4">', [(1.5, 2)]),
    ("molmo_tag", '<points x1="1" y1="2" x2="3" y2="4" alt="a">', [(1, 2), (3, 4)]),
    ("molmo_tag", '<points x1="1" x2="3" y2="4">', [(3, 4)]),
    ("call", "click(1, 2)", [(1, 2)]),
    ("call", "pyautogui.click(y=2, x=1)", [(1, 2)]),
    ("call", "click(start_box='(1,2)')", [(1, 2)]),
    ("call", "click(start_box='<|box_start|>(1,2)<|box_end|>')", [(1, 2)]),
    ("call", "click(point='<point>1 2</point>')", [(1, 2)]),
    ("call", "CLICK(box=[[1,2,3,4]], element_info='[a] (5, 6)')", [(1, 2, 3, 4)]),
    ("call", "click(x=1, y=2, clicks=2, button='left')", [(1, 2)]),
    ("call", "click(point='1 2')", [(1, 2)]),
    ("call", "click(1, 2", []),
    ("call", "onclick(1, 2)", []),
    ("call", "drag(1, 2)", []),
]  # fmt: skip


@pytest.mark.parametrize(("syntax", "text", "expected"), FORMS)
def test_form(syntax: str, text: str, expected: list[tuple[float, ...]]) -> None:
    assert numbers(SYNTAXES[syntax](text, False)) == expected


JSON_MARKS: list[tuple[str, Json, list[tuple[float, ...]]]] = [
    ("point", {"point": [1, 2]}, [(1, 2)]),
    ("point_2d", {"point_2d": [1, 2], "label": "(3, 4)"}, [(1, 2)]),
    ("coordinate of four", {"coordinate": [1, 2, 3, 4]}, [(1, 2, 3, 4)]),
    ("list of lists", {"bbox": [[1, 2], [3, 4]]}, [(1, 2, 3, 4)]),
    ("list in a list", {"bbox_2d": [[1, 2, 3, 4]]}, [(1, 2, 3, 4)]),
    ("text", {"box": "[1, 2, 3, 4]"}, [(1, 2, 3, 4)]),
    ("tag in text", {"start_box": "<point>1 2</point>"}, [(1, 2)]),
    ("texts", {"point": ["1", "2.5"]}, [(1, 2.5)]),
    ("x and y", {"x": 1, "y": 2}, [(1, 2)]),
    ("x and y inside", {"click": {"y": 2, "x": 1}}, [(1, 2)]),
    ("corners", {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}, [(1, 2, 3, 4)]),
    ("nested", {"a": {"b": [{"arguments": {"coordinate": [1, 2]}}]}}, [(1, 2)]),
    ("several", [{"point": [1, 2]}, {"point": [3, 4]}], [(1, 2), (3, 4)]),
    ("Chinese key", {"坐标": [1, 2]}, [(1, 2)]),
    ("click", {"action": "left_click", "coordinate": [1, 2]}, [(1, 2)]),
    ("three", {"point": [1, 2, 3]}, []),
    ("true", {"point": [True, False]}, []),
    ("null", {"point": None}, []),
    ("words", {"point": ["left", "top"]}, []),
    ("other key", {"image_size": [1, 2]}, []),
    ("corner and size", {"x": 1, "y": 2, "width": 3, "height": 4}, []),
    ("corner and size inside", {"bbox": {"x": 1, "y": 2, "w": 3, "h": 4}}, []),
    ("scroll", {"action": "scroll", "coordinate": [1, 2]}, []),
    ("drag", {"name": "drag_and_drop", "args": {"x": 1, "y": 2}}, []),
]


@pytest.mark.parametrize(
    ("value", "expected"), [pytest.param(*case[1:], id=case[0]) for case in JSON_MARKS]
)
def test_json(value: Json, expected: list[tuple[float, ...]]) -> None:
    assert numbers(json_marks(json.dumps(value, ensure_ascii=False), False)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"box_2d": [1, 2, 3, 4]}, (2, 1, 4, 3)),
        ({"point": [1, 2]}, (2, 1)),
        ({"point": "[1, 2]"}, (2, 1)),
        ({"point": {"x": 1, "y": 2}}, (1, 2)),
        ({"x": 1, "y": 2}, (1, 2)),
        ({"bbox_2d": [1, 2, 3, 4]}, (1, 2, 3, 4)),
    ],
)
def test_y_first_holds_for_the_keys_of_gemini_only(value: Json, expected: tuple[float]) -> None:
    assert numbers(json_marks(json.dumps(value), True)) == [expected]


@pytest.mark.parametrize(
    "text", ['[{"bbox_2d": [1, 2', '{"point": [1, 2', '{"bbox": [[1, 2], [3', '{"bbox": [1, 2,']
)
def test_json_that_was_cut_off_holds_no_mark(text: str) -> None:
    assert numbers(json_marks(text, False)) == []


def test_a_monster_of_nesting_ends() -> None:
    assert numbers(json_marks('{"a":' * 5000 + '{"point": [1, 2]}' + "}" * 5000, False)) == []


ORDER = [
    ("json first", ("json", "brackets"), '{"point": [1, 2]} (3, 4)', [(1, 2)], []),
    ("the later where the first has none", ("json", "brackets"), "(3, 4)", [(3, 4)], []),
    ("an object without a place", ("json", "brackets"), '{"size": [3, 4]}', [], [""]),
    ("an object, then a call", ("json", "call"), '{"a": 1}\nclick(3, 4)', [(3, 4)], []),
    ("another action", ("call", "brackets"), "scroll(3, 4) (5, 6)", [], ["scroll"]),
    ("a click among actions", ("call",), "wait()\nclick(3, 4)", [(3, 4)], []),
    ("an action that fails", ("call",), "terminate(status='failure')", [], ["terminate failure"]),
    ("a click without a place", ("call", "brackets"), "click('Save') (3, 4)", [],
     ["click without a point"]),
    ("a box that was cut off", ("box_tag", "brackets"), "<box>(1,2),(3", [], [""]),
    ("prose that looks like a call", ("call", "brackets"), "scroll (down) to (3, 4)", [(3, 4)], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("syntaxes", "text", "marks", "others"), [pytest.param(*c[1:], id=c[0]) for c in ORDER]
)
def test_order(
    syntaxes: tuple[str, ...], text: str, marks: list[tuple[float, ...]], others: list[str]
) -> None:
    found = find_marks(text, syntaxes)
    assert (numbers(found), actions(found)) == (marks, others)


@pytest.mark.parametrize(
    "name",
    [
        *("click", "left_click", "CLICK", "double_click", "leftDouble", "right_single", "Tap"),
        *("long_press", "click_absolute", "click_element", "click_at", "moveTo", "DOUBLE_CLICK"),
    ],
)
def test_clicks(name: str) -> None:
    assert is_click(name)
    assert not is_other_action(name)


@pytest.mark.parametrize(
    "name",
    [
        *("drag", "left_click_drag", "dragTo", "scroll", "SCROLL_DOWN", "swipe", "type", "hotkey"),
        *("wait", "finished", "terminate", "type_text_at", "write_element", "drag_and_drop"),
        *("open_app", "call_user", "screenshot", "END", "press_home", "navigate_back"),
    ],
)
def test_other_actions(name: str) -> None:
    assert is_other_action(name)
    assert not is_click(name)


def test_a_name_that_is_no_action_is_neither() -> None:
    assert not is_click("button")
    assert not is_other_action("button")
