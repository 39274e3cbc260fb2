"""Fenced blocks of a reply, all of them."""

from __future__ import annotations

import re

_FENCE = re.compile(r"```(?:(?:python3?|py|json|code|text)\b)?[ \t]*\n?(.*?)(?:```|\Z)", re.S)


def fenced_blocks(text: str) -> list[str]:
    """What stands in fences, in order, without empty ones; the last fence need not close."""
    return [block for found in _FENCE.finditer(text) if (block := found[1].strip())]


def before_fences(text: str) -> str:
    """What stands before the first fence."""
    return text.partition("```")[0].strip()
