"""What a model is asked: where to click for an instruction, in its own profile's form."""

from __future__ import annotations

from screenmark.answers import Profile
from screenmark.benchmarks.content_understanding.prompt import replace_all
from screenmark.geometry import Size

_FRAME = {
    "en": (
        "The image is a screenshot of a user interface{size}. Where on it would you click to "
        "follow this instruction?\n\nInstruction: {instruction}\n\n{form}{absence}\n"
    ),
    "zh": (
        "图片是一张用户界面的截图{size}。要完成下面的指令，应该点击哪里？\n\n"
        "指令：{instruction}\n\n{form}{absence}\n"
    ),
}
_SIZE = {
    "en": ", {width} pixels wide and {height} pixels high",
    "zh": "，宽 {width} 像素，高 {height} 像素",
}
_FORM = {
    "en": {
        "point": "Answer with the coordinates of one point as (x, y){space}, and nothing else.",
        "box": "Answer with the target's box as [x1, y1, x2, y2]{space}, and nothing else.",
        "box y first": (
            'Answer with JSON, {"box_2d": [y1, x1, y2, x2]} normalised to 0-1000, and nothing else.'
        ),
        "click": "Answer with one action, click(x=…, y=…){space}, and nothing else.",
    },
    "zh": {
        "point": "只回答一个点的坐标，格式为 (x, y){space}，不要输出其他内容。",
        "box": "只回答目标的外接矩形，格式为 [x1, y1, x2, y2]{space}，不要输出其他内容。",
        "box y first": (
            '只回答 JSON：{"box_2d": [y1, x1, y2, x2]}，归一化到 0-1000，不要输出其他内容。'
        ),
        "click": "只回答一个动作，格式为 click(x=…, y=…){space}，不要输出其他内容。",
    },
}
# A family that was trained on its own convention is not told another one; the plain profiles
# have to say which it is.
_SPACES = {
    "en": {
        "pixel": " in pixels of the screenshot",
        "unit": " as fractions of its width and height, from 0 to 1",
        "percent": " in percent of its width and height, from 0 to 100",
        "permille": " normalised to the range from 0 to 1000 in both directions",
    },
    "zh": {
        "pixel": "，单位为截图的像素",
        "unit": "，用宽和高的比例表示，取值 0 到 1",
        "percent": "，用宽和高的百分比表示，取值 0 到 100",
        "permille": "，横向和纵向都归一化到 0 到 1000",
    },
}
_TOLD_BY_FAMILY = {"gpt": "unit"}
_ABSENCE = {
    "en": " If there is no such thing on the screenshot, answer: not on screen",
    "zh": "如果截图上没有这样的目标，请回答：不在屏幕上",
}


def template(language: str, profile: Profile, *, offers_absence: bool) -> str:
    """The built-in prompt with ``{instruction}``, ``{width}``, ``{height}`` still open."""
    told = _SPACES[language].get(_TOLD_BY_FAMILY.get(profile.name, profile.name), "")
    asked = "box y first" if profile.y_first and profile.ask == "box" else profile.ask
    form = _FORM[language][asked].replace("{space}", told)
    return replace_all(
        _FRAME[language],
        {
            "{size}": _SIZE[language] if profile.sizes else "",
            "{form}": form,
            "{absence}": _ABSENCE[language] if offers_absence else "",
        },
    )


def fill(text: str, instruction: str, seen: Size) -> str:
    """Put in the instruction and the size of the image as it is sent. Other braces stay."""
    parts = {
        "{instruction}": instruction,
        "{width}": str(seen.width),
        "{height}": str(seen.height),
    }
    return replace_all(text, parts)
