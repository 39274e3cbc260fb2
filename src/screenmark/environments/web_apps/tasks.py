"""Tasks as they are written down: what is asked, in which words, and how it is judged.

A file of tasks is TOML, one ``[[task]]`` each. ``{name}`` in its texts stands for a value of the
variant that the seed chooses; ``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from importlib.resources import files
from string import Formatter
from typing import Any, Final, TypeAlias

import msgspec

from screenmark.errors import DataError

Values: TypeAlias = Mapping[str, str]

_FEWEST: Final = 2
_FORMATTER: Final = Formatter()

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
        raise DataError(f"not TOML: {error}", file=file) from None
    except RecursionError:
        raise DataError("not TOML that can be read: it is nested too deeply", file=file) from None
    if not isinstance(rows, list):
        raise DataError("expected [[task]], in two brackets", file=file, field="task")
    found: dict[str, TaskText] = {}
    for number, row in enumerate(rows):
        name = str(row.get("id", f"task {number + 1}")) if isinstance(row, dict) else None
        try:
            task = msgspec.convert(row, TaskText)
        except msgspec.ValidationError as error:
            raise DataError(str(error), file=file, sample=name) from None
        _check(task, file, found)
        found[task.id] = task
    return list(found.values())


def _check(task: TaskText, file: str, taken: Container[str]) -> None:
    for field, problem in _mistakes(task, taken):
        raise DataError(problem, file=file, sample=task.id, field=field)


def _mistakes(task: TaskText, taken: Container[str]) -> Iterator[tuple[str, str]]:
    """Fields that are wrong, and why; the later ones are right only if the earlier are."""
    if not task.id.startswith(tuple(f"{app}-" for app in APPS)):
        yield "id", f"expected an id that begins with {' or '.join(f'{a}-' for a in APPS)}"
    if task.id in taken:
        yield "id", "another task of this file is called so"
    if len(task.values) < _FEWEST:
        yield "values", f"expected at least {_FEWEST} variants: doing another one is the mistake"
    if twins := _twins(task.values):
        yield "values", f"variants {twins[0]} and {twins[1]} are the same"
    for field, texts in _texts_of(task):
        for problem in (_unfillable(text, task.values) for text in texts):
            if problem is not None:
                yield field, problem
    for number, move in enumerate(task.oracle):
        if not all(filled(str(move.nth), values).isdecimal() for values in task.values):
            yield f"oracle[{number}].nth", "expected a number from 0 on"
    if not task.page.startswith("/"):
        yield "page", "expected a path that begins with /"
    yield from _outcome_mistakes(task)


def _outcome_mistakes(task: TaskText) -> Iterator[tuple[str, str]]:
    expect = task.expect
    if not (expect.add or expect.remove or expect.sql or expect.answer):
        yield "expect", "expected add or remove, sql, or answer: else doing nothing is right"
    if task.app == "fava" and expect.sql:
        yield "expect.sql", "a ledger knows no SQL; expected add and remove"
    if task.app != "fava" and (expect.add or expect.remove):
        yield "expect", "add and remove are for ledgers; expected sql"


def _twins(values: Sequence[Values]) -> tuple[int, int] | None:
    """Numbers of two variants that are the same, the first being 1."""
    seen: dict[frozenset[tuple[str, str]], int] = {}
    for number, variant in enumerate(values, 1):
        first = seen.setdefault(frozenset(variant.items()), number)
        if first != number:
            return first, number
    return None


def _texts_of(task: TaskText) -> Iterator[tuple[str, Iterator[str]]]:
    """Fields, and their texts that values are put into."""
    yield "instruction", iter((task.instruction,))
    yield "page", iter((task.page,))
    yield "expect", _texts_in(task.expect)
    for number, move in enumerate(task.oracle):
        yield f"oracle[{number}]", _texts_in(move)


def _texts_in(thing: Any) -> Iterator[str]:
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, tuple):
        for part in thing:
            yield from _texts_in(part)
    elif isinstance(thing, msgspec.Struct):
        yield from _texts_in(msgspec.structs.astuple(thing))


def _unfillable(text: str, variants: Sequence[Values]) -> str | None:
    """Why values cannot be put into a text; None if they can."""
    if "{" not in text and "}" not in text:
        return None
    try:
        names = [part[1:] for part in _FORMATTER.parse(text) if part[1] is not None]
    except ValueError as error:
        return f"{error}; {{{{ and }}}} are braces"
    for name, form, conversion in names:
        if form or conversion or not str(name).isidentifier():
            return f"expected a variant's value as {{name}}, not {{{name}…}}; {{{{ is a brace"
        for number, variant in enumerate(variants, 1):
            if name not in variant:
                return f"variant {number} has no value {name!r}"
    return None
