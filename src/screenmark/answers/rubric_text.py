"""The objects of a judge's reply, read with their keys in order and every value as it was written.

Unlike `loose_json` this reader never decides between two readings of a value: of a key that comes
twice both are kept, a number keeps its text, and what stands in a number's place and is none ends
the object. Form may be mended (trailing commas, single or curly quotes, unquoted keys, fences and
comments between members, quotes within a text), values may not.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

DEEPEST: Final = 6

_OPENING = re.compile(r"[{｛]")
_SKIP = re.compile(r"(?:\s++|//[^\n]*+|#[^\n]*+|```\w*+)*+")
_NUMBER = re.compile(
    r"(?P<number>[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?)(?:\s*/\s*(?P<whole>\d{1,6}))?"
    r"(?:[ \t]*(?P<unit>점|点|分|points?\b|pts?\b\.?))?"
)
_CUT_NUMBER = re.compile(r"(?:[.eE/]|[eE][+-])?\Z")
_WORD = re.compile(r"-?[^\W\d]\w{0,40}+")
_WORDS: Final = frozenset({"true", "false", "null", "none", "nan", "infinity", "-infinity"})
_BARE_KEY = re.compile(r"[^\W\d][\w-]{0,60}+")
_QUOTED_KEY = re.compile(r"[\"'“‘][^\"'“”‘’\n]{0,80}[\"'”’]")
_CUT_KEY = re.compile(r"[\"'“‘][^\"'“”‘’\n]{0,80}\Z")
_STRICT = re.compile(r'"((?:[^"\\\n]|\\.)*+)"')
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’"}
# What has to follow a quote that ends a text; a name and a colon after the comma, since a comma
# alone may follow a word that is quoted within the text.
_NEXT_KEY = r"(?:[\"'“][^\"'”\n]{1,60}[\"'”]|[^\W\d][\w-]{0,60}+)\s*+[:：]"
_ENDS_VALUE = re.compile(
    rf"\s*+(?:[}}｝\]】]|\Z|[,，]\s*+(?:{_NEXT_KEY}|[}}｝]|\Z)|//|```|(?<=\n)[ \t]*+{_NEXT_KEY})"
)
_ENDS_ITEM = re.compile(r"\s*+(?:[,，\]】]|\Z)")


class Value(NamedTuple):
    """A value as it was written.

    Attributes:
        text: a number's digits, the content of a text, a word.
        whole: what stood behind the slash of ``28/30``, or None.
        unit: whether a unit stood behind a number.
        child: the object, of an object.
    """

    kind: Literal["number", "text", "word", "object", "list"]
    text: str = ""
    whole: str | None = None
    unit: bool = False
    child: Written | None = None


class Written:
    """An object as it was written.

    Attributes:
        members: keys and values that are complete: a delimiter follows each.
        state: ``closed``, ``cut`` (the text ends within it) or ``broken`` (a value or a
            separator is none).
        last_key: the key that was read last, at any depth.
        start, end: of the object in the text.
    """

    def __init__(self, start: int, depth: int) -> None:
        self.members: list[tuple[str, Value]] = []
        self.state: Literal["closed", "cut", "broken"] = "broken"
        self.last_key: str | None = None
        self.start = start
        self.end = start
        self.depth = depth


class _Broken(Exception):
    pass


class _Cut(Exception):
    pass


def written_objects(text: str) -> list[Written]:
    """Every outermost object in a text, in order. Takes time linear in its length."""
    found = []
    position = 0
    while opening := _OPENING.search(text, position):
        reader = _Reader(text, opening.start())
        found.append(reader.read())
        position = max(reader.position, opening.end())
    return found


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.position = start
        self._last_key: str | None = None

    def read(self) -> Written:
        whole = Written(self.position, 0)
        try:
            self._object(whole)
        except _Broken:
            whole.state = "broken"
        except _Cut:
            whole.state = "cut"
            self.position = len(self.text)
        whole.end, whole.last_key = self.position, self._last_key
        return whole

    def _object(self, into: Written) -> None:
        self.position += 1
        while True:
            char = self._next()
            if char in "}｝":
                self.position += 1
                into.state, into.end = "closed", self.position
                return
            if char in ",，":
                self.position += 1
                continue
            key = self._key(char)
            if self._next() not in ":：":
                raise _Broken
            self.position += 1
            self._last_key = key
            value = self._value(into, _ENDS_VALUE)
            self._next()
            if not _may_follow(self.text, self.position):
                raise _Broken
            into.members.append((key, value))

    def _next(self) -> str:
        """The next character that means something."""
        found = _SKIP.match(self.text, self.position)
        self.position = found.end() if found else self.position
        if self.position >= len(self.text):
            raise _Cut
        return self.text[self.position]

    def _key(self, char: str) -> str:
        quoted = char in _QUOTES
        found = (_QUOTED_KEY if quoted else _BARE_KEY).match(self.text, self.position)
        if found is None:
            # Nothing but a key that the end of the text cut off is short and quoted nowhere else.
            raise _Cut if quoted and _CUT_KEY.match(self.text, self.position) else _Broken
        self.position = found.end()
        return found[0].strip("\"'“”‘’")

    def _value(self, parent: Written, ends: re.Pattern[str]) -> Value:
        char = self._next()
        if char in _QUOTES:
            return Value("text", self._text(char, ends))
        if char in "{｛":
            child = Written(self.position, parent.depth + 1)
            self._deeper(child)
            self._object(child)
            return Value("object", child=child)
        if char in "[【":
            self._list(parent)
            return Value("list")
        if found := _NUMBER.match(self.text, self.position):
            self.position = found.end()
            if _CUT_NUMBER.match(self.text, self.position):
                raise _Cut
            return Value("number", found["number"], found["whole"], found["unit"] is not None)
        found = _WORD.match(self.text, self.position)
        if found is None:
            raise _Broken
        if found.end() >= len(self.text):
            raise _Cut  # more of the word may have been to come
        if found[0].lower() not in _WORDS:
            raise _Broken
        self.position = found.end()
        return Value("word", found[0])

    def _list(self, parent: Written) -> None:
        inner = Written(self.position, parent.depth + 1)
        self._deeper(inner)
        self.position += 1
        while True:
            char = self._next()
            if char in "]】":
                self.position += 1
                return
            if char in ",，":
                self.position += 1
                continue
            self._value(inner, _ENDS_ITEM)

    @staticmethod
    def _deeper(inner: Written) -> None:
        if inner.depth > DEEPEST:
            raise _Broken

    def _text(self, quote: str, ends: re.Pattern[str]) -> str:
        """The content of a text; the first quote that something fitting follows ends it."""
        strict = _STRICT.match(self.text, self.position)
        if strict is not None and ends.match(self.text, strict.end()):
            self.position = strict.end()
            return _unescaped(strict[1])
        start = at = self.position + 1
        while (at := self.text.find(_QUOTES[quote], at)) >= 0:
            escaped = self.text[at - 1] == "\\" and at > start
            if not escaped and ends.match(self.text, at + 1):
                self.position = at + 1
                return _unescaped(self.text[start:at])
            at += 1
        raise _Cut


def _may_follow(text: str, position: int) -> bool:
    """Whether a member may end here: a separator, a bracket, or the next key without a comma."""
    if text[position] in ",，}｝":
        return True
    if not text[position - 1].isspace():
        return False
    return (
        text[position] in _QUOTES or re.match(_NEXT_KEY, text[position : position + 80]) is not None
    )


def _unescaped(body: str) -> str:
    r"""``\n``, ``\"`` and the like as what they stand for; anything else as it is."""
    if "\\" not in body:
        return body
    plain = {"n": "\n", "t": "\t", "r": "", '"': '"', "'": "'", "\\": "\\", "/": "/"}

    def replace(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return plain.get(found[2], found[0])

    text = re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", replace, body, flags=re.DOTALL)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
