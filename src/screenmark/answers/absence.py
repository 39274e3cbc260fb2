"""Replies that say: what you ask for is not on this screen."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 400
"""A longer text that points nowhere is not taken for an answer."""

_WORD = re.compile(
    r"(?:none|null|nil|n/?a|absent|refuse|refused|refusal|infeasible|impossible|not_found|"
    r"target_absent|not (?:found|present|visible|available|on (?:the )?screen)|no (?:match|target)|"
    r"无|没有|不存在|未找到|找不到|没找到|没有找到|不在屏幕上|无法定位)",
    re.IGNORECASE,
)
_AROUND: Final = "\"'`*()[]{}<>.。!！ \n"
_NO_SIGHT = r"(?:don't|do not|can't|cannot|can not|couldn't|could not)"
_PLACE = (
    r"(?:present|visible|shown|displayed|available|found|there|on (?:the|this) (?:screen|page|"
    r"screenshot)|in (?:the|this) (?:image|screenshot))"
)
# What is wanting there is no target: a problem, a reason, the words on a control.
_NO_MATTER = (
    r"(?:problems?|need|doubts?|issues?|questions?|reasons?|way|more|other|others|better|further|"
    r"longer|difference|point in)\b"
)
_NO_WORDS_ON_IT = (
    r"(?:visible |text |written )?(?:labels?|texts?|captions?|tooltips?|names?|words|wording|"
    r"writing|title)\b(?! (?:\w+ ){0,3}[\"'“])(?! (?:\w+ ){0,3}on (?:the|this) (?:screen|page))"
)
_SENTENCES = re.compile(
    r"\b(?:there (?:is|are|was|'s) "
    rf"(?:no(?! {_NO_MATTER})(?! {_NO_WORDS_ON_IT})\b|none\b)|"
    rf"there (?:is|are)n't (?:any|a|an)\b(?! {_NO_MATTER})(?! {_NO_WORDS_ON_IT})|"
    r"no such \w+|"
    rf"(?:i {_NO_SIGHT} (?:see|find|locate|spot)|"
    r"(?:can(?:not|'t)|could(?: not|n't)|unable to) (?:be )?(?:f[io]u?nd|located?|seen?))\b"
    r"(?! (?:why|how|what)\b)"
    rf"(?! (?:a |an |any |the )?(?:{_NO_MATTER}|{_NO_WORDS_ON_IT}))|"
    rf"(?:does not|doesn't|do not|don't) (?:exist|appear(?! to\b)|(?:seem|appear) to "
    rf"(?:exist|be (?:\w+ )?{_PLACE}))|"
    rf"(?:is|are)(?: not|n't) (?:\w+ )?{_PLACE})",
    re.IGNORECASE,
)
# It is there after all, or can be had: "…, but it is in the corner", "collapsed; expand it first".
_YET_THERE = re.compile(
    r"\b(?:but|however|though|although)\b[^.!?\n]{0,60}\b(?:is|are|it's|they're) (?:\w+ ){0,3}?"
    r"(?:in|at|on|near|above|below|under|left|right|next)\b|"
    r"(?:exact|precise|pixel) (?:coordinates?|positions?|locations?)|"
    r"\b(?:collapsed|folded|minimi[sz]ed)\b|但(?:是)?(?:它|它们|其)?(?:就)?在",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:没有|未|(?:无法|不能)(?!\w{0,3}(?:协助|帮|提供|完成|处理|回答|执行|满足))|找不到|没能|未能)"
    r"(?:\w{0,6}?)(?:找到|发现|看到|定位|存在|该|这个|此|相关|对应)|"
    r"(?:屏幕|页面|截图|图中|画面)\w{0,6}?(?:没有(?!问题|必要|疑问|关系|影响)|不存在|不包含|未显示)|"
    r"不存在|找不到|不在\w{0,6}(?:屏幕|页面|界面|截图|图|画面)"
)
_EMPTY_FIELD = re.compile(
    r"[\"'](?:point|point_2d|coordinate|coordinates|bbox|bbox_2d|box_2d|target|click|position)[\"']"
    r"\s{0,5}:\s{0,5}(?:null|none|\[\s{0,5}\]|\"(?:none|null|not found)\")",
    re.IGNORECASE,
)
# Who got no picture says nothing about what is on it.
_NO_IMAGE = re.compile(
    r"(?:see|view|access|open|find) (?:any |the |an |your |this )?(?:attached |provided )?"
    r"(?:image|picture|screenshot|attachment|file)s?\b|(?:看到|查看|找到|看不到|打开)(?:任何|您的|你的)?(?:图|截图)",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(r"(?:terminate|finish|finished|done) (?:failure|fail|infeasible)|fail")


def says_absent(text: str) -> bool:
    """Whether a reply without any coordinates says that there is no such target."""
    text = text.strip().replace("’", "'")
    if not text or len(text) > LONGEST:
        return False
    if _WORD.fullmatch(text.strip(_AROUND)):
        return True
    if _NO_IMAGE.search(text) or _YET_THERE.search(text):
        return False
    return bool(_SENTENCES.search(text) or _CHINESE.search(text) or _EMPTY_FIELD.search(text))


def declares_absent(answer: str) -> bool:
    """Whether the first line of an announced answer is a word for nothing: ``none``."""
    line = answer.strip().partition("\n")[0][:LONGEST].strip(_AROUND)
    return bool(line) and _WORD.fullmatch(line) is not None


def gives_up(action: str) -> bool:
    """Whether an action ends a task as one that cannot be done."""
    return _GIVES_UP.fullmatch(action.lower()) is not None
