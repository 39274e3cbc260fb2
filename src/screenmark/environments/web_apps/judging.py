"""What became of a task: by the files that the application left, and by what was said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Done, GiveAnswer
from screenmark.environments.web_apps import database, ledger
from screenmark.environments.web_apps.states import DATABASE, LEDGER
from screenmark.environments.web_apps.tasks import Expected

_NUMBER: Final = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\d])")
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
    right = answers(text, expect.answer)
    return right, f"answered {text[:_SHOWN]!r}, expected {' and '.join(expect.answer)}"


def _words_of(said: Action | None) -> str | None:
    if isinstance(said, GiveAnswer):
        return said.text
    return said.text or None if isinstance(said, Done) else None


def answers(text: str, expected: Sequence[str]) -> bool:
    """Whether a text says what is expected.

    Words have to be in it as they stand, whatever their case. Numbers have to be all those that
    it holds: who lists several to be right with one is wrong.
    """
    numbers = [float(part) for part in expected if _NUMBER.fullmatch(part)]
    words = [part.casefold() for part in expected if not _NUMBER.fullmatch(part)]
    plain = " ".join(text.casefold().split())
    if any(not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain) for word in words):
        return False
    if not numbers:
        return True
    return {float(found.replace(",", "")) for found in _NUMBER.findall(plain)} == set(numbers)
