"""Tables for people: what cells look like, and that what a model wrote stays inert."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from screenmark.errors import UsageError
from screenmark.reports import FORMATS, render
from screenmark.reports.tables import cell, printable
from screenmark.types import Table


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def table(
    *rows: tuple[Any, ...], columns: tuple[str, ...] = ("name", "F1 %"), **more: Any
) -> Table:
    return Table(title="Results", columns=columns, rows=rows, **more)


def shown(made: Table, format: str = "table") -> str:
    return render([made], {}, format)


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        pytest.param(None, "F1 %", "–", id="none"),
        pytest.param(0.5, "F1 %", "50.0", id="percent"),
        pytest.param(1.0, "F1 %", "100.0", id="all"),
        pytest.param(0.0, "F1 %", "0.0", id="nothing"),
        pytest.param(0.12345, "F1 %", "12.3", id="rounded"),
        pytest.param(0.12345, "IoU", "0.123", id="no percent"),
        pytest.param(12, "F1 %", "12", id="a count stays"),
        pytest.param("0.5", "F1 %", "0.5", id="text stays"),
        pytest.param("", "name", "", id="empty"),
    ],
)
def test_cell(value: Any, column: str, text: str) -> None:
    assert cell(value, column) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain 确定 é 😀", "plain 确定 é 😀", id="letters"),
        pytest.param("a\nb", "a⏎b", id="line break"),
        pytest.param("a\r\tb", "a\\x0d\\x09b", id="carriage return and tab"),
        pytest.param("\x1b[2J", "\\x1b[2J", id="escape"),
        pytest.param("\x9b2J", "\\x9b2J", id="one-byte escape"),
        pytest.param("\x00\x7f\x08", "\\x00\\x7f\\x08", id="controls"),
        pytest.param("\u202eabc\u202c", "\\u202eabc\\u202c", id="right-to-left override"),
        pytest.param("\u2066a\u2069\u200f", "\\u2066a\\u2069\\u200f", id="isolates and marks"),
        pytest.param("\u200b\ufeff", "\\u200b\\ufeff", id="no width"),
        pytest.param("\u2028\u2029\x85", "\\u2028\\u2029\\x85", id="other line breaks"),
        pytest.param("\ud800", "\\ud800", id="lone surrogate"),
        pytest.param("确\u3000定\xa0", "确\u3000定\xa0", id="wide and fixed spaces stay"),
        pytest.param("שלום", "שלום", id="Hebrew stays"),
    ],
)
def test_printable(text: str, expected: str) -> None:
    assert printable(text) == expected


@given(st.text(st.characters()))
def test_nothing_that_is_printed_moves_or_hides(text: str) -> None:
    result = printable(text)
    assert len(result.splitlines()) <= 1
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", result)
    result.encode("utf-8")


class TestTerminal:
    def test_columns_line_up_with_wide_characters(self) -> None:
        made = table(("确定按钮", 0.5), ("OK", None), ("ＯＫ 😀", 1.0), ("é", 0.125))
        lines = shown(made).splitlines()
        assert lines[0].strip() == "Results"
        body = [line for line in lines[1:] if line.strip()]
        assert len({cell_len(line) for line in body}) == 1
        ends = {cell_len(line.rstrip()) for line in body if "─" not in line}
        assert len(ends) == 1, "numbers are not aligned at the right"

    def test_text_is_left_and_numbers_are_right(self) -> None:
        text = shown(table(("a", 0.5), ("bbb", 1.0)))
        assert re.search(r"^ *a +50\.0 *$", text, re.MULTILINE)
        assert re.search(r"^ *bbb +100\.0 *$", text, re.MULTILINE)

    def test_long_cells_fold_and_lose_nothing(self) -> None:
        long = "".join(chr(0x4E00 + n) for n in range(150)) + "end"
        text = shown(table((long, 0.5)))
        assert max(map(cell_len, text.splitlines())) <= 100
        assert "…" not in text
        folded = "".join(re.findall("[\u4e00-\u9fff]|end", text))
        assert folded == long

    @pytest.mark.parametrize(("columns", "most"), [("5", 40), ("80", 80), ("300", 300)])
    def test_width(self, monkeypatch: pytest.MonkeyPatch, columns: str, most: int) -> None:
        monkeypatch.setenv("COLUMNS", columns)
        text = shown(table(("word " * 100, 0.5)))
        assert max(map(cell_len, text.splitlines())) <= most
        assert max(map(cell_len, text.splitlines())) > most - 10

    def test_markup_and_emoji_codes_are_text(self) -> None:
        text = shown(table(("[bold]x[/bold] [link=http://e.org]y[/] :smile:", 0.5)))
        assert "[bold]x[/bold] [link=http://e.org]y[/] :smile:" in text

    def test_no_part_of_a_table_can_hold_controls(self) -> None:
        evil = "\x1b[31m\u202e"
        made = Table(title=evil, columns=(evil,), rows=((evil,),), note=evil)
        text = shown(made)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert text.count("\\x1b[31m\\u202e") == 4

    def test_note_and_no_rows(self) -> None:
        text = shown(table(note="A note."))
        assert "F1 %" in text
        assert text.rstrip().endswith("A note.")

    def test_several(self) -> None:
        text = render([table(("a", 1)), table(("b", 2))], {}, "table")
        assert text.count("Results") == 2
        assert text.index(" a ") < text.index(" b ")
        assert render([], {}, "table") == ""

    @pytest.mark.parametrize(("no_color", "coloured"), [(None, True), ("1", False)])
    def test_colours_on_a_terminal_only(
        self, monkeypatch: pytest.MonkeyPatch, no_color: str | None, coloured: bool
    ) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        if no_color:
            monkeypatch.setenv("NO_COLOR", no_color)
        assert "\x1b" not in shown(table(("a", 1)))
        monkeypatch.setattr("sys.stdout", Terminal())
        assert ("\x1b[" in shown(table(("a", 1)))) is coloured


class TestMarkdown:
    def test_form(self) -> None:
        assert shown(table(("a b", 0.5), ("c", None), note="Note."), "markdown") == (
            "**Results**\n\n| name | F1 % |\n| --- | ---: |\n| a b | 50.0 |\n| c | – |\n\nNote.\n"
        )

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            pytest.param("a|b", r"a\|b", id="pipe"),
            pytest.param("a\\|b", r"a\\\|b", id="backslash"),
            pytest.param("`code`", r"\`code\`", id="backticks"),
            pytest.param("<img src=x>", r"\<img src=x\>", id="HTML"),
            pytest.param("![](http://e.org)", r"!\[\](http://e.org)", id="image"),
            pytest.param("**b** _i_", r"\*\*b\*\* \_i\_", id="emphasis"),
            pytest.param("overall_f1", "overall_f1", id="underscore in a word"),
            pytest.param("&lt;", r"\&lt;", id="entity"),
            pytest.param("$x$ ~~y~~", r"\$x\$ \~\~y\~\~", id="formula and strike"),
            pytest.param("a\nb\r", "a⏎b\\\\x0d", id="line breaks"),
            pytest.param("\u202ea", "\\\\u202ea", id="override"),
        ],
    )
    def test_what_a_model_wrote_is_shown_as_it_is(self, text: str, expected: str) -> None:
        made = Table(title=text, columns=(text,), rows=((text,),), note=text)
        lines = shown(made, "markdown").splitlines()
        assert lines == [
            f"**{expected}**", "", f"| {expected} |", "| --- |", f"| {expected} |", "", expected,
        ]  # fmt: skip

    @given(st.lists(st.text(st.characters()), min_size=2, max_size=2))
    def test_the_number_of_cells_is_that_of_the_columns(self, cells: list[str]) -> None:
        row = shown(table(tuple(cells)), "markdown").splitlines()[4]
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3


CONTROLS = [
    pytest.param("\x1b[2J", "\\x1b[2J", id="escape"),
    pytest.param("\x9b1A", "\\x9b1A", id="C1"),
    pytest.param("\x7f", "\\x7f", id="delete"),
    pytest.param("\r", "\\x0d", id="carriage return"),
    pytest.param("\n", "⏎", id="line break"),
    pytest.param("\t", "\\x09", id="tab"),
    pytest.param("\u202e", "\\u202e", id="override"),
    pytest.param("\u2066", "\\u2066", id="isolate"),
    pytest.param("\u2028", "\\u2028", id="line separator"),
]


class TestCsv:
    def test_numbers_are_whole(self) -> None:
        text = shown(table(('确定, "x"', 0.12345), ("b", None)), "csv")
        assert list(csv.reader(io.StringIO(text))) == [
            ["name", "F1 %"], ['确定, "x"', "0.12345"], ["b", ""],
        ]  # fmt: skip
        assert "\r" not in text

    @pytest.mark.parametrize("first", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
    def test_formulas_are_quoted(self, first: str) -> None:
        text = shown(table((first + "1+2", 0.5)), "csv")
        assert list(csv.reader(io.StringIO(text, newline="")))[1][0] == "'" + first + "1+2"

    @pytest.mark.parametrize(("evil", "seen"), CONTROLS)
    def test_no_cell_moves_the_cursor(self, evil: str, seen: str) -> None:
        text = shown(table((f"a{evil}b", 0.5), columns=(f"n{evil}", "F1 %")), "csv")
        head, row = csv.reader(io.StringIO(text, newline=""))
        assert (head[0], row[0]) == (f"n{seen}", f"a{seen}b")

    @pytest.mark.parametrize("value", ["a=1", "5-3", "'x", "", -0.5, -3])
    def test_other_values_stay(self, value: Any) -> None:
        text = shown(table((value, 0.5)), "csv")
        assert list(csv.reader(io.StringIO(text)))[1][0] == str(value)


@given(st.text(st.characters(exclude_categories=[])))
@example("\x1b\x7f\x85\x9b2J\u202e\u2066\u2028\ufeff\U000e0001 \u3000确定 ÿ 😀\ud83d\n")
def test_json_has_no_character_that_moves_the_cursor(text: str) -> None:
    made = render([], {text: [text]}, "json")
    assert json.loads(made) == {text: [text]}
    assert printable(made) == made.replace("\n", "⏎")


def test_json_keeps_what_people_read() -> None:
    assert "确定 ÿ 😀\u3000." in render([], ["确定 ÿ 😀\u3000."], "json")


def test_json_is_the_data_and_strict() -> None:
    text = render([table(("a", 1))], {"文": [1, None]}, "json")
    assert json.loads(text) == {"文": [1, None]}
    assert "文" in text
    with pytest.raises(ValueError, match="JSON compliant"):
        render([], float("nan"), "json")


@pytest.mark.parametrize("format", ["yaml", "", "TABLE"])
def test_unknown_formats(format: str) -> None:
    with pytest.raises(UsageError, match=f"--format {format}: expected one of table, json,"):
        render([], {}, format)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_ends_in_a_line_break(format: str) -> None:
    assert render([table(("a", 1))], {}, format).endswith("\n")


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_a_row_of_another_length_is_a_programming_error(format: str) -> None:
    with pytest.raises(ValueError, match="zip"):
        shown(table(("a", 1, 2)), format)
