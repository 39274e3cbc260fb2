"""Task sheets as people make them."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from screenmark.benchmarks.map_judging.levels import level_of, number_of, numbers_in
from screenmark.benchmarks.map_judging.sheet import read_sheet
from screenmark.errors import DataError

OLE = bytes.fromhex("d0cf11e0a1b11ae1")
SAMPLE = Path(__file__).parents[1] / "gis_sample" / "GIS_Bench_문항.xlsx"


def workbook(path: Path, rows: list[list[Any]], *, merge: str | None = None) -> Path:
    book = Workbook()
    book.active.append(["notes", "of no use"])
    sheet = book.create_sheet("문항")
    for row in rows:
        sheet.append(row)
    if merge:
        sheet.merge_cells(merge)
    book.save(path)
    return path


def test_the_sheet_of_the_sample() -> None:
    sheet = read_sheet(SAMPLE)
    assert [task.number for task in sheet.tasks] == list(range(1, 13))
    assert [int(task.level[-1]) for task in sheet.tasks] == [1] * 4 + [2] * 5 + [3] * 3
    assert sheet.tasks[1].language == "ko"
    assert sheet.tasks[0].dataset == "cities (GeoNames)"
    assert not sheet.problems


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), (3.0, 3), ("3", 3), ("3.0", 3), (" 03 ", 3), ("3번", 3), ("Task 3", 3), ("#3", 3),
     (3.5, None), ("3-1", None), ("", None), (None, None), (True, None), (float("nan"), None),
     (-1, None), ("three", None)],
)  # fmt: skip
def test_numbers(value: Any, number: int | None) -> None:
    assert number_of(value) == number


@pytest.mark.parametrize(
    ("value", "level"),
    [("Level1", "Level1"), ("Level 2", "Level2"), ("2", "Level2"), (2, "Level2"), (2.0, "Level2"),
     ("L3", "Level3"), ("lv.3", "Level3"), ("레벨 1", "Level1"), ("2단계", "Level2"),
     ("level-3", "Level3"), ("hard", "hard"), (None, ""),
     (-1, "-1"), ("-2단계", "-2단계")],
)  # fmt: skip
def test_levels(value: Any, level: str) -> None:
    assert level_of(value) == level


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("3", [3]), ("1,3,5-7", [1, 3, 5, 6, 7]), ("2 - 3", [2, 3]), ("a", None), ("3-1", None),
     ("1-999999999", None), ("", None)],
)  # fmt: skip
def test_lists_of_numbers(text: str, numbers: list[int] | None) -> None:
    assert numbers_in(text) == numbers


def test_a_workbook_with_headings_further_down_and_merged_cells(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["GIS tasks", None, None],
        ["문항 번호", "난이도", "프롬프트"],
        [1.0, "2단계", "a"],
        ["2", None, "b"],
        [None, None, None],
        [3, "L1", "c"],
    ]
    sheet = read_sheet(workbook(tmp_path / "t.xlsx", rows, merge="B3:B4"))
    found = [(task.number, task.level, task.prompt) for task in sheet.tasks]
    assert found == [(1, "Level2", "a"), (2, "Level2", "b"), (3, "Level1", "c")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949"])
def test_csv_as_excel_writes_it(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("번호;문항\n1;지도를 그리시오\n".encode(encoding))
    (task,) = read_sheet(path).tasks
    assert (task.number, task.prompt, task.language) == (1, "지도를 그리시오", "ko")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_unicode_text_as_excel_writes_it(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.txt"
    text = "GIS-Bench\n번호\t문항\n1\t서울, 부산, 대구\n"
    path.write_bytes(("\ufeff" * encoding.endswith("be") + text).encode(encoding))
    (task,) = read_sheet(path).tasks
    assert (task.number, task.prompt) == (1, "서울, 부산, 대구")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("번호,no,prompt\n1,1,p\n3,7,q\n", "row 3: number: .*'번호' and 'no' .*'3' and '7'"),
        ("no,prompt,No\n1,p,2\n", "row 2: number: .*'no' and 'No'"),
        ("no,프롬프트,prompt\n1,서울,Seoul\n", "row 2: prompt: .*'프롬프트' and 'prompt'"),
        ("no,prompt,레벨,level\n1,p,1,Level2\n", "row 2: level: .*'1' and 'Level2'"),
        ("no,prompt,expect_count,Expect Count\n1,p,1,2\n", "row 2: count: .*'1' and '2'"),
    ],
    ids=["number", "twice", "prompt", "level", "expectation"],
)
def test_columns_that_mean_one_field_and_differ(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_sheet(path)


@pytest.mark.parametrize(
    "text",
    [
        "번호,no,prompt,level\n3,3번,p,2\n",
        "no,id,prompt,level\n3,a1b2c3,p,2\n",
        "no,번호,prompt,레벨,level\n3,,p,,2\n",
        "번호,문항,prompt,level,난이도\n3,3,p,2,Level 2\n",
    ],
    ids=["the same", "no number", "one empty", "a number over 문항"],
)
def test_columns_that_mean_one_field_and_agree(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    sheet = read_sheet(path)
    (task,) = sheet.tasks
    assert (task.number, task.level, task.prompt, sheet.warnings) == (3, "Level2", "p", [])


def test_a_column_that_may_mean_something_else_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("no,prompt,description\n1,p,a map\n2,q,\n3,r,one\n", encoding="utf-8")
    sheet = read_sheet(path)
    assert [task.prompt for task in sheet.tasks] == ["p", "q", "r"]
    assert sheet.warnings == [
        f"{path}: column 'description' is not read, since 'prompt' is; they differ"
    ]


def test_an_expectation_in_two_places_is_a_problem_of_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [
        {"no": 1, "prompt": "p", "expectations": {"count": 5}, "expect_count": 6},
        {"no": 2, "prompt": "p", "expectations": {"count": 5}, "expect_count": 5},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    sheet = read_sheet(path)
    assert [task.number for task in sheet.tasks] == [2]
    (problem,) = sheet.problems
    assert (problem.field, problem.problem) == (
        "count", "the expectations say '5', its own column '6'",
    )  # fmt: skip


def test_levels_that_gis_bench_lacks_are_kept_and_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("no,prompt,level\n1,p,Level9\n2,p,hard\n3,p,L3\n4,p,9\n5,p,\n", "utf-8")
    sheet = read_sheet(path)
    assert [task.level for task in sheet.tasks] == ["Level9", "hard", "Level3", "Level9", ""]
    assert sheet.warnings == [
        f"{path}: row 2, row 5: level: expected one of Level1, Level2, Level3, found 'Level9', "
        "which is kept",
        f"{path}: row 3: level: expected one of Level1, Level2, Level3, found 'hard', "
        "which is kept",
    ]


def test_json_lines_with_expectations(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    line = {"task_no": "1", "prompt": "p", "level": 3, "expectations": {"region": ["KOR"]}}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    (task,) = read_sheet(path).tasks
    assert task.expectations == {"region": ["KOR"]}
    assert task.level == "Level3"


def test_expectations_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "no,prompt,title,expect_title,expect_region,expect_count\n"
        '1,p,My map,true,Africa,"[5, 5]"\n',
        encoding="utf-8",
    )
    (task,) = read_sheet(path).tasks
    assert task.expectations == {"title": True, "region": "Africa", "count": [5, 5]}


def test_lists_in_cells_of_json(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    rows = [
        {"no": 1, "prompt": "p", "expect_region": ["KOR"]},
        {"no": 2, "prompt": "p", "expectations": [1]},
        {"no": 3, "prompt": ["p"]},
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    sheet = read_sheet(path)
    assert [task.expectations for task in sheet.tasks] == [{"region": ["KOR"]}]
    assert [problem.field for problem in sheet.problems] == ["expectations", "prompt"]


def test_expectations_that_are_no_object_are_a_problem_of_their_row(tmp_path: Path) -> None:
    deep = "[" * 100_000
    rows = [[1, "p", "[1]"], [2, "p", '{"count": 1, "count": 2}'], [3, "p", None]]
    path = workbook(tmp_path / "t.xlsx", [["번호", "문항", "기대"], *rows])
    sheet = read_sheet(path)
    assert [task.number for task in sheet.tasks] == [3]
    assert [(problem.field, problem.problem) for problem in sheet.problems] == [
        ("expectations", "expected a JSON object"),
        ("count", "this key is there twice"),
    ]
    table = tmp_path / "t.csv"
    table.write_text(f"no,prompt,expectations\n1,p,{deep}\n", encoding="utf-8")
    (problem,) = read_sheet(table).problems
    assert problem.field == "expectations"


def test_a_workbook_that_unpacks_to_too_much_is_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", bytes(201 << 20))
    with pytest.raises(DataError, match="210,763,776 bytes once unpacked"):
        read_sheet(path)


def test_a_workbook_with_a_cell_at_its_far_end_is_refused(tmp_path: Path) -> None:
    book = Workbook()
    book.active["A1"] = "no"
    book.active["XFD1048576"] = "x"
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(DataError, match="1,048,576 rows x 16,384 columns"):
        read_sheet(tmp_path / "t.xlsx")


def test_a_level_below_none_is_a_problem_of_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("no,prompt,level\n1,p,-1\n2,p,1\n", encoding="utf-8")
    sheet = read_sheet(path)
    assert [task.level for task in sheet.tasks] == ["Level1"]
    (problem,) = sheet.problems
    assert (problem.sample, problem.field) == ("row 2", "level")
    assert "found '-1'" in problem.problem


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        ("x,p", "number", "expected the task's number, found 'x'"),
        ("2,", "prompt", "found nothing"),
        ("1,again", "number", "a second task with the number 1"),
    ],
)
def test_a_bad_row_is_named_and_takes_no_other_with_it(
    tmp_path: Path, row: str, field: str, said: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"no,prompt\n1,fine\n{row}\n", encoding="utf-8")
    sheet = read_sheet(path)
    assert [task.prompt for task in sheet.tasks] == ["fine"]
    (problem,) = sheet.problems
    assert (problem.sample, problem.field) == ("row 3", field)
    assert said in problem.problem


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.csv", b"a,b\n1,2\n", "no row with headings: expected one of"),
        ("t.csv", b"no,prompt\n", "there is no task in it"),
        ("t.csv", b"no,prompt\n1,\xff\xff\n", "neither UTF-8 nor CP949"),
        ("t.csv", b"\xff\xfe\x00", "begins as UTF-16 and cannot be read as such"),
        ("t.csv", b"\xef\xbb\xbfno,prompt\n1,\xff\n", "begins as UTF-8 and cannot be read"),
        ("t.csv", "no,prompt\n1,p\n".encode("utf-16-le"), "NUL characters: UTF-16 without"),
        ("t.xlsx", b"no zip", "cannot be read as a workbook"),
        ("t.pdf", b"%PDF", "expected a task sheet as .xlsx"),
        ("t.jsonl", b"[1]\n", "expected an object"),
    ],
)
def test_files_that_are_no_sheet(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DataError, match=said):
        read_sheet(path)


def test_a_row_with_more_cells_than_headings_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "no,level,prompt\n1,1,plot cities, towns and rivers\n2,1,b,,\n3,1\n4,,d\n", encoding="utf-8"
    )
    sheet = read_sheet(path)
    assert [task.number for task in sheet.tasks] == [2, 4]
    wide, short = sheet.problems
    assert wide.sample == "row 2"
    assert wide.problem.startswith("4 cells for 3 headings, from ' towns and rivers' on")
    assert (short.sample, short.field) == ("row 4", "prompt")


def test_notes_under_no_heading_in_a_workbook_are_left_alone(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", [["no", "prompt"], [1, "p", "a note"]])
    assert [task.prompt for task in read_sheet(path).tasks] == ["p"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('no,prompt\n1,"open\n2,b\n3,c\n', "t.csv: line 2: a quote begins here and is not closed"),
        ('no,prompt\n1,"open', "t.csv: line 2: a quote begins here"),
        ('no,prompt\n1,"a\nb"\n"2\n","open\n', "t.csv: line 5: a quote begins here"),
        ('no,prompt\n1,"open\n2,"b"\n3,c\n', "t.csv: lines 2 to 3: a quoted cell goes on"),
        ('no,prompt\n1,"Seoul" in red\n', "t.csv: line 2: a quoted cell goes on"),
    ],
    ids=["to the end", "no last line break", "behind others", "closed by another", "words behind"],
)
def test_quotes_that_would_swallow_tasks(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_sheet(path)


def test_quotes_within_cells_and_line_breaks_in_them_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('no,prompt\n1,"a ""b""\nc"\n2,a "b" c\n', encoding="utf-8")
    assert [task.prompt for task in read_sheet(path).tasks] == ['a "b"\nc', 'a "b" c']


def test_two_marks_and_a_very_long_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\ufeff\ufeffno,prompt\n1," + 200_000 * "x" + "\n", encoding="utf-8")
    (task,) = read_sheet(path).tasks
    assert len(task.prompt) == 200_000


def test_formulas_that_nobody_computed_are_named(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["no", "prompt"], ["=ROW()-1", '="a"&"b"'], [2, "=A1"], [3, "p"]]
    sheet = read_sheet(workbook(tmp_path / "t.xlsx", rows))
    assert [task.number for task in sheet.tasks] == [3]
    assert [(problem.sample, problem.field) for problem in sheet.problems] == [
        ("sheet '문항', row 2", "prompt"),
        ("sheet '문항', row 3", "prompt"),
    ]
    said = """found the formula '="a"&"b"' whose result is not in the file"""
    assert said in str(sheet.problems[0])


def test_formulas_with_results_are_their_results(tmp_path: Path) -> None:
    made = workbook(tmp_path / "made.xlsx", [["no", "prompt"], [1, "=A1"], ["=B1", '=""']])
    path = tmp_path / "t.xlsx"
    results = {b"B2": b"no", b"A3": b"", b"B3": b""}
    empty = re.compile(rb'<c r="(B2|A3|B3)"><f>(.*?)</f><v ?/?>(?:</v>)?')

    def computed(found: re.Match[bytes]) -> bytes:
        result = results[found[1]]
        return b'<c r="%s" t="str"><f>%s</f><v>%s</v>' % (found[1], found[2], result)

    with zipfile.ZipFile(made) as packed, zipfile.ZipFile(path, "w") as again:
        for name in packed.namelist():
            again.writestr(name, empty.sub(computed, packed.read(name)))
    sheet = read_sheet(path)
    assert [(task.number, task.prompt) for task in sheet.tasks] == [(1, "no")]
    assert not sheet.problems, "a row of empty results is no row"


def test_a_number_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    (problem,) = read_sheet(workbook(tmp_path / "t.xlsx", [["no", "prompt"], [None, "p"]])).problems
    assert problem.problem == "expected the task's number, found nothing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"1": {"prompt": "p"}}', "found one object keyed by task .keys: '1'"),
        ('{"tasks": [], "a": 1, "b": 2, "c": 3}', "found one object .keys: 'tasks', 'a', 'b', …"),
    ],
)
def test_json_that_is_no_list(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=f"expected a list of tasks.*; {said}"):
        read_sheet(path)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
        ("t.xlsx", OLE + bytes(512), "an old .xls, or another file of old Office"),
        ("t.xls", OLE + bytes(512), "an old .xls, or another file of old Office"),
        ("t.xlsx", b"PK\x03\x04" + bytes(512), "cut off or damaged"),
        ("t.xlsx", b"PK\x05\x06" + bytes(18), "a ZIP archive of something else"),
        ("t.xlsx", b"no,prompt\n", "is no workbook"),
        ("t.xlsx", b"", "is empty"),
    ],
)
def test_what_is_no_workbook_is_called_what_it_is(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DataError, match=f"cannot be read as a workbook: it .*{said}"):
        read_sheet(path)
