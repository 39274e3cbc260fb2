"""Rows to Parquet, CSV, XLSX and JSON: the same values, and nothing that runs."""

from __future__ import annotations

import csv
import json
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.errors import DataError, MissingExtra, UsageError
from screenmark.reports import export, xlsx
from screenmark.reports.export import FORMATS, Row, Rows, find_columns, write_export

ROWS: list[Row] = [
    {"id": "a", "n": 1, "f1": 0.5, "ok": True, "boxes": [[1, 2.5]], "empty": None},
    {"id": "=1+1", "n": None, "f1": 1, "ok": False, "boxes": {"x": "中"}, "more": 'é\r\n"q"'},
]


def rows(*given: Row, fields: tuple[str, ...] = ()) -> Rows:
    return Rows(Path("records.jsonl"), lambda: iter(given), fields)


def write(made: Rows, format: str, folder: Path) -> Path:
    path = folder / f"out.{format}"
    assert write_export(made, format, path, "samples") == []
    assert list(folder.iterdir()) == [path], "no draft is left"
    return path


def read_sheet(path: Path, sheet: str = "samples") -> list[list[Any]]:
    book = openpyxl.load_workbook(path)
    return [[cell.value for cell in row] for row in book[sheet].iter_rows()]


def test_json_holds_rows_as_they_are(tmp_path: Path) -> None:
    text = write(rows(*ROWS), "json", tmp_path).read_text(encoding="utf-8")
    assert json.loads(text) == ROWS
    assert len(text.splitlines()) == len(ROWS) + 2, "a row a line"


def test_csv(tmp_path: Path) -> None:
    path = write(rows(*ROWS), "csv", tmp_path)
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["id", "n", "f1", "ok", "boxes", "empty", "more"],
            ["a", "1", "0.5", "true", "[[1,2.5]]", "", ""],
            ["'=1+1", "", "1", "false", '{"x":"中"}', "", 'é\r\n"q"'],
        ]
    assert path.read_bytes()[:3] == b"id,", "no byte order mark"


def test_parquet_has_types(tmp_path: Path) -> None:
    table = pyarrow.parquet.read_table(write(rows(*ROWS), "parquet", tmp_path))
    assert {name: str(table.schema.field(name).type) for name in table.column_names} == {
        "id": "string", "n": "int64", "f1": "double", "ok": "bool", "boxes": "string",
        "empty": "string", "more": "string",
    }  # fmt: skip
    assert table.to_pylist() == [
        {**ROWS[0], "boxes": "[[1,2.5]]", "more": None},
        {**ROWS[1], "boxes": '{"x":"中"}', "empty": None},
    ]


def test_xlsx_holds_text_as_text(tmp_path: Path) -> None:
    path = write(rows(*ROWS, {"id": "#REF!", "n": 10**15, "ok": "\x07\ufffe"}), "xlsx", tmp_path)
    # Without lxml, openpyxl writes a carriage return as it is, and XML readers drop it.
    found = [
        [cell.replace("\r\n", "\n") if isinstance(cell, str) else cell for cell in row]
        for row in read_sheet(path)
    ]
    assert found == [
        ["id", "n", "f1", "ok", "boxes", "empty", "more"],
        ["a", 1, 0.5, True, "[[1,2.5]]", None, None],
        ["=1+1", None, 1, False, '{"x":"中"}', None, 'é\n"q"'],
        ["#REF!", "1000000000000000", None, "\\x07\\ufffe", None, None, None],
    ]
    sheet = openpyxl.load_workbook(path)["samples"]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} == {"s", "n", "b"}
    assert sheet.freeze_panes == "A2"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_any_text_survives_in_parquet_and_stays_inert_in_csv(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("export")
    made = rows(*({"text": text} for text in texts))
    write_export(made, "parquet", folder / "p", "t")
    table = pyarrow.parquet.read_table(folder / "p")
    assert table.column("text").to_pylist() == texts
    write_export(made, "csv", folder / "c", "t")
    with (folder / "c").open(encoding="utf-8", newline="") as file:
        cells = [row[0] if row else "" for row in csv.reader(file)][1:]
    assert [cell.removeprefix("'") for cell in cells] == [text.removeprefix("'") for text in texts]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "integer"),
        ([1, 2.5], "number"),
        ([2.5, None, 1], "number"),
        ([True, None], "boolean"),
        ([True, 1], "text"),
        ([1, "a"], "text"),
        ([None], "text"),
        ([[1], None], "text"),
        ([2**63 - 1, -(2**63)], "integer"),
        ([1, 2**63], "text"),
        ([0.5, 2**63], "text"),
    ],
    ids=repr,
)
def test_what_columns_hold(values: list[Any], kind: str, tmp_path: Path) -> None:
    made = rows(*({"x": value} for value in values))
    assert find_columns(made) == {"x": kind}
    write(made, "parquet", tmp_path)


def test_columns_stand_by_field_then_by_occurrence() -> None:
    made = rows(
        {"id": 1, "failure.kind": "x", "extra": 1},
        {"id": 2, "score.f1": 1, "reply.text": "x", "score.tp": 1},
        fields=("id", "reply", "score", "failure"),
    )
    expected = ["id", "reply.text", "score.f1", "score.tp", "failure.kind", "extra"]
    assert list(find_columns(made)) == expected


@pytest.mark.parametrize(
    ("text", "units"),
    [
        pytest.param("a" * 32_767, 32_767, id="as long as can be"),
        pytest.param("a" * 32_768, 32_767, id="one too long"),
        pytest.param("😀" * 16_383, 32_766, id="emoji fit"),
        pytest.param("😀" * 16_384, None, id="emoji do not"),
        pytest.param("a" + "😀" * 20_000, None, id="none is cut in half"),
    ],
)
def test_a_cell_holds_so_many_utf_16_units(text: str, units: int | None) -> None:
    fitted, cut = xlsx.fit(text)
    assert cut == (fitted != text)
    if cut:
        assert fitted.endswith("… [cut]")
        assert text.startswith(fitted.removesuffix("… [cut]"))
    length = len(fitted.encode("utf-16-le")) // 2
    assert 32_760 <= length <= 32_767
    assert units is None or length == units


def test_what_a_workbook_cuts_is_said(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    warnings = write_export(rows({"a": "x" * 40_000, "b": ["y" * 40_000]}), "xlsx", path, "s")
    assert len(warnings) == 1
    assert warnings[0].startswith("2 cells were longer than the 32,767 characters")
    assert all(len(cell) == 32_767 for cell in read_sheet(path, "s")[1])


def test_a_full_sheet_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx, "SHEET_ROWS", 3)
    path = write(rows(*({"n": n} for n in range(5))), "xlsx", tmp_path)
    assert openpyxl.load_workbook(path).sheetnames == ["samples", "samples 2", "samples 3"]
    assert read_sheet(path) == [["n"], [0], [1]]
    assert read_sheet(path, "samples 3") == [["n"], [4]]


def test_more_columns_than_a_sheet_has(tmp_path: Path) -> None:
    made = rows({str(n): n for n in range(16_385)})
    with pytest.raises(DataError, match="16385 columns, and a sheet has 16384"):
        write_export(made, "xlsx", tmp_path / "x", "s")
    assert list(tmp_path.iterdir()) == []


class Watched(dict[str, Any]):
    """A row whose life can be followed: a plain dict has no weak references."""


@pytest.mark.parametrize("format", FORMATS)
def test_rows_are_not_held_all_together(format: str, tmp_path: Path) -> None:
    alive = most = 0

    def gone() -> None:
        nonlocal alive
        alive -= 1

    def each() -> Iterator[Row]:
        nonlocal alive, most
        for n in range(300):
            row = Watched(n=n, text="x")
            weakref.finalize(row, gone)
            alive += 1
            most = max(most, alive)
            yield row

    write(Rows(Path("records.jsonl"), each), format, tmp_path)
    assert most <= 3


@pytest.mark.parametrize(
    ("limit", "value", "sizes"),
    [
        pytest.param("GROUP_ROWS", 2, [2, 2, 1], id="rows"),
        pytest.param("GROUP_CHARACTERS", 25, [3, 2], id="text"),
    ],
)
def test_parquet_is_written_group_by_group(
    limit: str, value: int, sizes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, limit, value)
    path = write(rows(*({"t": ["x" * 5]} for _ in range(5))), "parquet", tmp_path)
    meta = pyarrow.parquet.ParquetFile(path).metadata
    assert [meta.row_group(n).num_rows for n in range(meta.num_row_groups)] == sizes


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_to_export_leaves_the_old_file(format: str, tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(DataError, match=r"^records\.jsonl: nothing to export$"):
        write_export(rows(), format, path, "s")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("format", "module"), [("parquet", "pyarrow"), ("xlsx", "openpyxl")], ids=["parquet", "xlsx"]
)
def test_a_missing_package_is_named(
    format: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"--to {format} needs .*screenmark\[export\]"):
        write_export(rows(*ROWS), format, tmp_path / "x", "s")


@pytest.mark.parametrize("format", FORMATS)
def test_a_place_that_cannot_be_written_is_named(format: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"--output .*file/x: cannot be written"):
        write_export(rows(*ROWS), format, tmp_path / "file" / "x", "s")
    with pytest.raises(UsageError, match=f"--output {tmp_path}: not a file"):
        write_export(rows(*ROWS), format, tmp_path, "s")


def test_folders_are_made_and_links_followed(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b.csv"
    (tmp_path / "link").symlink_to(target)
    write_export(rows(*ROWS), "csv", tmp_path / "link", "s")
    assert target.is_file()
    assert (tmp_path / "link").is_symlink()


def test_only_text_can_be_printed() -> None:
    with pytest.raises(UsageError, match="--to xlsx is not text: name a file with --output"):
        export.text_lines(rows(*ROWS), "xlsx")
