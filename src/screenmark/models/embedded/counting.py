"""Questions that are answered by counting: how many there are, and which is the third."""

from __future__ import annotations

import re

from screenmark.models.embedded.screen import Item, Screen
from screenmark.models.embedded.words import normal, tokens

_HOW_MANY = re.compile(r"\bhow many\s+(.+?)(?:\s(?:are|is|can|does|do|have|has|of|in|on)\b|\?|$)")
_HOW_MANY_ZH = re.compile(r"(?:有几|有多少|共几|几)(?:个|条|项|张|行|列|种)?(.{1,6}?)[？?]?$")
_NTH = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)\b\s*(.*)"
)
_NTH_ZH = re.compile(r"第([一二三四五六七八九十])(?:个|条|项|张|行|列)?(.*)")
_NUMERALS = {
    word: number
    for number, words in enumerate(
        (
            "none zero 零 没有", "one first 一 第一", "two second both 二 两 第二",
            "three third 三 第三", "four fourth 四 第四", "five fifth 五 第五",
            "six sixth 六 第六", "seven seventh 七 第七", "eight eighth 八 第八",
            "nine ninth 九 第九", "ten tenth 十 第十", "eleven eleventh 十一",
            "twelve twelfth 十二",
        )
    )
    for word in words.split()
}  # fmt: skip
_KINDS = {
    "input": ("field", "input", "输入框"),
    "button": ("button", "按钮"),
    "checkbox": ("checkbox", "check box", "tick box", "复选框"),
    "radio": ("radio", "单选"),
    "image": ("picture", "photo", "image", "图片"),
    "link": ("menu entr", "side menu", "菜单项"),
}
_SAME_ROW = 20


def ordinal_of(text: str) -> int | None:
    """The number that an option is, in digits or words, English or Chinese."""
    plain = normal(text)
    plain = re.sub(r"^(?:the|in the|on the)\s+", "", plain)
    if digits := re.match(r"^(\d+)\s*(?:[个条项张行列种人]|\w+)?$", plain):
        return int(digits[1])
    first = plain.split()[0] if plain.split() else ""
    word = first.rstrip("个条项张行列种")
    return _NUMERALS.get(word)


def count_of(screen: Screen, question: str) -> int | None:
    """How many of something a question asks for there are; None if it cannot be told.

    Elements of the named kind are counted, or else texts with the named words in common.
    """
    asked = _HOW_MANY.search(normal(question)) or _HOW_MANY_ZH.search(normal(question))
    if asked is None:
        if not re.search(r"\bwhich row\b|第几行", normal(question)):
            return None
        return _row_of(screen, question)
    things = asked[1]
    kind = _kind_of(things)
    words = {word for word in tokens(things) if word not in _kind_words()}
    chosen = [item for item in screen.items if kind is None or item.kind == kind]
    if words:
        narrowed = [item for item in chosen if words & tokens(item.text)]
        chosen = narrowed if narrowed or kind is None else chosen
    elif kind is None:
        return None
    return len(chosen) or None


def nth_text(screen: Screen, question: str) -> str | None:
    """What is written on the nth element of a kind that a question asks for, top to bottom."""
    found = _NTH.search(normal(question)) or _NTH_ZH.search(normal(question))
    if found is None:
        return None
    kind = _kind_of(found[2])
    number = _NUMERALS.get(found[1], -1)
    members = [item for item in screen.items if item.kind == kind and item.text]
    if kind is None or not members or number > len(members):
        return None
    members.sort(key=lambda i: (round(i.y / _SAME_ROW), i.x))
    return members[number - 1 if number > 0 else -1].text


def _row_of(screen: Screen, question: str) -> int | None:
    """The row of a table in which what the question names stands, counted below its head."""
    named = [
        item
        for item in screen.items
        if len(item.text) > 3
        and re.search(rf"\b{re.escape(item.text.lower())}\b", question.lower())
    ]
    if not named:
        return None
    target = max(named, key=lambda item: len(item.text))
    column = sorted(
        (i for i in screen.items if i.text and abs(i.box[0] - target.box[0]) <= 6),
        key=lambda i: i.y,
    )
    above = column[: column.index(target) + 1]
    rows = [above[-1]]
    for item in reversed(above[:-1]):
        if rows[-1].y - item.y > 1.6 * _step(column, target):
            break
        rows.append(item)
    return len(rows) - 1


def _step(column: list[Item], target: Item) -> float:
    """The distance from a row to the next one."""
    place = column.index(target)
    gaps = [abs(target.y - column[i].y) for i in (place - 1, place + 1) if 0 <= i < len(column)]
    return min(gaps, default=target.height)


def _kind_of(words: str) -> str | None:
    return next((k for k, names in _KINDS.items() if any(n in words for n in names)), None)


def _kind_words() -> frozenset[str]:
    return frozenset(t for names in _KINDS.values() for n in names for t in tokens(n)) | {
        "entry", "visibl", "whol", "big", "differ", "seen",
    }  # fmt: skip
