"""What a prompt asks of a screen: to choose an option, to find a place, or to list elements."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPTION = re.compile(r"^\s*\(?([A-Z])[.)、．：:]\s*(\S.*)$")
_QUESTION = re.compile(r"^\s*(?:Question|问题)\s*[:：]\s*(\S.*)$")
_INSTRUCTION = re.compile(r"^\s*(?:Instruction|指令)\s*[:：]\s*(\S.*)$")
_OPTIONS = re.compile(r"^\s*(?:Options|选项)\s*[:：]\s*$")
_ABSENCE = re.compile(r"\bnot on screen\b|不在屏幕上", re.IGNORECASE)


@dataclass(frozen=True)
class Choose:
    """Answer `question` with one letter of `options`, letter to text, in their order."""

    question: str
    options: dict[str, str]


@dataclass(frozen=True)
class Find:
    """Say where to click for `instruction`.

    `absence` is what to answer if there is no such thing, in the prompt's own words; None where
    the prompt does not offer it.
    """

    instruction: str
    absence: str | None = None


def read_task(prompt: str) -> Choose | Find | None:
    """The task that a prompt states in lines of its own; None for any other prompt.

    A question needs a line ``Question: …`` and, after a line ``Options:``, at least two lines
    such as ``A. …``; a search needs a line ``Instruction: …`` (``指令：…``).
    """
    lines = prompt.splitlines()
    choice = _read_choice(lines)
    if choice is not None:
        return choice
    for number, line in enumerate(lines):
        if found := _INSTRUCTION.match(line):
            # The instruction itself may well be about something that is not on screen.
            offer = _ABSENCE.search("\n".join(lines[:number] + lines[number + 1 :]))
            return Find(found[1].strip(), offer[0] if offer else None)
    return None


def _read_choice(lines: list[str]) -> Choose | None:
    question: list[str] = []
    options: dict[str, str] = {}
    listing = False
    for line in lines:
        if not question:
            if found := _QUESTION.match(line):
                question.append(found[1].strip())
        elif not listing:
            listing = bool(_OPTIONS.match(line))
            if not listing and line.strip():
                question.append(line.strip())
        elif found := _OPTION.match(line):
            options.setdefault(found[1], found[2].strip())
        elif options and line.strip():
            break
    return Choose(" ".join(question), options) if listing and len(options) > 1 else None
