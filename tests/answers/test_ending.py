import pytest

from screenmark.answers.ending import LONGEST_REFUSAL, is_refusal, was_cut_off, was_withheld


@pytest.mark.parametrize(
    ("reason", "cut", "withheld"),
    [
        (None, False, False),
        ("stop", False, False),
        ("length", True, False),
        ("max_tokens", True, False),
        ("MAX_TOKENS", True, False),
        ("content_filter", False, True),
        ("refusal", False, True),
        ("SAFETY", False, True),
        ("tool_calls", False, False),
    ],
)
def test_finish_reason(reason: str | None, cut: bool, withheld: bool) -> None:
    assert (was_cut_off(reason), was_withheld(reason)) == (cut, withheld)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "I’m sorry, I can’t help with identifying people in images.",
        "Sorry, I cannot help with this.",
        "I cannot assist with that.",
        "I can't analyze this screenshot because it contains personal information.",
        "I apologize, but I am not able to process this image.",
        "Unfortunately, I'm unable to fulfill this request.",
        "As an AI language model, I cannot provide that information.",
        "I must decline to process this page.",
        "I won't be able to help with that.",
        "**I'm sorry, but I can't comply with that.**",
        "抱歉，我无法协助完成这个请求。",
        "很抱歉，我不能提供该图片中的个人信息。",
        "对不起，我无法回答这个问题。",
        "作为一个AI助手，我不能处理此类内容。",
        "我无法为您识别图片中的人物。",
        "非常抱歉，暂时无法解析这张截图。",
    ],
)
def test_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The page says: I'm sorry, but I can't assist with that.",
        "Sorry, we can't find that page.",
        "Sorry about the delay! Here are the elements: icon, text.",
        "I'm sorry for the confusion. The login button is at the top.",
        "I can't see an image in your message.",
        "I cannot view images. Please attach it.",
        "I can help with that. The elements are: a button.",
        "I can list two elements: a button and an icon.",
        "There is a banner that says “抱歉，我无法提供服务”。",
        "页面显示：抱歉，无法加载。",
        "抱歉，页面不存在",
        "抱歉，未找到结果",
        "不能点击的按钮位于页面底部。",
        "无障碍按钮在右上角。",
        "I'm sorry, but I can't help. " + "x" * LONGEST_REFUSAL,
    ],
)
def test_no_refusals(text: str) -> None:
    assert not is_refusal(text)
