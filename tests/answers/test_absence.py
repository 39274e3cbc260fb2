"""What says that a target is not on the screen, and what only sounds like it."""

from __future__ import annotations

import pytest

from screenmark.answers.absence import LONGEST, gives_up, says_absent

SAYS_SO = [
    "None", "null", "N/A", "not found", "target_absent", "\"none\"", "[None]", "**Not found.**",
    "无", "未找到", "不存在。", "There is no Save button on this page.", "There are none.",
    "There isn't any such icon.", "No such element.", "I don't see a Save button.",
    "I can't find the icon", "I could not locate it.", "The element cannot be found.",
    "Unable to locate the target.", "It doesn’t exist.", "The icon does not appear here.",
    "The button is not visible.", "The icon is not currently shown", "It isn't on this screen.",
    "页面上没有找到该按钮", "未发现保存按钮", "无法定位该元素", "屏幕上没有这个图标",
    "截图中不包含该按钮",
    "没有看到相关的按钮", "找不到目标", "该元素不在屏幕上", "它不在当前页面中",
    "There is no text \"Save\" on this page.", "There is no label called 'Save'.",
    "There is no title on this page.", "The icon does not appear to be on this screen.",
    "It doesn't seem to be present", "I can't see a Save button", "not visible",
    "There aren't any icons like that.", "图中没有该图标，无法点击",
    '{"point": null}', '{"bbox_2d": []}', "{'coordinate': None}", '{"target": "not found"}',
]  # fmt: skip
DOES_NOT = [
    "", "no", "yes", "OK", "Click Save.", "There is no problem.", "There is no need to scroll.",
    "没有问题，我来点击。", "I can't see any image.", "I cannot view the screenshot.",
    "I can't see the attached image, please send it.", "无法看到图片", "我看不到您的截图",
    "I'm sorry, but I can't help with that.", "对不起，我不能协助完成这个请求。", "无法提供帮助",
    "There is no label on it", "There is no text on the button, it is an icon.",
    "There isn't any caption.", "The icon does not appear to have a label",
    "It does not appear to be a button.", "I don't see why not", "I don't see any problem.",
    "I can't see a better choice than the top bar", "I cannot find any label on it.",
    "Unable to locate exact coordinates, but it is in the top right corner.",
    "I cannot find its label, but it is at the top.",
    "The search box is not visible because it is collapsed; expand it first.",
    "There are no more steps.", "There is no other way.", "图中没有问题，点击确定",
    "没有找到文字，但它在右上角",
    "The none-standard button", '{"label": null}', "It is visible.", "nonexistent",
    "There is no such button. " + "Let me explain. " * 40,
]  # fmt: skip


@pytest.mark.parametrize("text", SAYS_SO)
def test_absent(text: str) -> None:
    assert says_absent(text)


@pytest.mark.parametrize("text", DOES_NOT)
def test_not_absent(text: str) -> None:
    assert not says_absent(text)


def test_the_longest_text_that_counts() -> None:
    text = "There is no such button."
    assert says_absent(text + "." * (LONGEST - len(text)))
    assert not says_absent(text + "." * (LONGEST - len(text) + 1))


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("terminate failure", True),
        ("TERMINATE Failure", True),
        ("finished infeasible", True),
        ("fail", True),
        ("terminate success", False),
        ("terminate", False),
        ("scroll", False),
        ("", False),
    ],
)
def test_gives_up(action: str, expected: bool) -> None:
    assert gives_up(action) is expected
