"""Calls written as markup or prose in replies of agents whose plain text is a last word.

A model without the tool's interface writes ``<invoke name="…">`` or ``left_click(10, 10)``: that
it wants to go on is certain even where what it wants is not, so such a text is no last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from screenmark.answers.actions.objects import MOST_OBJECTS
from screenmark.answers.actions.trouble import Invalid
from screenmark.types import Json

_TAG: Final = r"(?:[a-z]{1,10}:)?"
_INVOKE = re.compile(
    rf"<{_TAG}invoke\s{{1,20}}name\s?=\s?([\"'])([\w.-]{{1,60}})\1\s{{0,20}}>(.*?)</{_TAG}invoke>",
    re.S,
)
_PARAMETER = re.compile(
    rf"\s*<{_TAG}parameter\s{{1,20}}name\s?=\s?([\"'])([\w.-]{{1,60}})\1[^<>]{{0,60}}>"
    rf"(.*?)</{_TAG}parameter>",
    re.S,
)
_OPENING = re.compile(rf"<{_TAG}invoke\b")
_MARKUP = re.compile(
    rf"<\|?{_TAG}(?:invoke|function_calls?|tool_calls?|tool_use|tool_code)\b|<function=", re.I
)
_USUAL: Final = ("click", "press", "hotkey", "computer", "computer_use")
"""Calls that models write whatever their own dialect is."""


def read_invokes(text: str) -> tuple[str, list[dict[str, Json]]]:
    """What stands before the first ``<invoke>``, and all of them as named calls.

    Arguments stay text, as they were written. A reply whose first brace comes before the first
    ``<invoke>`` is JSON, and has none.

    Raises:
        Invalid: one is not whole, holds anything but parameters, or there are more than 64.
    """
    begins = _OPENING.search(text)
    if begins is None or "{" in text[: begins.start()]:
        return "", []
    calls: list[dict[str, Json]] = []
    at = begins.start()
    while opening := _OPENING.search(text, at):
        found = _INVOKE.match(text, opening.start())
        if found is None or len(calls) == MOST_OBJECTS:
            raise Invalid(f"an <invoke> is not complete, or there are more than {MOST_OBJECTS}")
        calls.append({"name": found[2], "arguments": _parameters(found[3])})
        at = found.end()
    return re.sub(rf"<{_TAG}function_calls>", "", text[: begins.start()]).strip(), calls


def _parameters(body: str) -> dict[str, Json]:
    values: dict[str, Json] = {}
    at = 0
    while found := _PARAMETER.match(body, at):
        if found[2] in values:
            raise Invalid(f"an <invoke> gets {found[2]!r} twice")
        values[found[2]] = found[3]
        at = found.end()
    if body[at:].strip():
        raise Invalid("an <invoke> has to hold <parameter name=…>value</parameter> only")
    return values


def call_in(text: str, names: Iterable[str]) -> str | None:
    """The beginning of a call in a text: its markup, or a known name with a bracket after it.

    The plural of a word, ``key(s)``, is no call.
    """
    if found := _MARKUP.search(text):
        return found[0]
    known = "|".join(sorted(map(re.escape, {*_USUAL, *names}), key=len, reverse=True))
    called = re.search(
        rf"(?<![A-Za-z0-9_])(?:pyautogui\.\w{{1,20}}|{known})\((?!e?s\))", text, re.I
    )
    return called[0] if called else None
