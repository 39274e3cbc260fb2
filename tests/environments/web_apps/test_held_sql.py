"""SQL of others is held: to its database, to an end, and to signals."""

from __future__ import annotations

import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from screenmark.environments.web_apps.database import Change, changes, make
from screenmark.environments.web_apps.held_sql import Held, SqlFailure, held

BEFORE = "CREATE TABLE t (n INTEGER PRIMARY KEY, w TEXT); INSERT INTO t VALUES (1, 'a');"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT {0} UNION ALL SELECT {0} FROM c)"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("ATTACH '{}/a.db' AS x; CREATE TABLE x.a (b)", "ATTACH"),
        ("VACUUM INTO '{}/a.db'", "VACUUM"),
        ("DETACH main", "DETACH"),
        ("SELECT load_extension('{}/x')", "load_extension"),
        ("PRAGMA temp_store_directory = '{}'", "PRAGMA temp_store_directory"),
        ("PRAGMA writable_schema = ON", "PRAGMA writable_schema"),
        ("PRAGMA max_page_count = 99999999", "PRAGMA max_page_count"),
        ("PRAGMA page_size = 65536", "PRAGMA page_size"),
        ("CREATE TEMP TABLE a (b)", "a temporary table"),
        ("CREATE VIRTUAL TABLE a USING csv(filename='/etc/passwd')", "a virtual table by csv"),
        ("SELECT '\0'", "null character"),
        (f"{ENDLESS.format('1')} SELECT count(*) FROM c", "does not end"),
        (f"CREATE TABLE a AS {ENDLESS.format('zeroblob(1000000)')} SELECT * FROM c", "full"),
        ("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT load_extension('x'); END;"
         "INSERT INTO t VALUES (2, 'b')", "load_extension"),
    ],
)  # fmt: skip
def test_what_no_script_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    monkeypatch.setattr("screenmark.environments.web_apps.held_sql.MOST_STEPS", 500_000)
    script = script.replace("{}", str(tmp_path))
    (change,) = changes(BEFORE, [script]).values()
    assert said in (change.problem or "")
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(SqlFailure, match=said):
        make(script if "trigger" not in script.lower() else BEFORE + script, own / "x.db")
    assert {path.name for path in tmp_path.iterdir()} == {"own"}


@pytest.mark.parametrize(
    ("script", "nothing"),
    [
        ("UPDATE t SET w = 'b'", False),
        ("UPDATE t SET w = w", True),
        ("CREATE TABLE IF NOT EXISTS t (n)", True),
        ("", True),
        ("PRAGMA foreign_keys = OFF; BEGIN; INSERT INTO t VALUES (2, 'b'); COMMIT", False),
        ("CREATE VIRTUAL TABLE s USING fts4(w); INSERT INTO s VALUES ('b')", False),
    ],
)
def test_what_scripts_do(script: str, nothing: bool) -> None:
    assert changes(BEFORE, [script]) == {script: Change(None, nothing=nothing)}


def test_one_script_does_nothing_to_the_next() -> None:
    done = changes(BEFORE, ["DROP TABLE t", "nonsense", "INSERT INTO t VALUES (2, 'b')"])
    assert [change.problem is None for change in done.values()] == [True, False, True]


def test_a_signal_ends_the_wait() -> None:
    started, ended = threading.Event(), threading.Event()

    def work(limits: Held) -> None:
        with closing(limits.connect()) as connection, limits.bounded():
            started.set()
            with pytest.raises(sqlite3.OperationalError, match="interrupted"):
                connection.executescript(f"{ENDLESS.format('1')} SELECT count(*) FROM c")
            ended.set()

    def interrupt() -> None:
        started.wait(10)
        signal.pthread_kill(waiting, signal.SIGINT)  # as Ctrl-C does

    waiting = threading.get_ident()
    # Where tests run in the background the signal is ignored from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            held(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.wait(10)
