"""Task files of a person's own: read, checked against their first state, and made a world."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from screenmark.environments.web_apps import ledger
from screenmark.environments.web_apps.states import first_state
from screenmark.environments.web_apps.tasks import APPS, TaskText, all_tasks, filled, read_tasks
from screenmark.errors import DataError

SUFFIX: Final = ".toml"
"""A world whose name ends so is a file of tasks."""


class TaskSet(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks and the states that they begin with.

    Attributes:
        tasks: by id.
        states: the text of the first state, by the task's id.
    """

    tasks: dict[str, TaskText]
    states: dict[str, str]


def bundled() -> TaskSet:
    """The tasks that come with the package."""
    of_apps = {app: first_state(app) for app in APPS}
    tasks = all_tasks()
    return TaskSet(tasks=tasks, states={id: of_apps[task.app] for id, task in tasks.items()})


def read_task_set(file: Path) -> TaskSet:
    """The tasks of a file.

    Raises:
        DataError: it cannot be read, a field is wrong, a state is missing, or what is expected
            does not fit the state; says of which task.
    """
    found = read_tasks(_text(file, None), str(file))
    if not found:
        raise DataError("expected at least one [[task]]", file=file)
    states = {task.id: _state(task, file) for task in found}
    for task in found:
        for values in task.values:
            expect = filled(task.expect, values)
            if problem := _misfit(task.app, states[task.id], expect):
                raise DataError(problem, file=file, sample=task.id, field="expect")
    return TaskSet(tasks={task.id: task for task in found}, states=states)


def _text(file: Path, task: TaskText | None) -> str:
    named = {} if task is None else {"sample": task.id, "field": "state"}
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise DataError("there is no such file", file=file, **named) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", file=file, **named) from None


def _state(task: TaskText, file: Path) -> str:
    if not task.state:
        return first_state(task.app)
    return _text(file.parent / task.state, task)


def _misfit(app: str, state: str, expect: object) -> str | None:
    """Why the state cannot become what is expected of it."""
    add, remove = getattr(expect, "add", ()), getattr(expect, "remove", ())
    if app == "fava":
        wanted = ledger.entries_of(state)
        for text in remove:
            if ledger.entries_of(text) - wanted:
                return f"remove: the ledger has no entry {text.strip()!r}"
        if any(not ledger.entries_of(text) for text in (*add, *remove)):
            return "add and remove: expected an entry in each text"
        return None
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.executescript(state)
        except sqlite3.Error as error:
            return f"the first state is no SQL that SQLite runs: {error}"
        try:
            connection.executescript(getattr(expect, "sql", ""))
        except sqlite3.Error as error:
            return f"sql: {error}"
    return None
