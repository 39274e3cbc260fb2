import json
from typing import Any

import pytest

from screenmark.answers import parse_elements
from screenmark.geometry import PERCENT, PERMILLE, PIXEL, UNIT, Size, Space, SpaceError, resized
from screenmark.types import Json, Outcome

A = {"type": "text", "index": 0, "description": "Home", "coordinates": [1, 2, 30, 40]}
B = {"type": "icon", "index": 1, "description": "搜索", "coordinates": [5, 6, 70, 80]}
a = json.dumps(A)
b = json.dumps(B, ensure_ascii=False)


def bare(*corners: float, kind: str = "unknown", index: int = 0, text: str = "") -> Json:
    return {"type": kind, "index": index, "description": text, "coordinates": list(corners)}


COMPLETE: dict[str, tuple[str, list[Json], str | None]] = {
    "strict": (f"[{a}, {b}]", [A, B], None),
    "strict-over-many-lines": (json.dumps([A, B], indent=2), [A, B], None),
    "byte-order-mark": (f"\ufeff[{a}]", [A], None),
    "blank-lines": (f"\n\n [{a}]\n", [A], None),
    "explicitly-empty": ("[]", [], None),
    "explicitly-empty-spaced": ("[ ]", [], None),
    "empty-fenced": ("```json\n[]\n```", [], "fenced"),
    "empty-wrapped": ('{"elements": []}', [], None),
    "empty-in-prose": ("There are no elements on this page: []", [], "prose"),
    "wrapped-elements": (f'{{"elements": [{a}, {b}]}}', [A, B], None),
    "wrapped-ui-elements": (f'{{"ui_elements": [{a}]}}', [A], None),
    "wrapped-result": (f'{{"code": 0, "result": [{a}]}}', [A], None),
    "wrapped-twice": (f'{{"data": {{"elements": [{a}]}}}}', [A], None),
    "wrapped-own-name": (f'{{"page": "login", "controls": [{a}, {b}]}}', [A, B], None),
    "wrapped-sections": (f'{{"header": [{a}], "body": [{b}]}}', [A, B], None),
    "annotation-format": (f'[{{"image_path": "x.png", "elements": [{a}, {b}]}}]', [A, B], None),
    "keyed-by-number": (f'{{"0": {a}, "1": {b}}}', [A, B], None),
    "list-in-list": (f"[[{a}], [{b}]]", [A, B], None),
    "children": (a[:-1] + f', "children": [{b}]}}', [A, B], "single_object"),
    "tool-call": (
        f'<tool_call>{{"name": "report", "arguments": {{"elements": [{a}]}}}}</tool_call>',
        [A],
        "prose",
    ),
    "windows-line-ends": (f"```json\r\n[{a}]\r\n```\r\n", [A], "fenced"),
    "answer-tags": (f"<answer>[{a}]</answer>", [A], "prose"),
    "empty-in-answer-tags": ("<answer>[]</answer>", [], "prose"),
    "single-object": (a, [A], "single_object"),
    "single-object-fenced": (f"```\n{a}\n```", [A], "fenced+single_object"),
    "qwen-bbox-2d-fenced": (
        '```json\n[\n\t{"bbox_2d": [1, 2, 3, 4], "label": "Save"}\n]\n```',
        [bare(1, 2, 3, 4, text="Save")],
        "fenced",
    ),
    "qwen-chat-before-fence": (
        "Here are the UI elements:\n\n```json\n"
        '[{"bbox_2d": [1, 2, 3, 4], "label": "button", "text_content": "OK"}]\n```\n\nDone.',
        [bare(1, 2, 3, 4, text="button")],
        "fenced",
    ),
    "glm-box-tokens": (f"<|begin_of_box|>[{a}]<|end_of_box|>", [A], "prose"),
    "chinese-prose": (f"以下是页面元素：\n[{a}, {b}]\n共2个元素。", [A, B], "prose"),
    "chinese-fence": (f"识别结果如下：\n```json\n[{b}]\n```\n以上。", [B], "fenced"),
    "chinese-keys": (
        '[{"类型": "按钮", "序号": 3, "描述": "登录", "坐标": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, kind="按钮", index=3, text="登录")],
        None,
    ),
    "prose-with-citation": (f"As in [1], the list is [{a}].", [A], "prose"),
    "prose-with-apostrophes": (f"Here's what's on the user's page: [{a}]", [A], "prose"),
    "template-echoed": (
        'Format: [{"type": ..., "coordinates": [x1, y1, x2, y2]}]\nAnswer: [' + a + "]",
        [A],
        "prose+several_arrays+repaired",
    ),
    "several-arrays": (f"[{a}]\n[{b}]", [A, B], "several_arrays"),
    "several-arrays-with-headings": (
        f"## Header\n[{a}]\n## Body\n[{b}]",
        [A, B],
        "prose+several_arrays",
    ),
    "array-then-object": (f"[{a}]\n{b}", [A, B], "several_arrays"),
    "json-lines": (f"{a}\n{b}\n", [A, B], "json_lines"),
    "json-lines-fenced": (f"```jsonl\n{a}\n{b}\n```", [A, B], "fenced+json_lines"),
    "objects-with-commas": (f"{a},\n{b},", [A, B], "json_lines"),
    "numbered-list": (f"1. {a}\n2. {b}", [A, B], "prose+json_lines"),
    "last-fence-wins": (f"```json\n[{a}]\n```\nBetter:\n```json\n[{b}]\n```", [B], "fenced"),
    "fence-without-elements": (
        f'```json\n[{a}]\n```\nMeta:\n```json\n{{"count": 1}}\n```',
        [A],
        "fenced",
    ),
    "thinking": (f"<think>maybe [{b}]</think>\n[{a}]", [A], "thinking"),
    "thinking-fence": (f"<think>hm</think>```json\n[{a}]\n```", [A], "thinking+fenced"),
    "thinking-opening-lost": (f"The page is…\n</think>\n\n[{a}]", [A], "thinking"),
    "thinking-kimi": (f"◁think▷[{b}]◁/think▷[{a}]", [A], "thinking"),
    "thinking-several": (
        f"<think>1</think>[{a}]<reasoning>2</reasoning>\n[{b}]",
        [A, B],
        "thinking+several_arrays",
    ),
    "tag-in-description": (
        '[{"bbox": [1, 2, 3, 4], "text": "<think>"}]',
        [bare(1, 2, 3, 4, text="<think>")],
        None,
    ),
    "trailing-comma": (f"[{a}, {b},]", [A, B], "repaired"),
    "trailing-comma-inside": ('[{"bbox": [1, 2, 3, 4,], }]', [bare(1, 2, 3, 4)], "repaired"),
    "comma-missing": (f"[{a}\n{b}]", [A, B], "repaired"),
    "python-list": (repr([A, B]), [A, B], "repaired"),
    "python-none": (
        "[{'bbox': [1, 2, 3, 4], 'text': None, 'visible': True}]",
        [bare(1, 2, 3, 4)],
        "repaired",
    ),
    "comments": (f"[{a}, // the logo\n{b}]", [A, B], "repaired"),
    "ellipsis-comment": (f"[{a}, {b} /* and so on */]", [A, B], "repaired"),
    "unquoted-keys": (
        '[{type: "text", bbox: [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, kind="text")],
        "repaired",
    ),
    "unescaped-quotes": (
        '[{"text": "Say "hi" to us", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text='Say "hi" to us')],
        "repaired",
    ),
    "inch-mark": (
        '[{"text": "12" screen", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text='12" screen')],
        "repaired",
    ),
    "full-width": (
        "【{“type”：“text”，“description”：“首页”，“coordinates”：【1，2，3，4】}】",
        [bare(1, 2, 3, 4, kind="text", text="首页")],
        "repaired",
    ),
    "full-width-quotes-in-text": (
        '[{"text": "点击“确定”，继续", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text="点击“确定”，继续")],
        None,
    ),
    "braces-in-text": (
        'So: [{"text": "}]{[", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text="}]{[")],
        "prose",
    ),
    "fence-in-text": (
        'So: [{"text": "```json", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text="```json")],
        "prose",
    ),
    "refusal-in-text": (
        '[{"text": "Sorry, I can\'t help with that.", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text="Sorry, I can't help with that.")],
        None,
    ),
    "refusal-then-answer": (f"I'm sorry, but I can't list all of them: [{a}]", [A], "prose"),
    "no-type-no-index": (
        '[{"bbox": [1, 2, 3, 4]}, {"bbox": [5, 6, 7, 8]}]',
        [bare(1, 2, 3, 4), bare(5, 6, 7, 8, index=1)],
        None,
    ),
    "number-as-text": (
        '[{"text": 42, "type": 7, "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, kind="7", text="42")],
        None,
    ),
    "keys-in-capitals": (
        '[{"Type": "icon", "Coordinates": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, kind="icon")],
        None,
    ),
    "fractions-stay": ('[{"bbox": [1.5, 2, 3.25, 4.0]}]', [bare(1.5, 2, 3.25, 4.0)], None),
    "outside-the-image": ('[{"bbox": [-5, -6, 9000, 80]}]', [bare(-5, -6, 9000, 80)], None),
    "doubled-key": ('[{"bbox": [9, 9, 9, 9], "bbox": [1, 2, 3, 4]}]', [bare(1, 2, 3, 4)], None),
    "null-character": (
        '[{"text": "a\\u0000b", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text="a\0b")],
        None,
    ),
    "surrogate-pair": (
        '[{"text": "\\ud83d\\ude00", "bbox": [1, 2, 3, 4],}]',
        [bare(1, 2, 3, 4, text="😀")],
        "repaired",
    ),
    "lone-surrogate": (
        '[{"text": "a\\ud83d", "bbox": [1, 2, 3, 4]}]',
        [bare(1, 2, 3, 4, text="a\ufffd")],
        None,
    ),
}


@pytest.mark.parametrize(("text", "value", "repair"), COMPLETE.values(), ids=COMPLETE.keys())
def test_complete_reply(text: str, value: list[Json], repair: str | None) -> None:
    answer = parse_elements(text, finish_reason="stop")
    assert (answer.outcome, answer.reason) == (Outcome.OK, None)
    assert answer.value == value
    assert answer.repair == repair
    for element, expected in zip(answer.value, value, strict=True):
        assert [type(v) for v in element["coordinates"]] == [
            type(v) for v in expected["coordinates"]
        ]


DROPPED: dict[str, tuple[str, str]] = {
    "word-in-box": (
        '{"bbox": [1, 2, "abc", 4]}',
        "element 1: bbox[2] is not a number: 'abc'",
    ),
    "not-finite": ('{"bbox": [1, 2, NaN, 4]}', "element 1: bbox[2] is not finite"),
    "infinite": ('{"bbox": [1, 2, -Infinity, 4]}', "element 1: bbox[2] is not finite"),
    "swapped": ('{"bbox": [3, 2, 1, 4]}', "element 1: x2 < x1 in [3, 2, 1, 4]"),
    "no-area": ('{"bbox": [1, 2, 3, 2]}', "element 1: y2 = y1 in [1, 2, 3, 2]"),
    "no-box": (
        '{"type": "text"}',
        "element 1: no box under coordinates, bbox, bbox_2d, box, bounds or the like",
    ),
    "empty-object": (
        "{}",
        "element 1: no box under coordinates, bbox, bbox_2d, box, bounds or the like",
    ),
    "runaway-digits": (
        '{"bbox": [1, 2, ' + "9" * 5000 + ", 4]}",
        f"element 1: bbox[2] is not a number: '{'9' * 37}…'",
    ),
    "a-string": ('"header"', "element 1: not an object: 'header'"),
    "null": ("null", "element 1: not an object: None"),
    "box-in-unknown-place": (
        '{"text": "Save", "size": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}}',
        "element 1: no box under coordinates, bbox, bbox_2d, box, bounds or the like",
    ),
    "gemini": (
        '{"box_2d": [1, 2, 3, 4]}',
        "element 1: box_2d may be y first; only a model profile can say so",
    ),
    "lone-surrogate-in-reason": (
        '{"bbox": "\\udc00"}',
        "element 1: bbox is not a box: '\\udc00'",
    ),
    "bracket-never-closed": ('{"bbox": [1, 2, 3, 4}', "element 1: its brackets do not match"),
    "brace-never-closed": ('{"bbox": [1, 2, 3, 4]', "element 1: its closing brace is missing"),
    "colon-missing": ('{"bbox" [1, 2, 3, 4]}', "element 1: a value stands without its key"),
    "quote-missing": (
        '{"text": "Save, "bbox": [1, 2, 3, 4]}',
        "element 1: a colon stands where none can be",
    ),
}


@pytest.mark.parametrize(("bad", "reason"), DROPPED.values(), ids=DROPPED.keys())
def test_bad_element_is_dropped_and_the_others_survive(bad: str, reason: str) -> None:
    answer = parse_elements(f"[{a}, {bad}, {b}]")
    assert answer.outcome is Outcome.OK
    assert answer.value == [A, B]
    assert answer.dropped == (reason,)


@pytest.mark.parametrize(("bad", "reason"), DROPPED.values(), ids=DROPPED.keys())
def test_all_dropped_is_unparseable(bad: str, reason: str) -> None:
    answer = parse_elements(f"[{bad.replace('element 1', 'element 0')}, {{}}]")
    assert answer.outcome is Outcome.UNPARSEABLE
    assert answer.value is None
    assert answer.reason == "no usable element: " + reason.replace("element 1", "element 0")


def test_text_that_is_no_text_is_set_aside_and_the_box_kept() -> None:
    answer = parse_elements('[{"bbox": [1, 2, 3, 4], "text": ["a", "b"], "type": {"x": 1}}]')
    assert answer.value == [bare(1, 2, 3, 4)]
    assert answer.dropped == (
        "element 0: type is not text: an object; read as 'unknown'",
        "element 0: text is not text: a list of 2; read as ''",
    )


def test_earlier_fence_is_named() -> None:
    answer = parse_elements(f"```json\n[{a}]\n```\nBetter:\n```json\n[{b}]\n```")
    assert answer.dropped == ("fenced block 1 of 2: a later block was read instead",)


def test_many_dropped_elements_are_counted() -> None:
    answer = parse_elements("[" + a + ", {}" * 250 + "]")
    assert len(answer.dropped) == 101
    assert answer.dropped[-1] == "and 150 more"


TRUNCATED: dict[str, tuple[str, list[Json] | None]] = {
    "in-a-string": (f'[{a}, {b}, {{"type": "te', [A, B]),
    "in-a-number": (f'[{a}, {b}, {{"coordinates": [10, 20, 30, 4', [A, B]),
    "before-the-brace": (f'[{a}, {b}, {{"coordinates": [10, 20, 30, 40]', [A, B]),
    "in-a-key": (f'[{a}, {b}, {{"coord', [A, B]),
    "after-a-colon": (f'[{a}, {b}, {{"coordinates":', [A, B]),
    "in-an-escape": (f'[{a}, {b}, {{"text": "\\u4f', [A, B]),
    "after-a-comma": (f"[{a}, {b},", [A, B]),
    "bracket-only-missing": (f"[{a}, {b}", [A, B]),
    "in-a-wrapper": (f'{{"elements": [{a}, {b}, {{"ty', [A, B]),
    "behind-the-list-in-a-wrapper": (f'{{"elements": [{a}, {b}], "summ', [A, B]),
    "in-a-fence": (f'```json\n[{a}, {b}, {{"type"', [A, B]),
    "after-prose": (f'Here you are:\n[{a}, {b}, {{"type"', [A, B]),
    "json-lines": (f'{a}\n{b}\n{{"type": "text", "coordinates": [1, 2, 3, 4]', [A, B]),
    "behind-thinking": (f"<think>x</think>[{a}, {b}, {{", [A, B]),
    "single-quotes": (f"{[A, B]!r}"[:-1] + ", {'type': 'te", [A, B]),
    "first-element": ('[{"type": "text", "coordinates": [1, 2, 3, 4]', None),
    "single-object": ('{"type": "text", "coordinates": [1, 2, 3, 4]', None),
    "runaway-nesting": ('[{"a":' * 200, None),
}


@pytest.mark.parametrize("finish_reason", ["length", "stop", None])
@pytest.mark.parametrize(("text", "value"), TRUNCATED.values(), ids=TRUNCATED.keys())
def test_cut_off_json(text: str, value: list[Json] | None, finish_reason: str | None) -> None:
    answer = parse_elements(text, finish_reason=finish_reason)
    assert answer.outcome is Outcome.TRUNCATED
    assert answer.value == value
    cause = "the token limit was met" if finish_reason == "length" else "the JSON is never closed"
    assert answer.reason == f"{cause}; complete elements kept: {len(value or [])}"
    assert answer.repair is not None
    assert answer.repair.endswith("truncated")


@pytest.mark.parametrize(
    ("text", "finish_reason", "value", "reason"),
    [
        (f"[{a}]", "length", [A], "the token limit was met; complete elements kept: 1"),
        ("[]", "length", [], "the token limit was met; complete elements kept: 0"),
        ("The page shows", "length", None, "the token limit was met; complete elements kept: 0"),
        ("", "length", None, "the token limit was met; complete elements kept: 0"),
        (f"<think>draft [{a}]", "stop", None, "the thinking block never ends"),
        (f"<think>draft [{a}]", "length", None, "the thinking block never ends"),
        (f"◁think▷draft [{a}]", None, None, "the thinking block never ends"),
    ],
    ids=[
        "complete",
        "empty-list",
        "prose",
        "nothing",
        "thinking",
        "thinking-at-the-limit",
        "thinking-kimi",
    ],
)
def test_cut_off(text: str, finish_reason: str | None, value: Json, reason: str) -> None:
    answer = parse_elements(text, finish_reason=finish_reason)
    assert (answer.outcome, answer.value, answer.reason) == (Outcome.TRUNCATED, value, reason)


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff", "<think>x</think>", "<think></think>\n"])
def test_empty(text: str) -> None:
    answer = parse_elements(text, finish_reason="stop")
    assert (answer.outcome, answer.value) == (Outcome.EMPTY, None)
    assert answer.reason == "the reply holds no text"


@pytest.mark.parametrize(
    ("text", "finish_reason", "value"),
    [
        ("I'm sorry, but I can't assist with that request.", "stop", None),
        ("抱歉，我无法协助处理这张图片。", None, None),
        ("<think>Is that allowed?</think>I cannot help with this.", None, None),
        ("", "content_filter", None),
        ("", "refusal", None),
        (f'[{a}, {{"ty', "content_filter", [A]),
        ("<think>x", "content_filter", None),
    ],
    ids=["english", "chinese", "thought", "filter", "refusal", "filter-late", "filter-thinking"],
)
def test_refused(text: str, finish_reason: str | None, value: Json) -> None:
    answer = parse_elements(text, finish_reason=finish_reason)
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "policy")
    assert answer.value == value


UNPARSEABLE = {
    "prose": "The page has a login button and two input fields.",
    "markdown-table": "| type | box |\n| --- | --- |\n| text | [1, 2, 3, 4] |",
    "boxes-without-elements": "[[1, 2, 3, 4], [5, 6, 7, 8]]",
    "one-box": "[1, 2, 3, 4]",
    "grounding-tokens": "<ref>Save</ref><box>(1,2),(3,4)</box>",
    "point": "(12, 34)",
    "yaml": "- type: text\n  bbox: [1, 2, 3, 4]",
    "xml": '<node text="Save" bounds="[1,2][3,4]"/>',
    "html": "<button>Save</button>",
    "tick-boxes": "- [ ] Save\n- [x] Open",
    "number": "42",
    "string": '"none"',
    "null": "null",
    "list-of-words": '["Save", "Open"]',
    "empty-object": "{}",
    "no-image": "I can't see any image. Please upload the screenshot.",
    "fence-of-code": "```python\nprint('x')\n```",
    "api-error": "Failed to obtain answer via API.",
}


@pytest.mark.parametrize("text", UNPARSEABLE.values(), ids=UNPARSEABLE.keys())
def test_unparseable(text: str) -> None:
    answer = parse_elements(text, finish_reason="stop")
    assert (answer.outcome, answer.value) == (Outcome.UNPARSEABLE, None)
    assert answer.reason is not None
    assert answer.reason.startswith("expected a JSON list of elements")
    assert answer.reason.endswith(f"got {text[:80]!r}")


def test_reason_shows_no_more_than_the_beginning() -> None:
    answer = parse_elements("word " * 1000)
    assert answer.reason is not None
    assert len(answer.reason) < 200


FULL_HD = Size(1920, 1080)


@pytest.mark.parametrize(
    ("space", "corners"),
    [
        (UNIT, [0.25, 0.5, 0.75, 1.0]),
        (PERMILLE, [250, 500, 750, 1000]),
        (PERCENT, [25, 50, 75, 100]),
        (resized(28, 3136, 12845056), [483, 546, 1449, 1092]),
        (PIXEL, [480, 540, 1440, 1080]),
    ],
    ids=lambda value: str(value) if isinstance(value, Space) else "",
)
def test_every_space_ends_in_pixels(space: Space, corners: list[float]) -> None:
    text = json.dumps([{"bbox": corners}])
    answer = parse_elements(text, space=space, size=FULL_HD)
    assert answer.value[0]["coordinates"] == pytest.approx([480, 540, 1440, 1080])


def test_out_of_range_is_never_rescaled() -> None:
    answer = parse_elements('[{"bbox": [0.5, 0.5, 700, 800]}]', space=UNIT, size=FULL_HD)
    assert answer.value[0]["coordinates"] == [960, 540, 700 * 1920, 800 * 1080]


@pytest.mark.parametrize("space", [UNIT, PERMILLE, PERCENT, resized(28, 3136, 12845056)], ids=str)
def test_a_space_without_size_is_a_mistake_of_the_caller(space: Space) -> None:
    with pytest.raises(ValueError, match="need the size of the original image"):
        parse_elements("", space=space)


def test_an_image_that_the_space_cannot_hold() -> None:
    with pytest.raises(SpaceError, match="aspect ratio"):
        parse_elements("", space=resized(28, 0, 10**6), size=Size(10_000, 10))


def test_value_can_be_written_as_strict_json() -> None:
    text = '[{"text": "\ud800 \\ud83d", "index": 1e999, "bbox": [1, 2, 3, 4]}, {"bbox": [NaN]}]'
    answer = parse_elements(text)
    written = json.dumps(answer.value, allow_nan=False, ensure_ascii=False).encode()
    assert json.loads(written) == [bare(1, 2, 3, 4, text="\ufffd \ufffd")]


def test_elements_are_not_shared_between_answers() -> None:
    one: list[Any] = parse_elements(f"[{a}]").value
    one[0]["coordinates"].append(5)
    assert parse_elements(f"[{a}]").value == [A]
