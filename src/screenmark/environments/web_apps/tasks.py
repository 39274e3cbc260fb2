"""Tasks as they are written down: what is asked, in which words, and how it is judged.

A file of tasks is TOML, one ``[[task]]`` each. ``{name}`` in its texts stands for a value of the
variant that the seed chooses; ``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, TypeAlias

import msgspec

from screenmark.errors import DataError

Values: TypeAlias = Mapping[str, str]

_FEWEST: Final = 2

APPS: Final = ("fava", "sqlite-web")


class Move(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of a solution.

    Attributes:
        on: CSS selector of what it is done on; waited for, and scrolled to.
        text: the whole text of that element, where several fit.
        nth: which of several, the first being 0; as text, once values are put in.
        count: of clicks.
        type: text that is typed, after a click on ``on`` if there is one.
        clear: empty the field first.
        key: a chord, as ``ctrl+s``, after a click on ``on`` if there is one.
        choose: an option of the list ``on``.
        answer: what is said to the user.
        at: point of the element's box, as fractions of it.
    """

    on: str | None = None
    text: str | None = None
    nth: int | str = 0
    count: int = 1
    type: str | None = None
    clear: bool = False
    key: str | None = None
    choose: str | None = None
    answer: str | None = None
    at: tuple[float, float] = (0.5, 0.5)


class Expected(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state that the task leads to, by its difference from the first one.

    Attributes:
        add: ledger entries that are new.
        remove: ledger entries that are gone.
        sql: what does to the first database what the agent should do.
        answer: what has to be said: a number, a date, or words; with several, all of them.
        never: words that make an answer wrong, such as the other names that it could have been.
    """

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    sql: str = ""
    answer: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class TaskText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task.

    Attributes:
        id: within the world, beginning with the application's name.
        instruction: what the agent is told.
        page: path of the first page.
        values: variants; seed n takes the n-th, and round again.
        expect: the outcome.
        oracle: turns that solve it.
        lite: whether it stands for others in a first look.
        state: file with the application's first state, beside the file of tasks: a ledger for
            Fava, SQL for sqlite-web. The household or the library if empty.
    """

    id: str
    instruction: str
    page: str
    values: tuple[dict[str, str], ...]
    expect: Expected
    oracle: tuple[Move, ...]
    lite: bool = False
    state: str = ""

    @property
    def app(self) -> str:
        """The application."""
        return next(app for app in APPS if self.id.startswith(app))

    def variant(self, seed: int) -> dict[str, str]:
        """Values for a seed."""
        return self.values[seed % len(self.values)]


def filled(thing: Any, values: Values) -> Any:
    """A struct, sequence or text with the values put into all its texts."""
    if isinstance(thing, str):
        return thing.format_map(values)
    if isinstance(thing, tuple):
        return tuple(filled(item, values) for item in thing)
    if isinstance(thing, (Move, Expected)):
        fields = {name: filled(getattr(thing, name), values) for name in thing.__struct_fields__}
        return type(thing)(**fields)
    return thing


@functools.cache
def all_tasks() -> dict[str, TaskText]:
    """Every task by its id, in the order of the files."""
    folder = files("screenmark.environments.web_apps") / "tasks"
    found: dict[str, TaskText] = {}
    for app in APPS:
        name = f"{app.replace('-', '_')}.toml"
        for task in read_tasks((folder / name).read_text("utf-8"), name):
            found[task.id] = task
    return found


def read_tasks(text: str, file: str) -> list[TaskText]:
    """The tasks of a file.

    Raises:
        DataError: it is no TOML, or a field is wrong; says which.
    """
    try:
        rows = tomllib.loads(text).get("task", [])
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"no TOML: {error}", file=file) from None
    found: list[TaskText] = []
    for number, row in enumerate(rows):
        name = str(row.get("id", f"task {number + 1}")) if isinstance(row, dict) else None
        try:
            task = msgspec.convert(row, TaskText)
            for values in task.values:
                filled((task.instruction, task.page, task.expect, task.oracle), values)
        except msgspec.ValidationError as error:
            raise DataError(str(error), file=file, sample=name) from None
        except (KeyError, ValueError, IndexError) as error:
            raise DataError(f"no variant value {error}", file=file, sample=name) from None
        _check(task, file, [other.id for other in found])
        found.append(task)
    return found


def _check(task: TaskText, file: str, taken: Sequence[str]) -> None:
    def wrong(field: str, problem: str) -> DataError:
        return DataError(problem, file=file, sample=task.id, field=field)

    if not task.id.startswith(tuple(f"{app}-" for app in APPS)):
        raise wrong("id", f"expected an id that begins with {' or '.join(f'{a}-' for a in APPS)}")
    if task.id in taken:
        raise wrong("id", "another task of this file is called so")
    if len(task.values) < _FEWEST:
        problem = f"expected at least {_FEWEST} variants: doing another one is the mistake"
        raise wrong("values", problem)
    if not task.page.startswith("/"):
        raise wrong("page", "expected a path that begins with /")
    expect = task.expect
    if not (expect.add or expect.remove or expect.sql or expect.answer):
        raise wrong("expect", "expected add or remove, sql, or answer: else doing nothing is right")
    if task.app == "fava" and expect.sql:
        raise wrong("expect.sql", "a ledger knows no SQL; expected add and remove")
    if task.app != "fava" and (expect.add or expect.remove):
        raise wrong("expect", "add and remove are for ledgers; expected sql")
