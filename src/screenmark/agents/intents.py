"""What a sentence asks to be done, as a row of clicks and of things to type.

Rules for English and nothing learnt: quoted strings are typed after words such as *enter* and
clicked after others; lists between *select* and *and click* are clicked one by one.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

_VERB: Final = re.compile(
    r"\b(enter|type|write|fill|input|click|press|hit|select|choose|check|open|find|close|tap|"
    r"name[d]?|titled|expand)\b",
    re.IGNORECASE,
)
_TYPING: Final = frozenset({"enter", "type", "write", "fill", "input"})
_QUOTED: Final = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_FIELD: Final = re.compile(r"\b(?:the|into|in|as)\s+(?:the\s+)?(\w+)\s*(?:field|box)?\s*$", re.I)
_LIST: Final = re.compile(
    r"^(?:please\s+)?select\s+(.+?)(?:\s+from\b[^,]*?)?(?:\s+and\s+(?:click|press|hit)\b|[.]|$)",
    re.IGNORECASE,
)
_FROM_LIST: Final = re.compile(
    r"\b(?:select|choose)\s+(.+?)\s+(?:from|in)\s+the\s+(?:list|drop-?down)\b", re.IGNORECASE
)
_LAST: Final = re.compile(
    r"\b(?:press|click|hit)\s+(?:on\s+)?(?:the\s+)?\"?(submit|login|log in|search|ok|save|send|"
    r"create|add|next|continue)\"?",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(
    r"\b(?:click|press|tap)\s+(?:on\s+)?(?:the\s+)?(.+?)(?:,|\.|$|\s+then\b|\s+and\b)",
    re.IGNORECASE,
)
_BOTH: Final = re.compile(r"\bboth\b.*\b(?:fields|boxes)\b", re.IGNORECASE)
_CASES: Final = (("upper case", str.upper), ("lower case", str.lower))


class Intent(msgspec.Struct, frozen=True):
    """One thing to do: click on what is called ``target``, type ``text`` into its field, or
    choose ``text`` in a list.

    Attributes:
        target: words on it or beside it; for typing, of the field's label, maybe empty.
        text: what to type.
    """

    kind: Literal["click", "type", "choose"]
    target: str
    text: str = ""


def read_intents(instruction: str) -> list[Intent]:
    """What an instruction asks for, in its order; empty if no rule fits."""
    text = " ".join(instruction.split())
    found = _chosen(text) or _listed(text) or _by_quotes(text) or _by_words(text)
    last = _LAST.search(text)
    if last is not None and found:
        final = Intent("click", last[1])
        if found[-1].target.lower() != final.target.lower():
            found.append(final)
    return found


def _chosen(text: str) -> list[Intent]:
    found = _FROM_LIST.search(text)
    return [] if found is None else [Intent("choose", "", found[1].strip(' "'))]


def _listed(text: str) -> list[Intent]:
    if _QUOTED.search(text):
        return []
    found = _LIST.search(text)
    if found is None:
        return []
    parts = re.split(r",\s*|\s*>\s*", found[1])
    return [Intent("click", part.strip()) for part in parts if part.strip() not in {"", "nothing"}]


def _by_quotes(text: str) -> list[Intent]:
    intents = []
    verb = "click"
    end = 0
    for quote in _QUOTED.finditer(text):
        before = text[end : quote.start()]
        verbs = _VERB.findall(before)
        if verbs:
            verb = verbs[-1].lower()
        if verb in _TYPING:
            intent = Intent("type", _field(before), _in_case(text, quote[1]))
            intents += [intent] * (2 if _BOTH.search(text) else 1)
        else:
            intents.append(Intent("click", quote[1].strip()))
        end = quote.end()
    return intents


def _field(before: str) -> str:
    found = _FIELD.search(before)
    word = found[1].lower() if found else ""
    return "" if word in {"the", "text", "word", "value", "number", "item", "into"} else word


def _in_case(text: str, said: str) -> str:
    low = text.lower()
    return next((change(said) for words, change in _CASES if words in low), said)


def _by_words(text: str) -> list[Intent]:
    targets = [found[1].strip() for found in _PLAIN.finditer(text)]
    stripped = [re.sub(r"^button\s+|\s+(?:button|link|tab)$", "", t, flags=re.I) for t in targets]
    return [Intent("click", target) for target in stripped if target]
