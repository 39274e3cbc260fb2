"""State of the database: a SQLite file, compared table by table."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from screenmark.environments.web_apps.held_sql import Held, SqlFailure, held

_Row: TypeAlias = tuple[Any, ...]

_KEY: Final = 5  # where a row of PRAGMA table_xinfo says whether the column is of the key


class TableState(msgspec.Struct, frozen=True):
    """A table.

    Attributes:
        columns: name, type, whether it may be empty, default and so on, of each.
        rules: what is unique, and what points to other tables.
        key: which column the database numbers itself, None if none.
    """

    columns: list[_Row]
    rules: list[_Row]
    key: int | None
    rows: Counter[_Row]


Dump: TypeAlias = dict[str, Any]


def make(script: str, file: Path) -> None:
    """Write the database that a script of SQL describes.

    Raises:
        SqlFailure: SQLite does not run it, or it reaches elsewhere.
    """

    def work(limits: Held) -> None:
        with closing(limits.connect(file)) as connection, limits.bounded():
            connection.executescript(script)
            connection.commit()

    held(work)


def dump_of(connection: sqlite3.Connection) -> Dump:
    """Columns, rules and rows of every table, every index, and what views and triggers say.

    Indexes are known by what they do and how many do the same: their names are the agent's choice.
    """
    found: Dump = {}
    indexes: Counter[str] = Counter()
    listed = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid"
    for kind, name, table, sql in connection.execute(listed).fetchall():
        if name.startswith("sqlite_"):
            continue
        if kind == "table":
            found[f"table {name}"] = _table(connection, name)
        elif kind == "index":
            indexes[f"index on {table} {_index(connection, name, table)}"] += 1
        else:
            found[f"{kind} {name}"] = sql
    return {**found, **indexes}


def _table(connection: sqlite3.Connection, name: str) -> TableState:
    quoted = _quoted(name)
    info = connection.execute(f"PRAGMA table_xinfo({quoted})").fetchall()
    columns = [(row[1], row[2].upper(), *row[3:]) for row in info]
    keys = [n for n, row in enumerate(columns) if row[_KEY - 1]]
    numbered = keys[0] if len(keys) == 1 and columns[keys[0]][1] == "INTEGER" else None
    made = connection.execute(f"PRAGMA index_list({quoted})").fetchall()
    rules = [_index(connection, row[1], name) for row in made if row[3] != "c"]
    rules += connection.execute(f"PRAGMA foreign_key_list({quoted})").fetchall()
    rows = connection.execute(f"SELECT * FROM {quoted}").fetchall()  # noqa: S608 - quoted
    return TableState(columns, sorted(rules, key=repr), numbered, Counter(rows))


def _index(connection: sqlite3.Connection, name: str, table: str) -> _Row:
    """Columns with how they are compared, whether it is unique, whether it leaves rows out."""
    listed = connection.execute(f"PRAGMA index_list({_quoted(table)})").fetchall()
    unique, partial = next((row[2], row[4]) for row in listed if row[1] == name)
    parts = connection.execute(f"PRAGMA index_xinfo({_quoted(name)})").fetchall()
    columns = [f"{row[2]} {row[4]}".lower() for row in parts if row[5]]
    return (", ".join(columns), "unique" if unique else "", "partial" if partial else "")


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def difference(before: str, file: Path, change: str) -> tuple[bool, str]:
    """Whether the file holds what ``change`` makes of ``before``, and nothing else.

    New rows may have other numbers than they would have got, where the database numbers them.

    Returns:
        That, and where they differ, in words.

    Raises:
        SqlFailure: a script cannot be run.
    """
    return held(lambda limits: _difference(limits, before, file, change))


def _difference(limits: Held, before: str, file: Path, change: str) -> tuple[bool, str]:
    with closing(limits.connect()) as connection:
        first = _after(limits, connection, before)
        wanted = _after(limits, connection, change)
    try:
        with limits.bounded(), closing(limits.connect(file, to_read=True)) as connection:
            actual = dump_of(connection)
    except SqlFailure as error:
        return False, f"the database cannot be read: {error}"
    wrong = _differing(first, wanted, actual)
    if not wrong:
        return True, "the database is as it should be"
    return False, "; ".join(_said(name, wanted.get(name), actual.get(name)) for name in wrong[:3])


def _after(limits: Held, connection: sqlite3.Connection, script: str) -> Dump:
    """What a database holds once a script was run on it."""
    with limits.bounded():
        connection.executescript(script)
        connection.commit()
        return dump_of(connection)


def _differing(first: Dump, wanted: Dump, actual: Dump) -> list[str]:
    names = dict.fromkeys([*wanted, *actual])
    return [n for n in names if not _same(first.get(n), wanted.get(n), actual.get(n))]


class Change(msgspec.Struct, frozen=True):
    """What a task's SQL does to its first database.

    Attributes:
        problem: why it cannot be run, None if it can.
        nothing: it leaves everything as it was.
    """

    problem: str | None
    nothing: bool = False


def changes(before: str, scripts: Iterable[str]) -> dict[str, Change]:
    """What each of the scripts does to ``before``, by script.

    Raises:
        SqlFailure: ``before`` cannot be run.
    """
    return held(lambda limits: _changes(limits, before, dict.fromkeys(scripts)))


def _changes(limits: Held, before: str, scripts: Iterable[str]) -> dict[str, Change]:
    found = {}
    with closing(limits.connect()) as base:
        first = _after(limits, base, before)
        for script in scripts:
            with closing(limits.connect()) as connection:
                base.backup(connection)
                try:
                    wanted = _after(limits, connection, script)
                except SqlFailure as failure:
                    found[script] = Change(str(failure))
                    continue
            found[script] = Change(None, nothing=not _differing(first, wanted, first))
    return found


def _same(first: Any, wanted: Any, actual: Any) -> bool:
    if not isinstance(wanted, TableState) or not isinstance(actual, TableState):
        return bool(wanted == actual)
    if (wanted.columns, wanted.rules) != (actual.columns, actual.rules):
        return False
    if wanted.rows == actual.rows or wanted.key is None or not isinstance(first, TableState):
        return wanted.rows == actual.rows
    known = {row[wanted.key] for row in first.rows}
    return _unnumbered(wanted, known) == _unnumbered(actual, known)


def _unnumbered(table: TableState, known: set[Any]) -> Counter[_Row]:
    """The rows, and of those that are new all but their number."""
    key, found = table.key or 0, Counter[_Row]()
    for row, count in table.rows.items():
        found[row if row[key] in known else (None, *row[:key], *row[key + 1 :])] += count
    return found


def _said(name: str, wanted: Any, actual: Any) -> str:
    if wanted is None or actual is None:
        return f"{name}: {'not asked for' if wanted is None else 'missing'}"
    if not isinstance(wanted, TableState) or not isinstance(actual, TableState):
        return f"{name}: differs"
    if wanted.columns != actual.columns:
        return f"{name}: other columns"
    if wanted.rules != actual.rules:
        return f"{name}: other rules"
    missing, extra = (list(part) for part in (wanted.rows - actual.rows, actual.rows - wanted.rows))
    return f"{name}: expected {missing[:2]}, not {extra[:2]}"
