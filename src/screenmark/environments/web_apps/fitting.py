"""Whether tasks fit the state that they begin with, and ask for something at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from screenmark.environments.web_apps import ledger
from screenmark.environments.web_apps.database import changes
from screenmark.environments.web_apps.held_sql import SqlFailure
from screenmark.environments.web_apps.tasks import Expected, TaskText, filled

Misfit: TypeAlias = tuple[TaskText, str, str]
"""A task, the field of it that is wrong, and why."""

_FREE = "changes nothing, and no answer is asked for: doing nothing would be right"


def misfit(app: str, state: str, tasks: Sequence[TaskText]) -> Misfit | None:
    """The first mistake in tasks that begin with the same state; None if there is none.

    Args:
        state: text of the first state.
    """
    for task, variant, expect in _variants(tasks):
        for field, words in (("answer", expect.answer), ("never", expect.never)):
            if not all(word.strip() for word in words):
                return task, f"expect.{field}", f"expected words; one is empty{variant}"
    return (_of_ledger if app == "fava" else _of_database)(state, tasks)


def _variants(tasks: Sequence[TaskText]) -> Iterator[tuple[TaskText, str, Expected]]:
    """Every variant of every task: which one, in words, and what is expected of it."""
    for task in tasks:
        for number, values in enumerate(task.values, 1):
            yield task, f" (variant {number})", filled(task.expect, values)


def _of_ledger(state: str, tasks: Sequence[TaskText]) -> Misfit | None:
    if problem := ledger.reach_of(state):
        return tasks[0], "state", f"the ledger {problem}, which an episode does not have"
    there = ledger.entries_of(state)
    for task, variant, expect in _variants(tasks):
        add, remove = (
            [ledger.entries_of(text) for text in texts] for texts in (expect.add, expect.remove)
        )
        if not all((*add, *remove)):
            return task, "expect", f"add and remove: expected an entry in each text{variant}"
        new, gone = _sum(add), _sum(remove)
        if missing := gone - there:
            head = next(iter(missing))[0]
            return task, "expect.remove", f"the ledger has no entry {head!r}{variant}"
        if new == gone and not expect.answer:
            return task, "expect", f"{_FREE}{variant}"
    return None


def _sum(parts: Sequence[Counter[tuple[str, ...]]]) -> Counter[tuple[str, ...]]:
    total: Counter[tuple[str, ...]] = Counter()
    for part in parts:
        total.update(part)
    return total


def _of_database(state: str, tasks: Sequence[TaskText]) -> Misfit | None:
    variants = list(_variants(tasks))
    try:
        done = changes(state, [expect.sql for _, _, expect in variants])
    except SqlFailure as failure:
        return tasks[0], "state", f"the first state is no SQL that can be run: {failure}"
    for task, variant, expect in variants:
        change = done[expect.sql]
        if change.problem is not None:
            return task, "expect.sql", f"{change.problem}{variant}"
        if change.nothing and not expect.answer:
            return task, "expect.sql", f"{_FREE}{variant}"
    return None
