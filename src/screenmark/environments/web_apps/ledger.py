"""State of the ledger: a text file of dated entries, compared entry by entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?", re.ASCII)
_WITH_CURRENCY: Final = re.compile(rf"({_NUMBER.pattern})([A-Z][A-Z0-9'._-]*)", re.ASCII)
_DATE: Final = re.compile(r"(\d{4})[/-](\d\d?)[/-](\d\d?)", re.ASCII)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\S+', re.ASCII)
_TRANSACTION: Final = re.compile(r"\d{4}-\d\d-\d\d (?:\*|!) ")
_ACCOUNT: Final = re.compile(r"[A-Z][\w-]*(?::[\w-]+)+")
_AMOUNT: Final = re.compile(r"[A-Z][\w:-]* (-?[\d.]+) ([A-Z]+)")
_DIRECTIVE: Final = re.compile(
    r'^[ \t]*(include|plugin|option)[ \t]+"([^"]*)"(?:[ \t]+"([^"]*)")?', re.MULTILINE
)
_PLUGINS: Final = "beancount.ops."
_INDENT: Final = (" ", "\t")
_QUOTED_OR_REMARK: Final = re.compile(r'"(?:[^"\\]|\\.)*"|;.*$')


def entries_of(text: str) -> Counter[tuple[str, ...]]:
    """Every entry, whatever their order, with what may be written in several ways made the same.

    An entry is a line and the indented lines after it. The same are: spaces, remarks, dates with
    slashes, ``txn`` for ``*``, the order of postings, the amount that may be left out, and
    numbers of one value (``1,002.50``, ``1002.5``, ``+1002.50``). All else counts: as in the
    ledger itself, an empty line or a remark that is not indented ends an entry.
    """
    found: list[list[str]] = []
    open_entry = False
    for line in text.split("\n"):
        plain = _normal(line)
        if not plain:
            open_entry = open_entry and line[:1] in _INDENT and bool(line.strip())
            continue
        if line[:1] not in _INDENT:
            found.append([_head(plain)])
        elif open_entry:
            found[-1].append(plain)
            continue
        else:
            found.append([f"(indented) {plain}"])
        open_entry = True
    return Counter((head, *sorted(_complete(head, lines))) for head, *lines in found)


def _head(plain: str) -> str:
    """The first line of an entry with its date and flag as they are mostly written."""
    date, _, rest = plain.partition(" ")
    parts = _DATE.fullmatch(date)
    if parts is None:
        return plain
    flag, space, words = rest.partition(" ")
    flag = "*" if flag == "txn" else flag
    return f"{parts[1]}-{parts[2]:0>2}-{parts[3]:0>2} {flag}{space}{words}"


def _complete(head: str, lines: list[str]) -> list[str]:
    """The lines of a transaction with the one amount that may be left out."""
    if not _TRANSACTION.match(head):
        return lines
    without = [line for line in lines if _ACCOUNT.fullmatch(line)]
    amounts = [found for line in lines if (found := _AMOUNT.fullmatch(line))]
    currencies = {found[2] for found in amounts}
    if len(without) != 1 or len(amounts) != len(lines) - 1 or len(currencies) != 1:
        return lines
    rest = -sum((Decimal(found[1]) for found in amounts), Decimal())
    full = f"{without[0]} {_number(str(rest))} {currencies.pop()}"
    return [full if line == without[0] else line for line in lines]


def _normal(line: str) -> str:
    """A line's words, one space apart; text in quotes stays as it is."""
    outside = _QUOTED_OR_REMARK.sub(lambda at: at[0] if at[0][0] == '"' else "", line)
    words = [part for word in _TOKEN.findall(outside) for part in _apart(word)]
    return " ".join(_number(word) if _NUMBER.fullmatch(word) else word for word in words)


def _apart(word: str) -> tuple[str, ...]:
    """A number and the currency that stands right behind it."""
    found = _WITH_CURRENCY.fullmatch(word)
    return (word,) if found is None else (found[1], found[2])


def _number(word: str) -> str:
    """A number without signs, commas and zeros that change nothing; it is never rounded."""
    plain = f"{Decimal(word.replace(',', '')):f}"
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in {"-0", "", "+0"} else plain


def reach_of(text: str) -> str | None:
    """What of a ledger an episode does not have: other files, plugins; None if nothing."""
    for kind, name, value in _DIRECTIVE.findall(text):
        if kind == "include":
            return "includes another file"
        if kind == "plugin" and not name.startswith(_PLUGINS):
            return f"loads a plugin that is none of {_PLUGINS}*"
        if kind == "option" and name in {"insert_pythonpath", "plugin"}:
            return f"sets the option {name!r}"
        folder = Path(value)
        if name == "documents" and (folder.is_absolute() or ".." in folder.parts):
            return "looks for documents in another folder"
    return None


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
