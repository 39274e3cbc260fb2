"""Reply text to the class that the model names, out of a closed list.

Only a declared class counts, as with letters: one that is all of the reply, that stands where an
answer is announced, under a key of JSON that means the answer, or alone on the first or last
line. A class in a sentence is none. Where several are declared the last one counts; where one
declaration names several, none does. Case, and whether words are joined by a space, a hyphen or
an underscore, do not matter.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from screenmark.answers import choice_words as words
from screenmark.answers.ending import ending_of, is_refusal
from screenmark.answers.json_text import read_json
from screenmark.answers.thinking import strip_thinking
from screenmark.types import Answer, Json, Outcome

_LONGEST_REPLY: Final = 100_000
_DEEPEST: Final = 4
_KEYS: Final = frozenset(
    {
        *("answer", "final_answer", "class", "label", "category", "type", "topic", "prediction"),
        *("predicted_class", "icon", "icon_class", "app_type", "screen_topic", "choice", "sync"),
        *("答案", "类别", "分类"),
    }
)
_THING = (
    r"(?:answer|class|label|category|type|topic|prediction|icon|app type|screen topic|choice"
    r"|类别|分类|答案)"
)
_OPEN = r"[\s\"'\[({<「“‘【#*`]{0,8}"
_CLOSE = r"[\"'\])}>」”’】*`]{0,6}"
_ENDS = r"(?=\s*(?:[.,;:!。，；！]|\n|$|\(|（))"
_MORE = r"\s?(?:,|;|/|&|、|，|\s(?:and|or)\s|或|和)\s?(?:and |or )?"
_NOT_WORDS = re.compile(r"[\s_-]+")
_AROUND = " \t\n\"'[](){}<>「」“”‘’【】#*`.,:;!。，；！"


class _Patterns(NamedTuple):
    """What a list of classes is read with."""

    names: dict[str, str]
    announced: re.Pattern[str]
    more: re.Pattern[str]


def parse_class(text: str, classes: Sequence[str], *, finish_reason: str | None = None) -> Answer:
    """The class that a reply declares.

    Args:
        text: the reply.
        classes: those that there are.
        finish_reason: the provider's word for how the reply ended.

    Returns:
        ``ok`` with the class as it stands in ``classes``; ``unparseable`` with the reason if
        none is declared, more than one is, or one that is not among them; otherwise what the
        reply's end calls for.

    Raises:
        ValueError: two of the classes differ only in case or in how words are joined.
    """
    patterns = _patterns(tuple(classes))
    stripped = strip_thinking(text)
    ended = ending_of(stripped, finish_reason)
    if ended is not None:
        return ended
    reply = stripped.text[-_LONGEST_REPLY:].strip()
    found = (
        _alone(reply, patterns)
        or _in_objects(reply, patterns)
        or _announced(reply, patterns)
        or _lines(reply, patterns)
    )
    distinct = list(dict.fromkeys(found))
    if len(distinct) == 1:
        return Answer(Outcome.OK, distinct[0])
    if distinct:
        return _unclear(f"several declared at once: {', '.join(distinct)}")
    if is_refusal(words.clean(reply)):
        return Answer(Outcome.REFUSED, reason="policy")
    return _unclear(f"no class of the list is declared; got {reply[:80]!r}")


def _unclear(reason: str) -> Answer:
    return Answer(Outcome.UNPARSEABLE, reason=reason)


@functools.lru_cache(maxsize=64)
def _patterns(classes: tuple[str, ...]) -> _Patterns:
    names = {_plain(name): name for name in classes}
    if len(names) < len(classes):
        raise ValueError("two classes differ only in case or in how their words are joined")
    longest = sorted(names, key=len, reverse=True)
    one = "|".join(re.escape(name).replace(r"\ ", r"[\s_-]+") for name in longest)
    is_ = r"(?:\s+(?:is|would be|should be|must be)(?:\s*:)?\s|\s?(?:=|:|->|=>|→|：|是|为)\s?)"
    lead = rf"(?:\\f?boxed\s?\{{|<answer>|\b{_THING}{_CLOSE}{is_}(?:the\s|an?\s)?)"
    announced = rf"{lead}{_OPEN}(?:class\s)?({one})\b{_CLOSE}"
    return _Patterns(
        names,
        re.compile(announced, re.IGNORECASE),
        re.compile(rf"{_MORE}{_OPEN}({one})\b{_CLOSE}", re.IGNORECASE),
    )


def _plain(text: str) -> str:
    return _NOT_WORDS.sub(" ", text.strip(_AROUND)).strip().casefold()


def _alone(text: str, patterns: _Patterns) -> list[str]:
    """A text that is a class and nothing else."""
    # A class is short; what is long is not worth the work.
    name = patterns.names.get(_plain(text)) if len(text) <= 200 else None
    return [] if name is None else [name]


def _in_objects(reply: str, patterns: _Patterns) -> list[str]:
    """The classes under keys that mean the answer, in the last object that has any."""
    if "{" not in reply:
        return []
    found: list[str] = []
    for fields in _objects(read_json(reply).values, 0):
        values = [value for key, value in fields.items() if _key(key) in _KEYS]
        named = [name for value in values for name in _named(value, patterns)]
        found = named or found
    return found


def _named(value: Json, patterns: _Patterns) -> list[str]:
    if isinstance(value, list):
        return [name for item in value for name in _named(item, patterns)]
    if isinstance(value, str | int) and not isinstance(value, bool):
        return _alone(str(value), patterns)
    return []


def _key(name: object) -> str:
    return str(name).strip().lower().replace(" ", "_").replace("-", "_")


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


def _announced(reply: str, patterns: _Patterns) -> list[str]:
    """What the last announcement names: one class, or several at once."""
    found: list[str] = []
    for match in patterns.announced.finditer(reply):
        named, end = [match[1]], match.end()
        while more := patterns.more.match(reply, end):
            named.append(more[1])
            end = more.end()
        if re.match(_ENDS, reply[end:]):
            found = [patterns.names[_plain(name)] for name in named]
    return found


def _lines(reply: str, patterns: _Patterns) -> list[str]:
    """A class alone on the last line, or else on the first."""
    lines = [line for line in reply.splitlines() if line.strip()]
    for line in (lines[-1], lines[0]) if len(lines) > 1 else ():
        if found := _alone(line, patterns):
            return found
    return []
