"""What became of a task: by the files that the application left, and by what was said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Done, GiveAnswer
from screenmark.environments.web_apps import database, ledger
from screenmark.environments.web_apps.states import DATABASE, LEDGER
from screenmark.environments.web_apps.tasks import Expected

_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_LIKE_NUMBER: Final = re.compile(r"[+-]?\d(?:[\d.,]*\d)?")
_DATE: Final = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_NUMERALS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve"),
)
_LETTER: Final = r"[^\W\d_]"
_SHOWN: Final = 80


def judge(
    app: str, before: str, folder: Path, expect: Expected, said: Action | None
) -> tuple[bool, str]:
    """Whether the task is done, and why or why not in words.

    Args:
        before: text of the first state.
        folder: of the state as it is.
        said: the agent's last word, None if it had none.
    """
    if app == "fava":
        right, why = ledger.difference(before, folder / LEDGER, expect.add, expect.remove)
    else:
        right, why = database.difference(before, folder / DATABASE, expect.sql)
    if not right or not expect.answer:
        return right, why
    text = _words_of(said)
    if text is None:
        return False, "nothing was answered"
    right = answers(text, expect.answer, expect.never)
    return right, f"answered {text[:_SHOWN]!r}, expected {' and '.join(expect.answer)}"


def _words_of(said: Action | None) -> str | None:
    if isinstance(said, GiveAnswer):
        return said.text
    return said.text or None if isinstance(said, Done) else None


def answers(text: str, expected: Sequence[str], never: Sequence[str] = ()) -> bool:
    """Whether a text says what is expected, and nothing that contradicts it.

    - White space is folded, case does not count, and words around the answer do not either.
    - Numbers: all that the text holds have to be those expected, by value (``1,175.350`` is
      ``1175.35``), in digits or, where there are no digits, in words up to twelve. Who lists
      several to be right with one is wrong. A comma is no decimal point.
    - Dates: all that it holds in the form YYYY-MM-DD; they are not read as numbers.
    - Words have to be in it whole.
    - Nothing of ``never`` may be in it: other names, other currencies.
    """
    plain = " ".join(text.casefold().split())
    if any(_holds(plain, word) for word in never):
        return False
    dates = set(_DATE.findall(plain))
    numbers = _numbers_of(_DATE.sub(" ", plain))
    wanted_dates = {part for part in expected if _DATE.fullmatch(part)}
    wanted_numbers = {Decimal(part) for part in expected if _NUMBER.fullmatch(part)}
    words = [p for p in expected if not (_DATE.fullmatch(p) or _NUMBER.fullmatch(p))]
    if wanted_dates and dates != wanted_dates:
        return False
    if wanted_numbers and numbers != wanted_numbers:
        return False
    return all(_holds(plain, word) for word in words)


def _numbers_of(plain: str) -> set[Decimal | None]:
    """Values of all numbers in a text; None stands for what looks like one and is none."""
    found = _LIKE_NUMBER.findall(plain)
    if found:
        return {Decimal(n.replace(",", "")) if _NUMBER.fullmatch(n) else None for n in found}
    words = re.findall(r"\w+", plain)
    return {Decimal(_NUMERALS.index(word)) for word in words if word in _NUMERALS}


def _holds(plain: str, words: str) -> bool:
    """Whether words stand in a text, and not within a longer word."""
    words = words.casefold()
    before = rf"(?<!{_LETTER})" if words[:1].isalpha() else ""
    after = rf"(?!{_LETTER})" if words[-1:].isalpha() else ""
    return re.search(before + re.escape(words) + after, plain) is not None
