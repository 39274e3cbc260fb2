"""Replies that say: what you ask for is not on this screen.

A reply is looked at clause by clause, quotations left out. It says so if a clause denies that the
target is there and none says where it is after all, what to do instead, or what would be if.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 400
"""A longer text that points nowhere is not taken for an answer."""

_PHRASE = re.compile(
    r"(?:the (?:target|element|button|icon) is )?not[ _-]on[ _-](?:the |this )?screen(?:shot)?"
    r"|(?:目标|该目标|它|该元素)?不在(?:屏幕|截图)上",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"(?:none|null|nil|n/?a|not applicable|absent|missing|refuse|refused|refusal|infeasible|"
    r"impossible|fail|target_absent|(?:(?:the )?(?:target|element|item) (?:is )?)?"
    r"(?:absent|not[ _](?:found|present|visible|available|there))|no (?:match|target)(?: found)?|"
    rf"无|没有|不存在|未找到|找不到|没找到|没有找到|没看到|看不到|不可见|无法定位|缺失|{_PHRASE.pattern})",
    re.IGNORECASE,
)
_AROUND: Final = "\"'`*()[]{}<>.。!！“”「」《》 \n"

_TRADITIONAL: Final = str.maketrans(
    "無沒該頁圖畫這個見顯現發應關對標點擊鈕螢看", "无没该页图画这个见显现发应关对标点击钮萤看"
)
_TOKEN = re.compile(
    r"<\|[^|<>]{1,40}\|>|</?(?:s|answer|action|click|point|box|ref|tool_call|eos)>|^```\w{0,12}|```$",
    re.MULTILINE,
)
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]{0,80})\}{1,2}")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|「[^」\n]{1,120}」|《[^》\n]{1,120}》|`[^`\n]{1,120}`|"
    r"(?<!\w)'[^'\n]{1,120}'(?!\w)"
)
_CLAUSES = re.compile(r"[.!?;。！？；\n]+(?=\s|$|[^\x00-\x7f])|[。！？；\n]+")

_NO_SIGHT = r"(?:(?:do|did|could|ca)n't|(?:do|did|could|can) not|cannot)"
_SCREEN = r"(?:screens?|pages?|screenshots?|images?|pictures?|interfaces?|windows?|views?|apps?|ui)"
_PLACE = (
    r"(?:present|visible|(?:shown|displayed)(?! as)|available|found|there|seen|"
    rf"(?:on|in) (?:the|this) (?:\w+ )?{_SCREEN}|on[ -]screen)\b"
    r"(?! (?:in|on|at) (?:the )?(?:\w+ )?(?:left|right|top|bottom|upper|lower))"
)
# What is wanting there is no target: a problem, a reason, the words on a control.
_NO_MATTER = (
    r"(?:problems?|need|doubts?|issues?|questions?|reasons?|way|more|others?|better|further|"
    r"longer|difference|point in|errors?|unread|harm)\b"
)
_WORDS_ON_IT = (
    r"(?:visible |text |written )?(?:labels?|texts?|captions?|tooltips?|names?|words?|wording|"
    r"writing|title)\b(?! (?:\w+ ){0,3}QUOTED)"
    rf"(?! (?:\w+ ){{0,3}}(?:on|in) (?:the|this) {_SCREEN})"
)
_OTHER_THINGS = rf"(?! (?:(?:a|an|any|the) )?(?:{_NO_MATTER}|{_WORDS_ON_IT}))"
_DENIES = re.compile(
    r"\b(?:there(?:'s| is| are| was| seems? to be| appears? to be| exists?) "
    rf"(?:no\b{_OTHER_THINGS}|none\b)|"
    rf"there (?:(?:is|are)n't|(?:is|are) not|do(?:es)?(?:n't| not) (?:seem|appear) to be) "
    rf"(?:any|a|an|one)\b{_OTHER_THINGS}|"
    r"no such \w+|"
    rf"(?:{_NO_SIGHT}|unable to|not able to|failed to) (?:be )?"
    r"(?:see|find|locate|spot|identify|found|located|seen|identified)\b"
    r"(?! (?:why|how|what|well|clearly)\b)"
    rf"{_OTHER_THINGS}|"
    r"(?:do(?:es)?(?:n't| not)) (?:exist\b|appear\b(?! to\b)|(?:seem|appear) to "
    rf"(?:exist|be (?:\w+ )?{_PLACE}))|"
    rf"(?:is|are|'s|be)(?: not|n't) (?:\w+ )?{_PLACE}|^\W*not (?:\w+ )?{_PLACE}|"
    r"(?:is|are) (?:nowhere|absent|missing)\b|nowhere (?:to be|on|in)\b|"
    rf"{_SCREEN} (?:\w+ )?(?:(?:do(?:es)?(?:n't| not)) (?:\w+ )?(?:contain|have|include|show|"
    rf"display|feature|offer)\b{_OTHER_THINGS}|"
    rf"(?:has|contains|shows|offers) no\b{_OTHER_THINGS}|lacks\b)|"
    rf"^\W*no\b{_OTHER_THINGS} (?:\w+ ){{1,5}}(?:(?:is|are|was|can be|could be) (?:\w+ )?{_PLACE}|"
    r"exists?\b|match(?:es)?\b)|"
    r"(?:none|nothing)(?: \w+){0,6} match(?:es)?\b|no match(?:es|ing)?\b|"
    r"found no\b|(?:target|element|button|icon|item) (?:was )?not (?:found|present|visible)|"
    r"not on[ -](?:the |this )?screen(?:shot)?\b(?! (?:edge|side)))",
    re.IGNORECASE,
)
_DENIES_CHINESE = re.compile(
    r"(?:没有?|未|(?:无法|不能)(?!\w{0,3}(?:协助|帮|提供|完成|处理|回答|执行|满足))|找不到|没能|未能|看不到)"
    r"\w{0,6}?(?:找到|发现|看到|看见|定位|识别|存在|出现|显示|包含|该|这个|这样|此|相关|对应|匹配|符合|您要)|"
    r"(?:屏幕|页面|界面|截图|图片|图像|图中|画面|萤幕)\w{0,6}?"
    r"(?:没有(?!问题|必要|疑问|关系|影响|加载)|不存在|不包含|未显示|未包含|无(?!法|需|疑)|并无)|"
    r"没有\w{1,10}(?:按钮|图标|元素|链接|选项|输入框|目标|控件)(?!的)|"
    r"不存在(?!任何问题|问题|疑问)|找不到|看不到|不可见|缺失|未见|无(?:此|该|匹配)|"
    r"不在\w{0,6}(?:屏幕|页面|界面|截图|图|画面)(?!的)(?!\w{0,1}(?:方|部|侧|边|角|端))"
)
# It is there after all, or can be had; or nothing is said of what is, but of what would be.
_OTHERWISE = re.compile(
    r"\b(?:but|however|though|although|instead|it|they)\b[^.!?\n]{0,60}?(?:\b(?:is|are)|'s|'re) "
    r"(?:\w+ ){0,3}?(?:in|at|on|near|above|below|under|left|right|next)\b"
    rf"(?! (?:the |this )?(?:\w+ )?{_SCREEN}\b)|"
    r"\b(?:but|however)\b[^.!?\n]{0,60}\b(?:top|bottom|left|right|corner|does it)\b|"
    r"\bbut (?:in|at|on|near)\b|wrong to say|not say\b|\?\W*$|"
    r"(?:exact|precise|pixel) (?:coordinates?|positions?|locations?|values?|pixel)|"
    r"\b(?:precisely|exactly)\b|"
    r"\b(?:collapsed|folded|minimi[sz]ed)\b|"
    r"(?:^|[,;:.!?]\s?|\b(?:then|please|i(?:'ll| will| would)) )"
    r"(?:click|tap|press|select|choose|open|use)\b|"
    r"\b(?:if|whether|unless)\b|not true|"
    r"(?:但(?:是)?|而(?:是)?)(?:它|它们|其)?(?:就|是)?在|[，,]在[左右上下]|如果|若|是否|精确|准确|就是|才是|是目标|"
    r"(?<!法)(?<!能)(?<!不)(?<!行)(?:点击|单击)(?!的?(?:按钮|图标|元素|目标)\w{0,4}(?:不|没|未))",
    re.IGNORECASE,
)
# Who got no picture says nothing about what is on it.
_INPUT = r"(?:images?|pictures?|screenshots?|attachments?|files?|photos?|screen)\b"
_NO_IMAGE = re.compile(
    rf"(?:see|view|access|open|find|no) (?:any |the |an? |your |this )?"
    rf"(?:attached |provided |uploaded )?{_INPUT}"
    r"(?=\W*(?:$|attached|provided|uploaded|here|yet|directly|"
    r"in (?:your|the|this) (?:message|prompt|chat)|[,;.!]))|"
    r"(?:image|picture|screenshot|attachment)s? do(?:es)?(?:n't| not) exist|"
    r"(?:image|picture|screenshot|attachment)s? (?:(?:could|can|was|is|were)(?:n't| not)) "
    r"(?:be )?(?:found|attached|provided|uploaded|available|visible|loaded|opened)|"
    r"(?:看到|查看|找到|看不到|打开)(?:任何|您的|你的|您上传的|您提供的)?(?:图片|截图|图像)(?!中|上|里)|"
    r"(?:图片|截图|图像)(?:不存在|没有上传|未上传|无法|未显示(?=\W|$))",
    re.IGNORECASE,
)
_EMPTY_FIELD = re.compile(
    r"[\"'](?:point|point_2d|coordinate|coordinates|bbox|bbox_2d|box_2d|target|click|position|"
    r"answer|result|status|error|x)[\"']\s{0,5}:\s{0,5}"
    rf"(?:null\b|none\b|\[\s{{0,5}}\]|[\"']{_WORD.pattern}[\"'])",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(r"(?:terminate|finish|finished|done) (?:failure|fail|infeasible)|fail")


def says_absent(text: str) -> bool:
    """Whether a reply without any coordinates says that there is no such target."""
    text = _plain(text)
    if not text or len(text) > LONGEST:
        return declares_absent(text)
    if declares_absent(text) or _EMPTY_FIELD.search(text):
        return True
    return denies_target(text) and not _OTHERWISE.search(_QUOTED.sub("QUOTED", text))


def denies_target(text: str) -> bool:
    """Whether a clause of a text says that the target is not there, whatever else it says."""
    text = _QUOTED.sub("QUOTED", _plain(text[-LONGEST:]))
    if _NO_IMAGE.search(text):
        return False
    return any(
        _DENIES.search(clause) or _DENIES_CHINESE.search(clause) for clause in _CLAUSES.split(text)
    )


def declares_absent(answer: str) -> bool:
    """Whether an answer's first line is a word for nothing, or it opens or ends with the phrase
    that built-in prompts ask for: ``not on screen``, whatever explains it.
    """
    lines = _plain(answer).strip().splitlines()
    if not lines:
        return False
    opening = re.split(
        r"[.,;:(（，。；：]|\s[-—(]", lines[0][:LONGEST].lstrip(_AROUND), maxsplit=1
    )[0]
    return is_word_for_absent(lines[0][:LONGEST]) or any(
        _PHRASE.fullmatch(part[:LONGEST].strip(_AROUND)) for part in (opening, lines[0])
    )


def is_word_for_absent(text: str) -> bool:
    """Whether a text is nothing but a word or a phrase for: it is not there."""
    text = text.strip(_AROUND)
    return len(text) <= LONGEST and _WORD.fullmatch(text) is not None


def gives_up(action: str) -> bool:
    """Whether an action ends a task as one that cannot be done."""
    return _GIVES_UP.fullmatch(action.lower()) is not None


def _plain(text: str) -> str:
    """A text without special tokens, fences and frames, in simplified characters."""
    text = text.replace("’", "'").replace("‘", "'").translate(_TRADITIONAL)
    return _BOXED.sub(r"\1", _TOKEN.sub("", text.strip())).strip()
