"""SQL that others wrote: it reaches its own database alone, ends, and can be interrupted.

A script runs in a thread, so that Ctrl-C and a polite kill are heeded meanwhile: SQLite gives no
signal a chance before it is through.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from screenmark.errors import EnvironmentFailure

_T = TypeVar("_T")

MOST_STEPS: Final = 50_000_000
"""Of SQLite's machine, for one script: the same on every computer."""
_MOST_SECONDS: Final = 10.0  # of the processor, for steps that take long
_LOOK_AGAIN: Final = 1_000
_MOST_BYTES: Final = 32 << 20
_MOST_MEMORY: Final = 512 << 20
_PAGE: Final = 4096

_READING: Final = frozenset(
    {
        *("data_version", "foreign_key_check", "foreign_key_list", "index_info", "index_list"),
        *("index_xinfo", "integrity_check", "page_size", "quick_check", "table_info"),
        *("table_list", "table_xinfo"),
    }
)
_SETTING: Final = frozenset(
    {
        *("application_id", "case_sensitive_like", "defer_foreign_keys", "encoding"),
        *("foreign_keys", "legacy_alter_table", "recursive_triggers", "user_version"),
    }
)
_FUNCTIONS: Final = frozenset({"edit", "fts3_tokenizer", "load_extension", "readfile", "writefile"})
_MODULES: Final = frozenset({"fts3", "fts4", "fts5", "geopoly", "rtree", "rtree_i32"})
_TEMPORARY: Final = frozenset(
    {
        *(sqlite3.SQLITE_CREATE_TEMP_INDEX, sqlite3.SQLITE_CREATE_TEMP_TABLE),
        *(sqlite3.SQLITE_CREATE_TEMP_TRIGGER, sqlite3.SQLITE_CREATE_TEMP_VIEW),
    }
)


class SqlFailure(EnvironmentFailure):
    """A script that SQLite does not run, or that does what none may; says what."""


class Held:
    """Connections that are held, and what one script may take."""

    def __init__(self) -> None:
        self.stopped = False
        """Set by another thread: the script ends soon."""
        self._steps = 0
        self._end: float | None = None
        self._why = ""

    def connect(self, file: Path | None = None, *, to_read: bool = False) -> sqlite3.Connection:
        """A connection that reaches ``file`` alone, in memory without one; it cannot grow on."""
        if to_read and file is not None:
            connection = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
        else:
            connection = sqlite3.connect(file or ":memory:")
        for pragma in (
            "synchronous = OFF",  # what is written here is made anew each time
            "temp_store = MEMORY",
            f"hard_heap_limit = {_MOST_MEMORY}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        if not to_read:
            connection.execute(f"PRAGMA max_page_count = {_MOST_BYTES // _PAGE}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
        connection.set_authorizer(self._allow)
        connection.set_progress_handler(self._is_over, _LOOK_AGAIN)
        return connection

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """For one script, and what is read after it.

        Raises:
            SqlFailure: it cannot be run, reaches elsewhere, or does not end.
        """
        self._steps, self._end, self._why = 0, None, ""
        try:
            yield
        except MemoryError:
            raise SqlFailure(f"takes more than {_MOST_MEMORY >> 20} MiB of memory") from None
        except (sqlite3.Error, ValueError) as error:
            raise SqlFailure(self._why or str(error)) from None

    def _is_over(self) -> bool:
        self._steps += _LOOK_AGAIN
        now = time.thread_time()
        if self._end is None:  # most scripts are through before
            self._end = now + _MOST_SECONDS
        if self._steps > MOST_STEPS or now > self._end:
            self._why = f"does not end: it takes more than {MOST_STEPS:,} steps or 10 seconds"
        return self.stopped or bool(self._why)

    def _allow(self, action: int, one: str | None, two: str | None, *_: object) -> int:
        if problem := _forbidden(action, one or "", two):
            self._why = self._why or f"{problem} is not allowed here"
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK


def _forbidden(action: int, one: str, two: str | None) -> str | None:
    """What a statement does that none may; None if nothing."""
    if action in {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}:
        return "ATTACH, DETACH or VACUUM"
    if action in _TEMPORARY:
        return "a temporary table"
    if action == sqlite3.SQLITE_PRAGMA:
        name = one.lower()
        readable = name in _READING and (name != "page_size" or two is None)
        return None if readable or name in _SETTING else f"PRAGMA {name}"
    if action == sqlite3.SQLITE_FUNCTION and (two or "").lower() in _FUNCTIONS:
        return f"the function {two}"
    if action == sqlite3.SQLITE_CREATE_VTABLE and (two or "").lower() not in _MODULES:
        return f"a virtual table by {two}"
    return None


def held(work: Callable[[Held], _T]) -> _T:
    """Let ``work`` run in a thread of its own while signals are heeded in this one.

    Raises:
        SqlFailure: a script of it cannot be run.
    """
    limits = Held()
    results: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work(limits))
        except BaseException as error:  # raised again where it is waited for
            errors.append(error)

    thread = threading.Thread(target=run, name="held SQL", daemon=True)
    thread.start()
    try:
        thread.join()
    finally:
        limits.stopped = True  # a signal left the wait; nobody asks for the rest
    if errors:
        raise errors[0]
    return results[0]
