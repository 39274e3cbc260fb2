"""Tables on narrow terminals: heads break between words, and names that people copy stay whole."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from screenmark.reports import render
from screenmark.types import Table

ID = "soft_ui_dashboard_pages_tables__tablet.png#9f870f21"
PATH = "/home/somebody/a-long-folder/screenmark/data/screenspot-v2"
SCORES = ("accuracy %", "low %", "high %", "option-weighted %")


def shown(columns: tuple[str, ...], *rows: tuple[Any, ...]) -> list[str]:
    text = render([Table(title="Title", columns=columns, rows=rows)], {}, "table")
    return [line.rstrip() for line in text.splitlines()]


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_heads_fold_between_words_before_cells_do() -> None:
    name = "words shared with the question"
    lines = shown(("without the image", *SCORES), (name, 0.2, 0.1, 0.3, 0.2))
    assert sum(name in line for line in lines) == 1
    words = " ".join(lines).split()
    assert {"accuracy", "option-weighted"} <= set(words)
    assert max(map(len, lines)) <= 80


def test_an_id_that_leaves_no_room_has_a_line_of_its_own() -> None:
    columns = ("id", "instruction", "target", "hit", "distance", "outcome")
    row = (ID, "Check under which terms the template may be used", "present", 0, 34.6, "refused")
    lines = shown(columns, row, row)
    assert lines.count(f"  {ID}") == 2
    assert sum("Check under which terms" in line for line in lines) == 2
    assert all(cell_len(line) <= 80 for line in lines)


def test_a_path_behind_other_columns_goes_below_its_row() -> None:
    columns = ("name", "title", "licence", "size", "folder", "here")
    row = ("screenspot-v2", "ScreenSpot-v2", "Apache-2.0", "1.3 GB and more", PATH, "no")
    lines = shown(columns, row)
    (at,) = (n for n, line in enumerate(lines) if line.strip() == f"folder: {PATH}")
    assert lines[at - 1].split()[0] == "screenspot-v2"


def test_a_path_longer_than_a_line_is_left_to_the_terminal() -> None:
    lines = shown(("run", "status", "samples"), (PATH * 2, "finished", "580/580"))
    assert f"  {PATH * 2}" in lines


def test_what_has_room_is_one_grid() -> None:
    lines = shown(("id", "outcome"), (ID, "ok"))
    assert f"  {ID}   ok" in lines


def test_prose_folds_and_a_reply_without_spaces_is_not_lost() -> None:
    reply = "[" + "12," * 80 + "1]"
    lines = shown(("", "value"), ("reply", reply), ("words", "one two " * 30))
    assert all(len(line) <= 80 for line in lines)
    assert reply in "".join("".join(lines).replace("reply", "").split())
