"""The built-in prompt, in English and Chinese, and prompts of the user's own."""

from __future__ import annotations

from pathlib import Path

from screenmark.answers.profiles import Profile
from screenmark.errors import DataError
from screenmark.jsonfile import read_text

_ENGLISH = """\
Here is a screenshot of a user interface.{size}

List every element that is visible on it: texts, buttons, links, icons, images, input \
fields, check boxes and other controls. List only what you can see; leave out what you \
merely expect to be there.

Answer with a JSON array and nothing else, one object for each element:
[{"type": "button", "index": 0, "description": "Sign in", "coordinates": [x1, y1, x2, y2]}]

- "type": one word such as text, button, link, icon, image, input, checkbox.
- "index": the element's position in your list, from 0.
- "description": the text that the element shows; for an icon or an image without text, \
what it depicts, in a few words.
- "coordinates": the box around the element, top left corner first, {space}.
"""

_CHINESE = """\
这是一张用户界面的截图{size}。

请列出截图中可见的每一个界面元素：文字、按钮、链接、图标、图片、输入框、复选框以及其他控件。\
只列出你看得到的元素，不要补充你认为应该存在的元素。

只输出一个 JSON 数组，不要输出其他内容，每个元素对应一个对象：
[{"type": "button", "index": 0, "description": "登录", "coordinates": [x1, y1, x2, y2]}]

- "type"：元素类型，用一个英文单词表示，例如 text、button、link、icon、image、input、checkbox。
- "index"：该元素在列表中的序号，从 0 开始。
- "description"：元素上显示的文字；没有文字的图标或图片，用几个字说明它画的是什么。
- "coordinates"：元素的外接矩形，先左上角后右下角，{space}。
"""

_SIZES = {
    "en": " It is {width} pixels wide and {height} pixels high.",
    "zh": "，宽 {width} 像素，高 {height} 像素",
}
_SPACES = {
    "en": {
        "pixel": "in pixels of the whole screenshot (x from 0 to {width}, y from 0 to {height})",
        "unit": "as fractions of the screenshot's width and height, from 0 to 1",
        "percent": "in percent of the screenshot's width and height, from 0 to 100",
        "permille": "normalised to the range from 0 to 1000 in both directions",
    },
    "zh": {
        "pixel": "以整张截图的像素为单位（x 从 0 到 {width}，y 从 0 到 {height}）",
        "unit": "以截图宽和高的比例表示，取值 0 到 1",
        "percent": "以截图宽和高的百分比表示，取值 0 到 100",
        "permille": "横向和纵向都归一化到 0 到 1000",
    },
}


# A family writes in the convention that it was trained on; another one, or a size that is not
# that of the image as it sees it, would only confuse it.
_OWN_SPACE = {
    "en": "in the coordinates in which you are used to say where something is",
    "zh": "使用你惯用的坐标表示方式",
}


def template(language: str, profile: Profile) -> str:
    """The built-in prompt with ``{width}`` and ``{height}`` still open where it states them."""
    text = _CHINESE if language == "zh" else _ENGLISH
    space = _SPACES[language].get(profile.name)
    size = _SIZES[language] if space is not None or profile.sizes else ""
    text = text.replace("{size}", size)
    return text.replace("{space}", space or _OWN_SPACE[language])


def read_template(path: Path) -> str:
    """A prompt file. ``{width}`` and ``{height}`` in it stand for the size of the sent image.

    Raises:
        DataError: the file cannot be read or is empty.
    """
    text = read_text(path)
    if not text.strip():
        raise DataError("the prompt file is empty", file=path)
    return text


def fill(text: str, width: int, height: int) -> str:
    """Put in the size of the image as it is sent. Other braces, as in JSON, stay as they are."""
    return text.replace("{width}", str(width)).replace("{height}", str(height))
