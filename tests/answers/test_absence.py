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
    "There's no save button on this page.", "It's not there.", "It’s not visible.",
    "Target not found.", "No print button is visible.", "There seems to be no such icon.",
    "The screenshot does not contain a print button.", "This page doesn't have a print button.",
    "I'm not able to locate the print icon.", "Nothing on this screen matches the description.",
    "No match found", "FAIL", "The print icon is nowhere to be seen.", "The icon is missing.",
    "None of the elements match.", "I searched the screenshot but found no print icon.",
    "看不到该按钮。", "不可见", "没有匹配的元素。", "没有符合描述的元素。",
    "界面上没有显示打印按钮",
    "无此按钮", "目标未出现在截图中。", "無法找到該按鈕", "沒有找到該按鈕。",
    "没有打印按钮。", "截图未显示打印按钮。",
    "not on screen", "The target is not on screen", "not on screen (the page has no print button)",
    "“not on screen”", "not on-screen", "```text\nnot on screen\n```", "\\boxed{not on screen}",
    "\\boxed{\\text{not on screen}}", "not on screen<|im_end|>", "(not on screen, not on screen)",
    "I looked at all buttons (12, 3 rows).\nnot on screen", "不在屏幕上，因为页面是登录页",
    "<|begin_of_box|>not on screen<|end_of_box|>", '{"answer": "not on screen"}',
    "not on screen\n" + "The page shows a form. " * 40,
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
    "There is no image attached.", "I don't see a screenshot.", "The image could not be found.",
    "I can't see the screen.", "图片不存在", "我没有看到您上传的图片", "截图没有上传成功",
    "There is no 'Save' text, but the floppy disk icon at the top left does it.",
    "The icon is not present in the left bar; it is in the right bar.",
    "它不在页面顶部，而在页面底部。", "按钮不在屏幕上方，而是在右下角",
    "目标不在图的左侧，在右侧。",
    'Click the option "There is no account".', "点击“不存在”按钮", "点击“找不到密码？”链接",
    "If there is no such button, return none.", "It is not true that the button does not exist.",
    "I can't locate it precisely.", "不存在任何问题，点击登录按钮。", "无法定位精确像素",
    "I don't see an error. Click the OK button.", "图中没有标签的图标就是目标",
    "There are no unread messages, click the inbox icon.", "Why is the button not found?",
    "There is no doubt that the target is the blue button.", "I would not say it isn't visible.",
    "The search icon isn't shown as a magnifier here; it is the funnel.",
    "I can't find the word Save; the disk icon in the toolbar is the target.",
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
