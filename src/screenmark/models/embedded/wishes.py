"""What an instruction names: the target's words, its kind, its drawing, and where it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from screenmark.models.embedded.words import normal

_QUOTED = re.compile(r"[\"“”「『]([^\"“”「」『』]+)[\"“”」』]")
_CONTROL = re.compile(r"^\s*(?:button|link|field|input|checkbox|tab|option|icon)\b", re.IGNORECASE)
_BARE_ANCHOR = re.compile(r"(?:点击|点|按|选择)([一-鿿]{2,6}?)(旁边|下面|下方|上面|左边|右边)的")
_NUMBER = re.compile(r"(?:page number|number|第)\s*(\d+)\s*(?:页)?")

_BEFORE = {
    "labelled": "label", "labeled": "label", "called": "label", "named": "label",
    "titled": "label", "saying": "label", "marked": "label", "标着": "label", "写着": "label",
    "under": "below", "below": "below", "above": "above", "beside": "beside", "next to": "beside",
    "in front of": "before", "before": "before", "left of": "before", "after": "after",
    "right of": "after", "of": "near", "in": "near", "on": "near", "inside": "near",
    "within": "near", "near": "near", "from": "near", "for": "near", "at": "near",
}  # fmt: skip
"""Words right before a quotation, perhaps with an article and an adjective in between."""

_AFTER = {
    "下面": "below", "下方": "below", "底下": "below", "上面": "above", "上方": "above",
    "旁": "beside", "旁边": "beside", "前面": "before", "左边": "before", "左侧": "before",
    "后面": "after", "右边": "after", "右侧": "after", "那一天": "label", "那一栏": "label",
    "的头像": "before", "里": "near", "中": "near", "卡片": "near", "一栏": "near",
}  # fmt: skip
_BEFORE_RE = re.compile(
    rf"\b({'|'.join(sorted(_BEFORE, key=len, reverse=True))})\s+(?:the\s+)?(?:[\w-]+\s+){{0,2}}$"
    r"|(标着|写着)$"
)
_AFTER_RE = re.compile(rf"^({'|'.join(sorted(_AFTER, key=len, reverse=True))})")

KINDS = {
    "input": ("field", "text area", "textarea", "text box", "search box", "输入框", "文本框",
              "搜索框"),
    "select": ("drop-down", "dropdown list", "select box", "下拉框", "下拉列表", "选择框"),
    "checkbox": ("checkbox", "check box", "tick box", "复选框", "勾选"),
    "radio": ("radio", "单选"),
    "switch": ("switch", "toggle switch", "开关"),
    "slider": ("slider", "滑块"),
}  # fmt: skip
"""Kinds of controls that are not found at their own words, and how they are called."""

DRAWINGS = {
    "bars": ("three bars", "hamburger", "menu icon", "三条横线", "菜单图标"),
    "cross": ("close", "(x)", "× icon", "叉号", "关闭图标", "关闭按钮"),
    "minus": ("minus", "减号"),
    "plus": ("plus", "加号"),
    "lens": ("magnifier", "magnifying glass", "search icon", "search button", "放大镜", "搜索图标"),
    "bell": ("bell", "铃铛"),
    "speech": ("speech-bubble", "speech bubble", "chat icon", "message icon", "对话气泡"),
    "expand": ("full-screen", "fullscreen", "full screen", "four arrows", "全屏"),
    "grid": ("four squares", "grid icon", "四个方块", "四宫格"),
    "tool": ("wrench", "spanner", "扳手"),
    "gear": ("gear", "cog", "齿轮"),
    "person": ("person icon", "user icon", "silhouette", "人形", "用户图标"),
    "next": ("»", "right arrow", "arrow right", "next arrow", "向右的箭头", "右箭头"),
    "previous": ("«", "left arrow", "arrow left", "向左的箭头", "左箭头"),
    "dots": ("three dots", "ellipsis", "三个点", "更多图标"),
    "pencil": ("pencil", "edit icon", "铅笔"),
    "bin": ("trash can", "bin icon", "trash icon", "垃圾桶"),
    "heart": ("heart", "爱心", "心形"),
    "star": ("star icon", "星形", "星标"),
    "picture": ("avatar", "profile picture", "头像", "小图", "thumbnail", "picture of"),
}  # fmt: skip
"""Names of drawings without words, and how instructions call them."""

WISHES = {
    "bars": ("side menu", "side navigation", "hidden menu", "侧边栏"),
    "bell": ("alerts", "notifications", "notify you", "通知", "提醒"),
    "speech": ("messages that you have received", "written to you", "unread messages"),
    "expand": ("whole monitor", "whole screen", "fill the", "full screen"),
    "lens": ("look for something", "search the site", "run the query", "找一条", "搜一"),
    "person": ("your own account", "your account", "own profile"),
    "gear": ("the settings", "configure"),
    "minus": ("fold", "roll", "collapse", "minimi", "少买", "减少"),
    "cross": ("off the page", "get rid of", "close the", "dismiss", "关掉这个"),
    "plus": ("多买", "再加一", "开始一段新", "新建"),
    "tool": ("bring up the tools", "tools of"),
    "next": ("next page", "go to the next", "下一页", "下个月", "往后"),
    "previous": ("previous page", "go back", "上一页", "上个月", "翻回"),
}  # fmt: skip
"""What people want who mean one of the `DRAWINGS` without saying so."""

PLACES = {
    "top": ("top bar", "top right", "top left", "at the top", "upper", "in the header", "上方",
            "顶部", "右上角", "左上角", "顶栏", "上面的"),
    "bottom": ("bottom", "lower", "footer", "底部", "下方", "右下角", "左下角", "最下"),
    "left": ("left", "side menu", "sidebar", "side navigation", "左边", "左侧", "左上角", "左下角",
             "侧边栏"),
    "right": ("right", "右边", "右侧", "右上角", "右下角"),
}  # fmt: skip
"""Sides of the page, or of several alike."""

ORDER = {
    "first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3,
    "fifth": 4, "5th": 4, "sixth": 5, "seventh": 6, "eighth": 7, "ninth": 8, "tenth": 9,
    "last": -1, "第一": 0, "第二": 1, "第三": 2, "第四": 3, "第五": 4, "第六": 5, "第七": 6,
    "第八": 7, "第九": 8, "第十": 9, "最后一": -1,
}  # fmt: skip
"""Ordinals as indices."""


@dataclass(frozen=True)
class Wish:
    """An instruction, taken apart.

    Attributes:
        text: the whole instruction.
        target: words that stand on the target or label it; None if it is only described.
        anchor: words of something near the target, and `relation` how it lies to that.
        kind: a key of `KINDS`; `drawing` one of `DRAWINGS`, `hinted` where only `WISHES` say so.
        sides: keys of `PLACES`; order: an index among several alike.
    """

    text: str
    target: str | None = None
    anchor: str | None = None
    relation: str = "near"
    kind: str | None = None
    drawing: str | None = None
    hinted: bool = False
    sides: frozenset[str] = frozenset()
    order: int | None = None


def read_wish(instruction: str) -> Wish:
    """Take an instruction apart, English or Chinese."""
    outside = normal(_QUOTED.sub('""', instruction))
    kind = _named(outside, KINDS)
    drawing = _named(outside, DRAWINGS)
    target, anchor, relation = _quotations(instruction, drawing is not None)
    if target is None and kind is None and drawing is None:
        target, anchor = anchor, None
    if anchor is None and (bare := _BARE_ANCHOR.search(instruction)):
        anchor, relation = bare[1], _AFTER[bare[2]]
    if target is None and drawing is None and (number := _NUMBER.search(outside)):
        target = number[1]
    hint = None if target or drawing or kind else _named(outside, WISHES)
    return Wish(
        text=instruction,
        target=target,
        anchor=anchor,
        relation=relation,
        kind=kind,
        drawing=drawing if drawing else hint,
        hinted=hint is not None,
        sides=frozenset(side for side, names in PLACES.items() if _mentions(outside, names)),
        order=next((index for name, index in ORDER.items() if _mentions(outside, (name,))), None),
    )


def _quotations(instruction: str, drawn: bool) -> tuple[str | None, str | None, str]:
    """Sort what is quoted into the target's words and a neighbour's, with the relation."""
    target, anchor, relation = None, None, "near"
    for found in _QUOTED.finditer(instruction):
        before = _BEFORE_RE.search(instruction[: found.start()].lower())
        after = _AFTER_RE.match(instruction[found.end() :])
        link = "label"
        if not drawn and _CONTROL.match(instruction[found.end() :]):
            pass
        elif after is not None:
            link = _AFTER[after[1]]
        elif before is not None:
            link = _BEFORE[before[1]] if before[1] else "label"
        if link == "label" and target is None:
            target = found[1].strip()
        elif anchor is None:
            anchor, relation = found[1].strip(), link if link != "label" else "near"
    return target, anchor, relation


def _named(text: str, names: dict[str, tuple[str, ...]]) -> str | None:
    """The key whose longest name stands in the text."""
    found = [
        (len(name), key) for key, all_ in names.items() for name in all_ if _mentions(text, (name,))
    ]
    return max(found)[1] if found else None


def _mentions(text: str, names: tuple[str, ...]) -> bool:
    return any(
        re.search(rf"(?<![a-z]){re.escape(name)}", text) if name.isascii() else name in text
        for name in names
    )
