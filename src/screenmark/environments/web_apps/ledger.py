"""State of the ledger: a text file of dated entries, compared entry by entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_NUMBER: Final = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
_TRANSACTION: Final = re.compile(r"\d{4}-\d\d-\d\d (?:\*|!|txn) ")
_ACCOUNT: Final = re.compile(r"[A-Z][\w-]*(?::[\w-]+)+")
_AMOUNT: Final = re.compile(r"[A-Z][\w:-]* (-?[\d.]+) ([A-Z]+)")
_COMMENT: Final = re.compile(r"(?:^|\s);.*$")


def entries_of(text: str) -> Counter[tuple[str, ...]]:
    """Every entry, whatever their order, with spaces and the writing of numbers made the same.

    An entry is a line and the indented lines after it.
    """
    found: list[list[str]] = []
    for line in text.splitlines():
        plain = _normal(line)
        if not plain:
            continue
        if line[:1].isspace() and found:
            found[-1].append(plain)
        else:
            found.append([plain])
    return Counter((head, *sorted(_complete(head, lines))) for head, *lines in found)


def _complete(head: str, lines: list[str]) -> list[str]:
    """The lines of a transaction with the one amount that may be left out."""
    if not _TRANSACTION.match(head):
        return lines
    without = [line for line in lines if _ACCOUNT.fullmatch(line)]
    amounts = [found for line in lines if (found := _AMOUNT.fullmatch(line))]
    currencies = {found[2] for found in amounts}
    if len(without) != 1 or len(amounts) != len(lines) - 1 or len(currencies) != 1:
        return lines
    rest = -sum(float(found[1]) for found in amounts)
    full = f"{without[0]} {rest:.2f} {currencies.pop()}"
    return [full if line == without[0] else line for line in lines]


def _normal(line: str) -> str:
    """A line's words, one space apart; text in quotes stays as it is."""
    outside = "".join(
        part if part.startswith('"') else _COMMENT.sub("", part)
        for part in re.split(r'("(?:[^"\\]|\\.)*")', line)
    )
    words = _TOKEN.findall(outside)
    return " ".join(_number(word) if _NUMBER.fullmatch(word) else word for word in words)


def _number(word: str) -> str:
    return f"{float(word.replace(',', '')):.2f}"


def difference(
    before: str, file: Path, add: Sequence[str], remove: Sequence[str]
) -> tuple[bool, str]:
    """Whether the file is ``before`` with entries added and removed, and nothing else.

    Returns:
        That, and what is missing or too much, in words.
    """
    wanted = entries_of(before)
    wanted.subtract(Counter(key for text in remove for key in entries_of(text)))
    if never := -wanted:
        return False, f"the task removes what was never there: {next(iter(never))[0]}"
    wanted.update(key for text in add for key in entries_of(text))
    try:
        actual = entries_of(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False, "the ledger is gone"
    missing, extra = wanted - actual, actual - wanted
    if not missing and not extra:
        return True, "the ledger is as it should be"
    parts = [f"missing: {' / '.join(key)}" for key in missing]
    parts += [f"not asked for: {' / '.join(key)}" for key in extra]
    return False, "; ".join(parts[:3])
