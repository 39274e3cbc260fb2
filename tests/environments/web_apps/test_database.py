"""The database's file, compared table by table."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from screenmark.environments.web_apps.database import difference, make

BEFORE = """CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
CREATE TABLE u (n INTEGER);"""


def changed(folder: Path, script: str) -> Path:
    file = folder / "x.db"
    make(BEFORE, file)
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
    return file


@pytest.mark.parametrize(
    ("wanted", "done"),
    [
        ("INSERT INTO t (word) VALUES ('c')", "INSERT INTO t VALUES (3, 'c')"),
        ("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE word = 'a'"),
        ("CREATE INDEX i ON t (word)", "CREATE INDEX another_name ON t (word)"),
        ("", "UPDATE t SET word = 'z'; UPDATE t SET word = 'a' WHERE id = 1; "
             "UPDATE t SET word = 'b' WHERE id = 2"),
    ],
)  # fmt: skip
def test_right(tmp_path: Path, wanted: str, done: str) -> None:
    assert difference(BEFORE, changed(tmp_path, done), wanted) == (
        True,
        "the database is as it should be",
    )


@pytest.mark.parametrize(
    ("wanted", "done", "said"),
    [
        ("DELETE FROM t WHERE id = 1", "", "table t: expected []"),
        ("", "INSERT INTO u VALUES (7)", "table u: expected [], not [(7,)]"),
        ("", "CREATE TABLE v (n)", "table v: not asked for"),
        ("", "DROP TABLE u", "table u: missing"),
        ("", "ALTER TABLE t ADD COLUMN more", "table t: other columns"),
        ("CREATE INDEX i ON t (word)", "CREATE UNIQUE INDEX i ON t (word)", "missing"),
        ("CREATE INDEX i ON t (word)", "CREATE INDEX i ON u (n)", "missing"),
        ("", 'CREATE TABLE "a""; DROP TABLE t; --" (n)', "not asked for"),
        ("", "CREATE VIEW w AS SELECT 1", "view w: not asked for"),
    ],
)
def test_wrong(tmp_path: Path, wanted: str, done: str, said: str) -> None:
    right, why = difference(BEFORE, changed(tmp_path, done), wanted)
    assert not right
    assert said in why


@pytest.mark.parametrize("content", [None, b"no database, whatever its name says" * 99])
def test_a_file_that_is_none(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "x.db"
    if content is not None:
        file.write_bytes(content)
    right, why = difference(BEFORE, file, "")
    assert not right
    assert "cannot be read" in why
