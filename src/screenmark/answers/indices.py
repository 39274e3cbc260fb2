"""Reply text to the number of the thing that the model chose.

Only a declared number counts, as with letters: one that is all of the reply, that stands where
an answer is announced, under a key of JSON that means the answer, or alone on the first or last
line. A number in a sentence is none. Where several are declared the last one counts; where one
declaration names several, none does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from screenmark.answers import choice_words as words
from screenmark.answers.ending import ending_of, is_refusal
from screenmark.answers.json_text import read_json
from screenmark.answers.thinking import strip_thinking
from screenmark.types import Answer, Json, Outcome

_LONGEST_REPLY: Final = 100_000
_LONGEST_LINE: Final = 60
_DEEPEST: Final = 4
_THING = (
    r"(?:option|choice|candidate|element|component|box|item|object|number|no\.?|index|node|"
    r"编号|序号|选项|元素|候选|号)"
)
_OPEN = r"[\s\"'\[({<「“‘【#_|]{0,8}"
_CLOSE = r"[\"'\])}>」”’】_]{0,6}"
_NAME = rf"(?:(?:the )?(?:{_THING}[\s_:#.-]{{0,3}}){{1,2}})?"
# No digit of another number: "3.5", "3-5", "3/4", "30 %", "3px", "3rd".
_DIGITS = r"(\d{1,6})(?![\d%A-Za-z_]|[.,/:-]\d|\s?%)"
_NUMBER = rf"{_OPEN}{_NAME}{_OPEN}{_DIGITS}"
_IS = r"[\s\"'_]{0,4}(?:is|are|=|->|=>|[:→]|(?:should|must|would) be)"
_SELF = r"(?:\b(?:i|we)(?:'d| would| will|'ll)? |\blet's |(?:^|[.!?\n] ?))"
_PICK = r"(?:pick|choose|select|chose|selected|picked|go with|opt for|click(?: on)?|tap(?: on)?)\b"

_ALONE = re.compile(
    rf"{_OPEN}{_NAME}{_OPEN}{_DIGITS}{_CLOSE}号?[\s\"'\])}}>」”’.,:;!。|_]{{0,8}}", re.IGNORECASE
)
_ANNOUNCED = re.compile(
    rf"(?:\\f?boxed\s?\{{|<(?:final_)?(?:answer|choice)>|<\|begin_of_box\|>"
    rf"|\banswer(?: here)?{_IS}"
    rf"|\b{_THING}{_IS}"
    rf"|\b(?:correct|right|best|matching|intended|target|referred) (?:one|match|{_THING}){_IS}"
    rf"|{_SELF}{_PICK}"
    rf"|答案?(?:应该|应|就)?(?:\s?(?:是|为|选|:)){{1,2}}|(?:应该|应|我|故|所以)选(?:择)?:?)"
    rf"{_NUMBER}",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(
    rf"^{_OPEN}(?:{_THING}[\s_:#.-]{{0,3}}{_OPEN}{_DIGITS}{_CLOSE}(?=[\s:.,(–—-])"
    rf"|(\d{{1,6}}){_CLOSE}:(?=\s))[^\n]",
    re.IGNORECASE | re.MULTILINE,
)
_MORE = re.compile(
    rf"{_CLOSE}(?:\s?(?:,|/|&|、|;)\s?|\s(?:and|or)\s|\s?(?:和|或|及|与)\s?)"
    rf"(?:and |or )?{_OPEN}{_NAME}{_OPEN}(\d{{1,6}})(?![\d%A-Za-z_]|[.,/:-]\d)",
    re.IGNORECASE,
)
_MINUS = re.compile(r"^[ \t]{0,8}-(?=\d)", re.MULTILINE)
_CLAUSE_ENDS = re.compile(r"[.,;:!?\n。、]")
_INDEX_KEYS: Final = frozenset(
    {
        *("answer", "final_answer", "index", "number", "choice", "option", "selected", "label"),
        *("candidate", "element", "component", "box", "item", "prediction", "id", "编号", "答案"),
    }
)


def parse_index(text: str, numbers: Sequence[int], *, finish_reason: str | None = None) -> Answer:
    """The number that a reply declares, or the scores that it gives to all of them.

    Args:
        text: the reply.
        numbers: those that may be chosen, in order.
        finish_reason: the provider's word for how the reply ended.

    Returns:
        ``ok`` with ``{"index": number or None, "scores": numbers or None}``: scores, of JSON
        under ``scores`` and one for each of ``numbers`` in order, may come with or without an
        index. ``unparseable`` with the reason if nothing or more than one is declared;
        otherwise what the reply's end calls for.
    """
    stripped = strip_thinking(text)
    ended = ending_of(stripped, finish_reason)
    if ended is not None:
        return ended
    raw = stripped.text[-_LONGEST_REPLY:]
    reply = words.clean(_MINUS.sub("−", raw))  # else taken for the dash of a list
    objects = list(_objects(read_json(raw).values, 0)) if "{" in raw else []
    scored = [fields["scores"] for fields in objects if "scores" in fields]
    scores = _scores(scored[-1], len(numbers)) if scored else None
    if isinstance(scores, str):
        return _unclear(scores)
    found = _alone(reply) or _in_objects(objects) or ([] if scores else _in_words(reply))
    if found or scores:
        return _decided(found, scores, numbers)
    if is_refusal(reply):
        return Answer(Outcome.REFUSED, reason="policy")
    return _unclear(f"no number is declared; got {reply[:80]!r}")


def _decided(found: list[int], scores: list[float] | None, numbers: Sequence[int]) -> Answer:
    distinct = list(dict.fromkeys(found))
    if len(distinct) > 1:
        return _unclear(f"several declared at once: {', '.join(map(str, distinct))}")
    if distinct and distinct[0] not in numbers:
        return _unclear(f"{distinct[0]} is not among the numbers to choose from")
    index = distinct[0] if distinct else None
    return Answer(Outcome.OK, {"index": index, "scores": scores})


def _unclear(reason: str) -> Answer:
    return Answer(Outcome.UNPARSEABLE, reason=reason)


def _alone(reply: str) -> list[int]:
    if len(reply) > _LONGEST_LINE:
        return []
    found = _ALONE.fullmatch(reply)
    return [int(found[1])] if found else []


def _in_objects(objects: Sequence[dict[str, Json]]) -> list[int]:
    """The numbers under keys that mean the answer, in the last object that has any."""
    found: list[int] = []
    for fields in objects:
        values = [
            number
            for key, value in fields.items()
            if _key(key) in _INDEX_KEYS
            for number in _numbers(value)
        ]
        found = values or found
    return found


def _key(name: object) -> str:
    plain = str(name).strip().lower().replace(" ", "_")
    return plain.removesuffix("_index").removesuffix("_number").removesuffix("_id")


def _numbers(value: Json) -> list[int]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, str):
        return _alone(words.clean(value[:_LONGEST_LINE]))
    if isinstance(value, list):
        return [
            number for item in value[:20] if not isinstance(item, list) for number in _numbers(item)
        ]
    return []


def _objects(value: Json, depth: int) -> Iterator[dict[str, Json]]:
    """Every object in a value, the outer before the inner."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            if isinstance(item, dict | list):
                yield from _objects(item, depth + 1)


def _scores(value: Json, count: int) -> list[float] | str:
    """A finite number for each candidate, or what is wrong with them."""
    if not isinstance(value, list) or len(value) != count:
        found = f"{len(value)} of them" if isinstance(value, list) else "none"
        return f"scores: expected a list of {count} numbers, found {found}"
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float):
            return "scores: one is not a number"
        if not math.isfinite(number) or abs(number) > 1e300:
            return "scores: one is not finite"
    return [float(number) for number in value]


def _in_words(reply: str) -> list[int]:
    """The numbers of the last declaration that nothing takes back, else of a line alone."""
    found: list[int] = []
    for match in _ANNOUNCED.finditer(reply):
        before = _CLAUSE_ENDS.split(reply[max(0, match.start() - 60) : match.start()])[-1]
        if words.NEGATED.search(before) or words.DENIED.match(reply, match.end()):
            continue
        found = [int(match[1]), *_following(reply, match.end())]
    if found:
        return found
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    outer = [number for line in (lines[:1] + lines[-1:]) for number in _alone(line)]
    if outer:
        return outer
    return [
        int(match[1] or match[2])
        for match in _LABEL.finditer(reply)
        if not words.DENIED.match(reply, match.end(1) if match[1] else match.end(2))
    ]


def _following(reply: str, position: int) -> list[int]:
    found = []
    while more := _MORE.match(reply, position):
        found.append(int(more[1]))
        position = more.end()
    return found
