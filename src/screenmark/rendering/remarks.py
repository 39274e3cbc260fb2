"""The warnings about a page in few lines: those of one kind together, with an example."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_KIND: Final = re.compile(r"([\w -]{1,40} not served|script error): ")
_MOST_OF_A_KIND: Final = 2
_MOST_LINES: Final = 8
_LONGEST: Final = 200


def by_kind(warnings: Iterable[str]) -> list[str]:
    """At most eight lines, in the order of the warnings.

    Args:
        warnings: of a `PageRecord`.

    Returns:
        Warnings as they are; of a kind of which there are more than two, how many and an example.
    """
    kinds: dict[str, list[str]] = {}
    for text in dict.fromkeys(warnings):
        found = _KIND.match(text)
        kinds.setdefault(found[1] if found else text, []).append(text)
    lines = [line for kind, texts in kinds.items() for line in _lines_of(kind, texts)]
    if len(lines) > _MOST_LINES:
        rest = len(lines) - _MOST_LINES + 1
        lines = [*lines[: _MOST_LINES - 1], f"{rest} kinds of warnings more"]
    return lines


def _lines_of(kind: str, texts: list[str]) -> list[str]:
    if len(texts) <= _MOST_OF_A_KIND:
        return [_cut(text) for text in texts]
    example = _cut(texts[0].removeprefix(f"{kind}: "))
    return [f"{len(texts)} × {kind}, such as {example}"]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
