"""Every task's check, without a browser: what a suspicious reader would try to pass it with."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from screenmark.answers.actions.schema import GiveAnswer
from screenmark.environments.web_apps.judging import judge
from screenmark.environments.web_apps.states import DATABASE, LEDGER, first_state, put
from screenmark.environments.web_apps.tasks import Expected, TaskText, all_tasks, filled

TASKS = all_tasks()
VARIANTS = [(id, seed) for id, task in TASKS.items() for seed in range(len(task.values))]


class Desk:
    """The state of a task's application, to be changed by hand."""

    def __init__(self, id: str, seed: int, folder: Path) -> None:
        self.task: TaskText = TASKS[id]
        self.values = self.task.variant(seed)
        self.expect: Expected = filled(self.task.expect, self.values)
        self.before = first_state(self.task.app)
        self.folder = folder
        put(self.task.app, self.before, folder)

    def sql(self, script: str) -> None:
        with closing(sqlite3.connect(self.folder / DATABASE)) as connection:
            connection.executescript(f"PRAGMA synchronous = OFF; {script}")

    def edit(self, change: Callable[[str], str]) -> None:
        file = self.folder / LEDGER
        file.write_text(change(file.read_text("utf-8")), encoding="utf-8")

    def append(self, text: str) -> None:
        self.edit(lambda before: f"{before}\n{text}\n")

    def do(self, expect: Expected | None = None) -> None:
        """What the task asks for, in the plainest way."""
        expect = expect or self.expect
        if expect.sql:
            self.sql(expect.sql)
        for text in expect.remove:
            self.edit(functools.partial(_without, entry=text))
        for text in expect.add:
            self.append(text)

    def ruin(self) -> None:
        """Something else than was asked for, far from it."""
        if self.task.app == "fava":
            self.edit(lambda before: before.replace("5000.00 EUR", "5000.01 EUR"))
        else:
            self.sql("UPDATE loans SET book_id = 12 WHERE id = 1")

    def right(self, said: str | None = None) -> bool:
        answer = " ".join(self.expect.answer) if said is None else said
        last = GiveAnswer(answer) if answer else None
        return judge(self.task.app, self.before, self.folder, self.expect, last)[0]


def _without(ledger: str, *, entry: str) -> str:
    """The ledger less the entry with the same first line."""
    head = entry.strip().splitlines()[0]
    parts = ledger.split("\n\n") if head.startswith("20") else ledger.split("\n")
    kept = [part for part in parts if not part.startswith(head)]
    assert len(kept) == len(parts) - 1
    return ("\n\n" if head.startswith("20") else "\n").join(kept)


@pytest.fixture
def desk(tmp_path: Path) -> Callable[..., Desk]:
    def make(id: str, seed: int = 0, name: str = "state") -> Desk:
        folder = tmp_path / name
        folder.mkdir()
        return Desk(id, seed, folder)

    return make


@pytest.mark.parametrize(("id", "seed"), VARIANTS)
def test_what_is_asked_for_and_nothing_else(id: str, seed: int, desk: Callable[..., Desk]) -> None:
    done = desk(id, seed, "done")
    assert not done.right("") or not done.expect.answer
    if not done.expect.answer:
        assert not done.right(), "nothing was done"
    done.do()
    assert done.right()
    done.ruin()
    assert not done.right(), "something else was changed"
    other = desk(id, seed, "other")
    wrong: Expected = filled(other.task.expect, other.task.variant(seed + 1))
    other.do(wrong)
    assert not other.right(" ".join(wrong.answer)), "another variant was done"


ADDS = [id for id, task in TASKS.items() if task.expect.add or "INSERT" in task.expect.sql]


@pytest.mark.parametrize("id", ADDS)
def test_twice_is_too_often(id: str, desk: Callable[..., Desk]) -> None:
    done = desk(id)
    done.do()
    if done.expect.sql:
        done.sql(done.expect.sql)
    else:
        done.append(done.expect.add[0])
    assert not done.right()


BOOK = "INSERT INTO books (title, author, year, shelf, copies) VALUES "
QUIET = "('The Quiet Harbour', 'Lena Fuchs', {}, 'A2', {})"


@pytest.mark.parametrize(
    ("id", "script", "right"),
    [
        ("add-book", BOOK + QUIET.format("'2021'", "'2'"), True),
        ("add-book", BOOK + QUIET.format("2021", "2") + "; UPDATE books SET id = 40 WHERE id = 13",
         True),
        ("add-book", BOOK + QUIET.format("2021", "1") + "; DELETE FROM books WHERE id = 13; "
         + BOOK + QUIET.format("2021", "2"), True),
        ("add-book", BOOK + QUIET.format("2021", "2") + "; UPDATE books SET id = 41 WHERE id = 1",
         False),
        ("add-book", BOOK + QUIET.format("2021", "3"), False),
        ("add-book", BOOK + QUIET.format("'2021 '", "'2'"), True),
        ("add-book", BOOK + QUIET.format("'c. 2021'", "2"), False),
        ("change-email", "UPDATE members SET email = 'd.kaya@post.test'", False),
        ("change-email", "UPDATE members SET email = 'd.kaya@post.test ' WHERE id = 4", False),
        ("change-email", "DELETE FROM members WHERE id = 4; INSERT INTO members VALUES "
         "(4, 'Deniz Kaya', 'd.kaya@post.test', 'Konstanz', 1)", True),
        ("return-book", "UPDATE loans SET returned = '2024-03-21' WHERE id = 4", True),
        ("return-book", "UPDATE loans SET returned = '21.03.2024' WHERE id = 4", False),
        ("return-book", "UPDATE loans SET returned = '2024-03-21' WHERE book_id IN (6, 11)",
         False),
        ("delete-book", "DELETE FROM books WHERE author = 'Ines Duarte'", False),
        ("delete-book", "DELETE FROM books WHERE id = 4", True),
        ("delete-from-town", "DELETE FROM members WHERE town = 'Lindau'; DELETE FROM loans "
         "WHERE member_id IN (1, 3, 7)", False),
        ("delete-from-town", "DELETE FROM members WHERE town LIKE '%n%'", False),
        ("add-column", "ALTER TABLE books ADD COLUMN publisher text", True),
        ("add-column", "ALTER TABLE books ADD COLUMN publisher", False),
        ("add-column", "ALTER TABLE books ADD COLUMN Publisher TEXT", False),
        ("add-column", "ALTER TABLE books ADD COLUMN publisher TEXT DEFAULT 'x'", False),
        ("rename-column", "ALTER TABLE books ADD COLUMN place TEXT", False),
        ("rename-column", "ALTER TABLE books RENAME COLUMN shelf TO Place", False),
        ("rename-column", "CREATE TABLE b (id INTEGER PRIMARY KEY, title TEXT NOT NULL, "
         "author TEXT NOT NULL, year INTEGER NOT NULL, place TEXT NOT NULL, "
         "copies INTEGER NOT NULL); INSERT INTO b SELECT * FROM books; DROP TABLE books; "
         "ALTER TABLE b RENAME TO books", True),
        ("add-index", "CREATE INDEX a ON books (author)", True),
        ("add-index", "CREATE INDEX a ON books (author DESC)", True),
        ("add-index", "CREATE UNIQUE INDEX a ON books (title)", False),
        ("add-index", "CREATE INDEX a ON books (author, title)", False),
        ("add-index", "CREATE INDEX a ON books (author) WHERE year > 2000", False),
        ("add-index", "CREATE INDEX a ON books (author COLLATE NOCASE)", False),
        ("add-index", "CREATE INDEX a ON books (author); CREATE INDEX b ON books (author)", False),
        ("add-index", "CREATE INDEX a ON books (author); CREATE VIEW v AS SELECT 1", False),
        ("add-index", "CREATE INDEX a ON books (author); CREATE TRIGGER t AFTER DELETE ON loans "
         "BEGIN SELECT 1; END", False),
        ("add-index", "CREATE INDEX a ON books (author); CREATE TABLE sqliteX (n)", False),
    ],
)  # fmt: skip
def test_the_database(id: str, script: str, right: bool, desk: Callable[..., Desk]) -> None:
    done = desk(f"sqlite-web-{id}")
    done.sql(script)
    assert done.right() is right


BOAT = '2024-03-15 * "Paper Boat" "Two novels"\n'


@pytest.mark.parametrize(
    ("entry", "right"),
    [
        (BOAT + "  Expenses:Leisure  26.80 EUR\n  Assets:Cash  -26.80 EUR", True),
        (BOAT + "  Assets:Cash  -26.8 EUR\n  Expenses:Leisure", True),
        (BOAT.replace("*", "txn") + "  Expenses:Leisure  26.80EUR\n  Assets:Cash", True),
        (BOAT.replace("-", "/") + "\tExpenses:Leisure  +26.800 EUR ; cash\n\tAssets:Cash", True),
        (BOAT + "  Expenses:Leisure  26.804 EUR\n  Assets:Cash", False),
        (BOAT + "  Expenses:Leisure  26,80 EUR\n  Assets:Cash", False),
        (BOAT + "  Expenses:Leisure  26.80 USD\n  Assets:Cash", False),
        (BOAT + "  Expenses:Leisure  26.80 EUR\n  Assets:Bank:Checking", False),
        (BOAT + "  Expenses:Leisure  -26.80 EUR\n  Assets:Cash", False),
        (BOAT + "  Expenses:Leisure  26.80 EUR\n\n  Assets:Cash", False),
        (BOAT + "\n  Expenses:Leisure  26.80 EUR\n  Assets:Cash", False),
        (BOAT + "  Expenses:Leisure\u00a026.80 EUR\n  Assets:Cash", False),
        (BOAT + "  Expenses:Leisure  26.80 EUR\n  Assets:Cash\n  Expenses:Transport  0 EUR", False),
        (BOAT.replace("15", "16") + "  Expenses:Leisure  26.80 EUR\n  Assets:Cash", False),
        (BOAT.replace("*", "!") + "  Expenses:Leisure  26.80 EUR\n  Assets:Cash", False),
        (BOAT.replace("Paper Boat", "Paper boat") + "  Expenses:Leisure  26.80 EUR\n  Assets:Cash",
         False),
        (BOAT.replace('"Paper Boat" "Two', '"Two') + "  Expenses:Leisure  26.80 EUR\n  Assets:Cash",
         False),
        (BOAT.rstrip() + " #books\n  Expenses:Leisure  26.80 EUR\n  Assets:Cash", False),
        (BOAT + '  Expenses:Leisure  26.80 EUR\n  Assets:Cash\n\n; "well" done', True),
        (BOAT + '  Expenses:Leisure  26.80 EUR\n  Assets:Cash\n\ninclude "x"', False),
    ],
)  # fmt: skip
def test_a_purchase(entry: str, right: bool, desk: Callable[..., Desk]) -> None:
    done = desk("fava-add-purchase")
    done.append(entry)
    assert done.right() is right
    pytest.importorskip("beancount")
    assert _as_beancount_has_it(done.folder / LEDGER) is right


def _as_beancount_has_it(file: Path) -> bool:
    """Whether the ledger's own program reads one purchase more, that one, and finds no fault."""
    from beancount import loader
    from beancount.core.data import Transaction

    entries, errors, _ = loader.load_file(str(file))
    new = [e for e in entries if isinstance(e, Transaction) and "novels" in (e.narration or "")]
    if errors or len(new) != 1 or len(entries) != 32:
        return False
    posted = {
        (p.account, str(p.units.number.normalize()), p.units.currency) for p in new[0].postings
    }
    said = (str(new[0].date), new[0].flag, new[0].payee, new[0].narration, not new[0].tags)
    return said == ("2024-03-15", "*", "Paper Boat", "Two novels", True) and posted == {
        ("Expenses:Leisure", "26.8", "EUR"),
        ("Assets:Cash", "-26.8", "EUR"),
    }


@pytest.mark.parametrize(
    ("id", "change", "right"),
    [
        ("change-title", ("Household", "Our home"), True),
        ("change-title", ("Household", "Our Home"), False),
        ("change-title", ('option "title" "Household"', 'option "title" "Household"\n'
                          'option "title" "Our home"'), False),
        ("delete-transaction", ('2024-01-14 * "Trattoria Lina"', ';2024-01-14 * "Trattoria Lina"'),
         False),
        ("change-flag", ("2024-02-17 !", "2024-02-17 txn"), True),
        ("change-flag", ("2024-02-17 !", "2024-02-17"), False),
        ("change-amount", ("52.75 EUR", "57.25 EUR"), True),
        ("change-amount", ("52.75 EUR\n  Liabilities:CreditCard",
                           "57.25 EUR\n  Liabilities:CreditCard  -57.25 EUR"), True),
        ("change-amount", ("52.75 EUR", "57.25 EUR ; was 52.75 EUR"), True),
        ("change-amount", ("52.75 EUR", "57.25 USD"), False),
        ("change-account", ("27.40 EUR\n  Assets:Cash", "27.40 EUR\n  Assets:Bank:Checking"), True),
        ("change-account", ("Assets:Cash", "Assets:Bank:Checking"), False),
    ],
)  # fmt: skip
def test_entries_that_change(
    id: str, change: tuple[str, str], right: bool, desk: Callable[..., Desk]
) -> None:
    done = desk(f"fava-{id}")
    done.edit(lambda before: before.replace(*change))
    assert done.right() is right


@pytest.mark.parametrize(
    ("id", "said", "right"),
    [
        ("fava-total-spent", "175.35 EUR", True),
        ("fava-total-spent", "EUR175.35", True),
        ("fava-total-spent", "175.350", True),
        ("fava-total-spent", "$175.35", False),
        ("fava-total-spent", "175.35USD", False),
        ("fava-total-spent", "175", False),
        ("fava-total-spent", "175,35", False),
        ("fava-total-spent", "58.30, 61.10 and 55.95: 175.35", False),
        ("fava-account-balance", "5,000.65", True),
        ("fava-account-balance", "5.000,65", False),
        ("fava-account-balance", "-5000.65", False),
        ("fava-largest-purchase", "on 2024-02-06, at Green Market", True),
        ("fava-largest-purchase", "2024-02-06 or 2024-01-05", False),
        ("fava-largest-purchase", "6 February 2024", False),
        ("fava-largest-purchase", "12024-02-06", False),
        ("fava-count-payments", "Three.", True),
        ("fava-count-payments", "3 (from 2024-01-20 to 2024-03-20)", True),
        ("fava-count-payments", "three or four", False),
        ("fava-count-payments", "30", False),
        ("fava-count-payments", "3-4", False),
        ("sqlite-web-count-author", "5", True),
        ("sqlite-web-count-author", "five copies", True),
        ("sqlite-web-count-author", "2 + 3", False),
        ("sqlite-web-who-has-book", "anna weber", True),
        ("sqlite-web-who-has-book", "It was Anna Weber.", True),
        ("sqlite-web-who-has-book", "Anna", False),
        ("sqlite-web-who-has-book", "Anna Weberling", False),
        ("sqlite-web-who-has-book", "Anna Weber or Bruno Costa", False),
        ("sqlite-web-first-loan", "2024-01-11", True),
        ("sqlite-web-first-loan", "2024-01-11, 2024-02-01, 2024-02-12", False),
        ("sqlite-web-first-loan", "2024-1-11", False),
    ],
)
def test_what_is_said(id: str, said: str, right: bool, desk: Callable[..., Desk]) -> None:
    assert desk(id).right(said) is right
