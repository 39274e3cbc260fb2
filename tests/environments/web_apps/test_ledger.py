"""The ledger's text, compared entry by entry."""

from pathlib import Path

import pytest

from screenmark.environments.web_apps.ledger import difference, entries_of

BEFORE = """option "title" "Home"
2024-01-01 open Assets:Cash EUR

2024-01-05 * "Shop" "Bread; rolls"
  Expenses:Food    3.00 EUR
  Assets:Cash
"""
NEW = '2024-01-06 * "Bus"\n  Expenses:Bus  1,002.50 EUR\n  Assets:Cash\n'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (NEW, '2024-01-06   *  "Bus" ; a remark\n\tExpenses:Bus 1002.5 EUR\n\tAssets:Cash\n'),
        (NEW, '2024-01-06 * "Bus"\n  Assets:Cash\n  Expenses:Bus 1002.50 EUR\n'),
        (NEW, '2024-01-06 * "Bus"\n  Expenses:Bus 1002.50 EUR\n  Assets:Cash -1002.50 EUR\n'),
        (BEFORE, "\n".join(reversed(BEFORE.split("\n\n"))) + "\n\n; the end\n"),
    ],
    ids=["spaces", "postings", "left out", "entries"],
)
def test_the_same(one: str, other: str) -> None:
    assert entries_of(one) == entries_of(other)


@pytest.mark.parametrize(
    "other",
    [
        NEW.replace("1,002.50", "1,002.51"),
        NEW.replace("EUR", "USD"),
        NEW.replace("*", "!"),
        NEW.replace("Bus", "bus"),
        NEW.replace('"Bus"', '"Bus" "to town"'),
        NEW + NEW,
        NEW.replace('"Bus"', '"Bus ; no remark"'),
    ],
)
def test_not_the_same(other: str) -> None:
    assert entries_of(NEW) != entries_of(other)


@pytest.mark.parametrize(
    ("after", "right", "said"),
    [
        (BEFORE + NEW, True, "as it should be"),
        (BEFORE, False, "missing: 2024-01-06"),
        (NEW, False, "missing: "),
        (BEFORE + NEW + NEW, False, "not asked for: 2024-01-06"),
        (BEFORE.replace("3.00", "4.00") + NEW, False, "not asked for: 2024-01-05"),
        ("\x00\ufffd", False, "missing"),
    ],
)
def test_adding(tmp_path: Path, after: str, right: bool, said: str) -> None:
    file = tmp_path / "ledger"
    file.write_text(after, encoding="utf-8")
    found, why = difference(BEFORE, file, [NEW], [])
    assert found is right
    assert said in why


def test_removing_and_a_file_that_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    file.write_text(BEFORE, encoding="utf-8")
    assert difference(BEFORE + NEW, file, [], [NEW])[0]
    assert "never there" in difference(BEFORE, file, [], [NEW])[1]
    file.unlink()
    assert difference(BEFORE, file, [], []) == (False, "the ledger is gone")
