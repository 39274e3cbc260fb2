"""How a reply ended: cut off, withheld, or refused in words."""

from __future__ import annotations

import re
from typing import Final

from screenmark.answers.thinking import Stripped
from screenmark.types import Answer, Outcome

_CUT_OFF: Final = frozenset({"length", "max_tokens", "max_output_tokens"})
_WITHHELD: Final = frozenset({"content_filter", "refusal", "safety"})

LONGEST_REFUSAL: Final = 600
"""A longer text is not taken for a refusal, however it begins."""


def was_cut_off(finish_reason: str | None) -> bool:
    """True if the provider says that the reply met the token limit."""
    return finish_reason is not None and finish_reason.lower() in _CUT_OFF


def was_withheld(finish_reason: str | None) -> bool:
    """True if the provider says that the model or its filter refused."""
    return finish_reason is not None and finish_reason.lower() in _WITHHELD


_VERBS = (
    r"(?:assist|help|comply|fulfil+|provide|process|continue|complete|answer|respond|generate|"
    r"describe|identify|analy[sz]e|parse|list|extract|share|discuss|engage|participate|"
    r"do (?:that|this|so))\b"
)
_CANNOT = (
    r"(?:can(?:no|')t|can not|won't|will not|won't be able to|(?:am|'m) (?:not able|unable) to|"
    r"(?:am|'m) not allowed to|(?:must|have to) decline)"
)
# A model that says it cannot *see* an image got none: that is no policy, so "see", "view" and
# "access" are not among the verbs.
_ENGLISH = re.compile(
    r"(?:(?:i'm|i am)(?: very| so| really)? sorry|sorry|i apologi[sz]e|my apologies|"
    r"unfortunately|as an ai(?: language)?(?: model| assistant)?)?[\s,.!:;—-]*(?:but[\s,]+)?"
    rf"i ?(?:{_CANNOT} (?!(?:determine|tell|say|find|see) )(?:\w+ ){{0,2}}?{_VERBS}|"
    r"(?:must|have to) (?:decline|refuse)\b)",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:(?:非常|很|十分)?(?:抱歉|对不起|不好意思)|很遗憾|作为(?:一个|一名|一款)?"
    r"(?:AI|人工智能)?(?:语言)?(?:模型|助手))?[\s,，。.!！:：]*(?:但|但是)?(?:我|本人)?"
    r"(?:目前|暂时|现在)?(?:无法|不能|没有?办法|不可以|拒绝)"
    r"(?:为您|为你|给您|给你|向您|向你|对此|就此|直接|继续)?"
    r"(?:协助|帮助|帮忙|帮您|帮你|提供|处理|完成|回答|回应|满足|执行|描述|识别|分析|解析|列出|生成|讨论)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """True if ``text`` begins like a refusal and is short: "I'm sorry, but I can't help …".

    Conservative on purpose: what is not recognised ends up unparseable, which counts the
    same in every score. The caller makes sure that the text holds no answer.
    """
    text = text.strip().strip("\"'“”*_# ").replace("’", "'")
    if not text or len(text) > LONGEST_REFUSAL:
        return False
    return bool(_ENGLISH.match(text) or _CHINESE.match(text))


_API_FAILURE = re.compile(r"\s*failed to obtain answer via api\.?\s*", re.IGNORECASE)


def ending_of(stripped: Stripped, finish_reason: str | None) -> Answer | None:
    """What the end of a reply says already, where one short answer is expected; else None.

    A reply that was cut off has no value: what it mentions on the way is not its answer.
    """
    if was_withheld(finish_reason):
        return Answer(Outcome.REFUSED, reason="policy")
    if not stripped.closed:
        return Answer(Outcome.TRUNCATED, reason="the thinking block never ends")
    if was_cut_off(finish_reason):
        return Answer(Outcome.TRUNCATED, reason="the token limit was met")
    if not stripped.text:
        return Answer(Outcome.EMPTY, reason="the reply holds no text")
    if _API_FAILURE.fullmatch(stripped.text):
        # What MMBench-GUI's files of predictions hold in place of a reply.
        return Answer(Outcome.API_ERROR, reason="the text of a failed call, not a reply")
    return None
