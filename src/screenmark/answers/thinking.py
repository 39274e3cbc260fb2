"""Reasoning that a model writes before or between its answer, taken out of the reply."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_TAG = re.compile(
    r"<(/?)(think|thinking|reasoning|thought)>"
    r"|◁(/?)(think)▷"
    r"|\[(/?)(THINK)\]",
    re.IGNORECASE,
)


class Stripped(msgspec.Struct, frozen=True):
    """A reply without its reasoning.

    Attributes:
        text: what is left to be read as the answer, without outer white space.
        reasoning: the removed blocks, tags left out, joined by line breaks.
        removed: True if there was at least one thinking tag.
        closed: False if the last block never ends: the reply was cut off while the model was
            still thinking, and nothing after the opening tag is an answer.
    """

    text: str
    reasoning: str = ""
    removed: bool = False
    closed: bool = True


def strip_thinking(text: str) -> Stripped:
    """Remove every thinking block from a reply.

    Known are ``<think>``, ``<thinking>``, ``<reasoning>``, ``<thought>``, ``◁think▷`` and
    ``[THINK]``, each with its closing tag. Some servers swallow the opening tag: a closing
    tag on its own ends a block that began with the text. A tag inside a double-quoted string
    is something that the model read on the page, and stays.
    """
    kept: list[str] = []
    reasoning: list[str] = []
    start = 0  # where the current stretch of answer or of reasoning begins
    opened: str | None = None  # the tag whose closing is awaited
    removed = False
    for tag, quoted in _tags(text):
        name, closing = _kind(tag)
        if opened is None and quoted:
            continue
        if opened is not None and not (closing and name == opened):
            continue
        removed = True
        (reasoning if closing else kept).append(text[start : tag.start()])
        start, opened = tag.end(), None if closing else name
    (kept if opened is None else reasoning).append(text[start:])
    return Stripped(
        text="".join(kept).strip(),
        reasoning="\n".join(piece.strip() for piece in reasoning if piece.strip()),
        removed=removed,
        closed=opened is None,
    )


def _tags(text: str) -> Iterator[tuple[re.Match[str], bool]]:
    """Every tag, and whether an odd number of double quotes stands before it on its line."""
    quotes = done = 0
    for tag in _TAG.finditer(text):
        line = text.rfind("\n", done, tag.start()) + 1
        if line:
            quotes, done = 0, line
        quotes += text.count('"', done, tag.start()) - text.count('\\"', done, tag.start())
        done = tag.start()
        yield tag, quotes % 2 == 1


def _kind(tag: re.Match[str]) -> tuple[str, bool]:
    """The name of a tag, lower case with its style of brackets, and True if it closes."""
    slash, name = next((tag[i], tag[i + 1]) for i in (1, 3, 5) if tag[i + 1])
    return tag[0][0] + name.lower(), bool(slash)
