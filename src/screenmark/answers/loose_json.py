"""A reader for JSON as models write it: one pass, no recursion, no guess about what is missing.

Beyond strict JSON it takes trailing, doubled and missing commas, comments, single quotes,
unescaped quotes inside a string, unquoted keys and words, Python's ``True`` and ``None``, and
full-width 【】｛｝“”，：. It never invents a bracket, a digit or the rest of a string: a container
that was not closed, or that was closed by the wrong bracket, is marked as damaged, and whoever
uses the value decides what its complete parts are worth.

json-repair would close what was cut off (``[10, 20, 30, 4`` becomes a box) and takes seconds for
20 kB of ``[{'``; here each character is looked at a bounded number of times.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final, TypeAlias

from screenmark.types import Json

MAX_DEPTH: Final = 64
"""Reading stops at deeper nesting: it is a model that runs away, not a page."""

LONGEST_INTEGER: Final = 300
"""An integer with more digits stays text: Python refuses or takes long to convert it."""

Container: TypeAlias = "dict[str, Any] | list[Any]"
Damage: TypeAlias = "dict[int, tuple[Container, str]]"
"""Reasons by ``id``; the container is kept beside its reason so that the id stays its own."""

CUT_OFF: Final = "cut off before its end"

_SKIP = re.compile(r"(?:\s++|//[^\n]*+|#[ !][^\n]*+|/\*(?:.*?\*/|.*+))*+", re.DOTALL)
# A quote ends its string only in front of something that can follow a string.
_FOLLOWS = r"(?=\s*+(?:[,:\]}，：】｝]|//|/\*|\Z)|[^\S\n]*+\n)"
_CLOSING_QUOTES: Final = {'"': '"', "'": "'", "“": "“”", "”": "“”", "‘": "‘’"}
_STRINGS: Final = {
    opening: re.compile(
        rf"((?:[^{closing}\\]++|\\.|[{closing}](?!{_FOLLOWS}))*+)[{closing}]", re.DOTALL
    )
    for opening, closing in _CLOSING_QUOTES.items()
}
# Keys hold no quotes of their own: the first one ends them.
_KEYS: Final = {
    opening: re.compile(rf"((?:[^{closing}\\]++|\\.)*+)[{closing}]", re.DOTALL)
    for opening, closing in _CLOSING_QUOTES.items()
}
_WORD = re.compile(r"[^\s,:\[\]{}\"，：【】｛｝“”]++(?:[ \t]++[^\s,:\[\]{}\"，：【】｛｝“”]++)*+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES: Final = dict(zip('bfnrt/\\"', '\b\f\n\r\t/\\"', strict=True))
_OTHER_ESCAPES: Final = {"'": "'", "\n": "\n"}
_CONTROL = re.compile(r"[\x00-\x1f]")
_JSON_WORDS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None}
_OTHER_WORDS: Final[dict[str, Json]] = {
    "True": True,
    "False": False,
    "None": None,
    "undefined": None,
    "NaN": math.nan,
    "nan": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
}
_OPENERS: Final = {"[": "[", "【": "[", "{": "{", "｛": "{"}
_CLOSERS: Final = {"]": "[", "】": "[", "}": "{", "｝": "{"}


def parse_int(digits: str) -> int | str:
    """An integer, or its text if it has more than 300 digits."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else digits


class _Frame:
    """An open container and what may come next in it: ``key``, ``colon``, ``value``, ``comma``."""

    __slots__ = ("expects", "key", "value")

    def __init__(self, value: Container) -> None:
        self.value = value
        self.key = ""
        self.expects = "key" if isinstance(value, dict) else "value"


class LooseReader:
    """Reads one value of a text, from the bracket at ``start`` on.

    Attributes:
        value: what was read; None after a false start.
        end: where reading stopped.
        loose: True if the text of the value is not strict JSON.
        cut: True if the text ended, or nesting became too deep, inside the value; the rest
            of the text is then taken as read.
        damage: the containers of the value that are not complete, with the reason.
    """

    __slots__ = ("_stack", "cut", "damage", "end", "loose", "text", "value")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.end = start
        self.value: Json = None
        self.loose = self.cut = False
        self.damage: Damage = {}
        self._stack: list[_Frame] = []
        self._open(_OPENERS[text[start]])
        while self._stack:
            self._step()

    def _step(self) -> None:
        char = self.text[self.end : self.end + 1]
        if char.isspace() or char in {"/", "#"}:
            start = self.end
            self.end = _end(_SKIP, self.text, start)
            self.loose = self.loose or not self.text[start : self.end].isspace()
            char = self.text[self.end : self.end + 1]
        if not char:
            self._stop(CUT_OFF)
            return
        if char in ",，":
            self._comma()
        elif char in ":：":
            self._colon()
        elif char in _OPENERS:
            self._open(_OPENERS[char])
        elif char in _CLOSERS:
            self._close(_CLOSERS[char])
        elif char in _STRINGS:
            self._string(char)
        else:
            self._word()
        if char > "\u2000":  # the full-width forms
            self.loose = True

    # What can stand at a position.

    def _open(self, kind: str) -> None:
        if len(self._stack) >= MAX_DEPTH:
            self._stop("nested too deeply")
            return
        if kind == "{" and self._stack and self._stack[-1].expects in {"key", "comma"}:
            # Inside an object no object can begin here: the brace that closes it is missing.
            while self._stack and isinstance(self._stack[-1].value, dict):
                self._break("its closing brace is missing")
                self._stack.pop()
            if not self._stack:
                return
        child: Container = {} if kind == "{" else []
        if self._stack:
            if isinstance(self._stack[-1].value, dict) and self._stack[-1].expects != "value":
                self._break("a value stands without its key")
                self._stack[-1].expects = "value"
            self._put(child)
        else:
            self.value = child
        self._stack.append(_Frame(child))
        self.end += 1

    def _close(self, kind: str) -> None:
        self.end += 1
        wanted = dict if kind == "{" else list
        if not any(isinstance(frame.value, wanted) for frame in self._stack):
            self.loose = True  # a stray bracket
            return
        while not isinstance(self._stack[-1].value, wanted):
            self._break("its brackets do not match")
            self._stack.pop()
        frame = self._stack.pop()
        if frame.expects == "colon":
            self._damage(frame.value, f"the key {frame.key[:40]!r} has no value")
        elif frame.expects != "comma" and frame.value:
            self.loose = True  # a trailing comma, or a colon with nothing behind it

    def _comma(self) -> None:
        self.end += 1
        frame = self._stack[-1]
        if frame.expects == "colon":
            self._break(f"the key {frame.key[:40]!r} has no value")
        elif frame.expects != "comma":
            self.loose = True
        frame.expects = "key" if isinstance(frame.value, dict) else "value"

    def _colon(self) -> None:
        self.end += 1
        if self._stack[-1].expects == "colon":
            self._stack[-1].expects = "value"
        else:
            self._break("a colon stands where none can be")

    def _string(self, quote: str) -> None:
        frame = self._stack[-1]
        is_key = isinstance(frame.value, dict) and frame.expects in {"key", "comma"}
        found = (_KEYS if is_key else _STRINGS)[quote].match(self.text, self.end + 1)
        if found is None:
            self._stop(CUT_OFF)
            return
        self.end = found.end()
        body = found[1]
        if quote != '"' or '"' in _ESCAPE.sub("", body) or _CONTROL.search(body):
            self.loose = True
        self._put(self._unescape(body) if "\\" in body else body)

    def _unescape(self, body: str) -> str:
        def replace(found: re.Match[str]) -> str:
            code, char = found.groups()
            if code:
                return chr(int(code, 16))
            if char in _ESCAPES:
                return _ESCAPES[char]
            self.loose = True
            return _OTHER_ESCAPES.get(char, found[0])

        return _ESCAPE.sub(replace, body)

    def _word(self) -> None:
        found = _WORD.match(self.text, self.end)
        word = found[0] if found else self.text[self.end]
        self.end += len(word)
        if self.end >= len(self.text):
            self._stop(CUT_OFF)  # more of the word may have been to come
        elif number := _NUMBER.fullmatch(word):
            self._put(float(word) if number[1] or number[2] else parse_int(word))
        elif word in _JSON_WORDS:
            self._put(_JSON_WORDS[word])
        elif word not in _OTHER_WORDS and self._is_prose():
            self.value = None
            self._stack.clear()
        else:
            self.loose = True
            self._put(_OTHER_WORDS.get(word, word))

    def _is_prose(self) -> bool:
        """True if nothing but opening brackets stood before the current word: ``[[word``."""
        *outer, last = (frame.value for frame in self._stack)
        return last == [] and all(isinstance(value, list) and len(value) == 1 for value in outer)

    # What becomes of it.

    def _put(self, item: Json) -> None:
        frame = self._stack[-1]
        if isinstance(frame.value, list):
            if frame.expects == "comma":
                self.loose = True
            frame.value.append(item)
            frame.expects = "comma"
        elif frame.expects == "value":
            frame.value[frame.key] = item
            frame.expects = "comma"
        else:
            if frame.expects == "comma":
                self.loose = True
            elif frame.expects == "colon":
                self._break(f"the key {frame.key[:40]!r} has no value")
            frame.key = item if isinstance(item, str) else str(item)
            frame.expects = "colon"

    def _break(self, reason: str) -> None:
        """Mark the innermost open object as damaged."""
        for frame in reversed(self._stack):
            if isinstance(frame.value, dict):
                self._damage(frame.value, reason)
                return
        self.loose = True

    def _damage(self, value: Container, reason: str) -> None:
        self.loose = True
        self.damage.setdefault(id(value), (value, reason))

    def _stop(self, reason: str) -> None:
        self.cut, self.end = True, len(self.text)
        for frame in self._stack:
            self.damage.setdefault(id(frame.value), (frame.value, reason))
        self._stack.clear()


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start
