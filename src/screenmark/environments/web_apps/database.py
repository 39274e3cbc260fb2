"""State of the database: a SQLite file, compared table by table."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

Dump: TypeAlias = dict[str, Any]


def make(script: str, file: Path) -> None:
    """Write the database that a script of SQL describes."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
        connection.commit()


def dump_of(connection: sqlite3.Connection) -> Dump:
    """Columns, rows and indexes of every table, and what its views and triggers say."""
    found: Dump = {}
    listed = "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    for kind, name, table in connection.execute(listed).fetchall():
        quoted, on = _quoted(name), _quoted(table)
        if kind == "table":
            columns = [row[1:] for row in connection.execute(f"PRAGMA table_info({quoted})")]
            rows = connection.execute(f"SELECT * FROM {quoted}").fetchall()  # noqa: S608 - quoted
            found[f"table {name}"] = (columns, sorted(rows, key=repr))
        elif kind == "index":  # by what it does; its name is the agent's choice
            flags = {row[1]: row[2] for row in connection.execute(f"PRAGMA index_list({on})")}
            parts = [row[2] for row in connection.execute(f"PRAGMA index_info({quoted})")]
            found[f"index on {table} {parts}"] = flags.get(name)
        else:
            found[f"{kind} {name}"] = table
    return found


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def difference(before: str, file: Path, change: str) -> tuple[bool, str]:
    """Whether the file holds what ``change`` makes of ``before``, and nothing else.

    Returns:
        That, and where they differ, in words.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(before)
        connection.executescript(change)
        wanted = dump_of(connection)
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            actual = dump_of(connection)
    except sqlite3.Error as error:
        return False, f"the database cannot be read: {error}"
    names = dict.fromkeys([*wanted, *actual])
    wrong = [name for name in names if wanted.get(name) != actual.get(name)]
    if not wrong:
        return True, "the database is as it should be"
    return False, "; ".join(_said(name, wanted.get(name), actual.get(name)) for name in wrong[:3])


def _said(name: str, wanted: Any, actual: Any) -> str:
    if wanted is None or actual is None:
        return f"{name}: {'not asked for' if wanted is None else 'missing'}"
    if not name.startswith("table "):
        return f"{name}: differs"
    if wanted[0] != actual[0]:
        return f"{name}: other columns"
    missing = [row for row in wanted[1] if row not in actual[1]]
    extra = [row for row in actual[1] if row not in wanted[1]]
    return f"{name}: expected {missing[:2]}, not {extra[:2]}"
