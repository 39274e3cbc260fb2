"""``screenmark export``: a run as rows for other programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet
import pytest

from screenmark.benchmarks.page_parsing import PageParsing
from tests.support.commands import command, small_run
from tests.support.endpoint import Act
from tests.support.pages import ELEMENT, REPLY

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")

FAR = {**ELEMENT, "description": "=HYPERLINK(1)", "coordinates": [60, 60, 90, 70]}
ACTS = (
    Act(content=REPLY),
    Act(content=json.dumps([FAR, {**ELEMENT, "description": "Ok"}])),
    Act(status=400, body=b"no"),
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Three pages: one right, one with an element too many, one that failed."""
    return small_run(tmp_path, *ACTS)


def exported(run: Path, what: str) -> Any:
    """What the JSON export holds, from standard output."""
    done = command("export", run, "--to", "json", "--what", what, "-o", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_samples(run: Path) -> None:
    first, _, last = exported(run, "samples")
    assert list(first) == [
        "sample_id", "repeat", "outcome", "image_path", "precision", "recall", "f1", "tp", "fp",
        "fn", "avg_description_similarity", "attempts", "seconds", "input_tokens",
        "output_tokens",
    ]  # fmt: skip
    assert (first["sample_id"], first["outcome"], first["f1"]) == ("images/0.png", "ok", 1.0)
    assert (first["attempts"], first["input_tokens"], first["output_tokens"]) == (1, 7, 3)
    assert (last["outcome"], last["f1"], last["input_tokens"]) == ("api_error", 0.0, None)


def test_repetitions_are_rows_of_their_own(tmp_path: Path) -> None:
    rows = exported(small_run(tmp_path, pages=2, repeats=2), "samples")
    assert [(row["sample_id"][-5], row["repeat"]) for row in rows] == [
        ("0", 0), ("0", 1), ("1", 0), ("1", 1),
    ]  # fmt: skip


def test_records_are_spread_over_columns(run: Path) -> None:
    first, second, last = exported(run, "records")
    assert first["reply.text"] == REPLY
    assert first["reply.usage.output_tokens"] == 3
    assert first["score.prediction_errors.matched"] == 1
    assert first["sample.elements"] == [ELEMENT]
    assert first["attempts"] == 1, "defaults are there too"
    assert second["answer.value"][0]["description"] == "=HYPERLINK(1)"
    assert last["failure.kind"] == "RejectedError"
    assert "reply.text" not in last


def test_what_a_model_said_makes_no_columns(run: Path) -> None:
    lines = [json.loads(line) for line in (run / "records.jsonl").read_bytes().splitlines()]
    lines[0]["answer"]["value"] = {f"key {n}": n for n in range(9)}
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (run / "records.jsonl").write_text(text, encoding="utf-8")
    assert len(exported(run, "records")[0]["answer.value"]) == 9


def test_elements_say_what_they_are_matched_with(run: Path) -> None:
    rows = [row for row in exported(run, "elements") if row["sample_id"] == "images/1.png"]
    assert rows == [
        {
            "sample_id": "images/1.png", "repeat": 0, "side": "predicted", "number": 0,
            "type": "button", "description": "=HYPERLINK(1)", "x1": 60, "y1": 60, "x2": 90,
            "y2": 70, "label": "fabricated", "match": None, "iou": None,
            "description_similarity": None,
        },
        {
            "sample_id": "images/1.png", "repeat": 0, "side": "predicted", "number": 1,
            "type": "button", "description": "Ok", "x1": 10, "y1": 10, "x2": 40, "y2": 30,
            "label": "matched", "match": 0, "iou": 1.0, "description_similarity": 0.5,
        },
        {
            "sample_id": "images/1.png", "repeat": 0, "side": "true", "number": 0,
            "type": "button", "description": "OK", "x1": 10, "y1": 10, "x2": 40, "y2": 30,
            "label": "matched", "match": 1, "iou": 1.0, "description_similarity": 0.5,
        },
    ]  # fmt: skip


def test_a_benchmark_without_elements_says_so(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(PageParsing, "element_rows")
    done = command("export", run, "--to", "csv", "--what", "elements")
    assert done.returncode == 2
    assert "samples of gui-hallubench have no elements" in done.stderr


def read_csv(path: Path) -> Iterable[list[Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def read_xlsx(path: Path) -> Iterable[list[Any]]:
    sheet = openpyxl.load_workbook(path).worksheets[0]
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


def read_parquet(path: Path) -> Iterable[list[Any]]:
    table = pyarrow.parquet.read_table(path)
    return [table.column_names, *([*row.values()] for row in table.to_pylist())]


@pytest.mark.parametrize("what", ["samples", "records", "elements"])
@pytest.mark.parametrize(
    ("to", "read"), [("csv", read_csv), ("xlsx", read_xlsx), ("parquet", read_parquet)]
)
def test_every_format_holds_every_row_and_column(
    run: Path, what: str, to: str, read: Callable[[Path], Iterable[list[Any]]]
) -> None:
    done = command("export", run, "--to", to, "--what", what)
    path = Path(f"{run.name}-{what}.{to}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"written to {path}\n")
    expected = exported(run, what)
    columns, *rows = read(path)
    assert set(columns) == {name for row in expected for name in row}
    assert len(rows) == len(expected)
    ids = [row[columns.index("sample_id")] for row in rows]
    assert ids == [row["sample_id"] for row in expected]


def test_a_model_cannot_plant_a_formula(run: Path) -> None:
    for name in ("e.csv", "e.xlsx"):
        done = command("export", run, "--to", name[2:], "--what", "elements", "-o", name)
        assert done.returncode == 0, done.stderr
    assert ",'=HYPERLINK(1)," in Path("e.csv").read_text(encoding="utf-8")
    sheet = openpyxl.load_workbook("e.xlsx").worksheets[0]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert [c.data_type for c in cells if c.value == "=HYPERLINK(1)"] == ["s"]


STEERING = "\x1b[2J\x9b31m\x07\u202eevil"


@pytest.mark.parametrize("to", ["csv", "json"])
def test_a_model_cannot_steer_the_terminal(tmp_path: Path, to: str) -> None:
    run = small_run(tmp_path, Act(content=STEERING), pages=1)
    arguments = ("export", run, "--to", to, "--what", "records", "-o")
    on_terminal = command(*arguments, "-", terminal=True).stdout
    assert not set(STEERING[:-4]) & set(on_terminal) - set("[2J31m")
    assert "\\x9b31m" in on_terminal
    assert "\\u202eevil" in on_terminal
    piped = command(*arguments, "-").stdout
    assert piped.count("\n") == on_terminal.count("\n")
    assert "\x9b31m" in piped
    assert command(*arguments, tmp_path / "out").returncode == 0
    assert (tmp_path / "out").read_bytes() == piped.encode("utf-8")


def test_the_newest_run_is_the_default(run: Path) -> None:
    done = command("export", "--to", "csv", "-o", "-")
    assert f"newest run: {Path('runs') / run.name}" in done.stderr
    assert len(done.stdout.splitlines()) == 4


def no_results(run: Path) -> None:
    (run / "results.json").unlink()


def old_results(run: Path) -> None:
    results = json.loads((run / "results.json").read_text(encoding="utf-8"))
    results["per_sample"].pop()
    (run / "results.json").write_text(json.dumps(results), encoding="utf-8")


def torn_results(run: Path) -> None:
    (run / "results.json").write_text('{"per_sam', encoding="utf-8")


def odd_record(run: Path) -> None:
    with (run / "records.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"sample_id": "images/0.png", "position": 0, "outcome": "ok", "sample": 1, ')
        file.write('"reply": 3}\n')


@pytest.mark.parametrize(
    ("spoil", "options", "message"),
    [
        pytest.param(no_results, (), "screenmark score", id="no results"),
        pytest.param(old_results, (), "results.json: about 2 samples, and there are 3", id="old"),
        pytest.param(torn_results, (), "results.json: cannot be read", id="torn"),
        pytest.param(None, ("--to", "xlsx", "-o", "-"), "xlsx is not text", id="not text"),
        pytest.param(None, ("-o", "images"), "images: not a file", id="folder"),
        pytest.param(None, ("--what", "pages"), "pages", id="unknown rows"),
        pytest.param(None, ("--to", "doc"), "doc", id="unknown format"),
    ],
)
def test_what_cannot_be_exported(
    run: Path, spoil: Callable[[Path], None] | None, options: tuple[str, ...], message: str
) -> None:
    if spoil is not None:
        spoil(run)
    done = command("export", run, "--to", "csv", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not list(Path().glob("*.csv"))


def test_records_of_an_unfinished_run_can_be_exported(run: Path) -> None:
    no_results(run)
    with (run / "records.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"sample_id": "torn')
    done = command("export", run, "--to", "csv", "--what", "records", "-o", "-")
    assert done.returncode == 0
    assert "records.jsonl: line 4 is damaged" in done.stderr


@pytest.mark.parametrize("name", ["records.jsonl", "export.csv", "deep/export.csv"])
def test_nothing_is_written_into_the_run_folder(run: Path, name: str) -> None:
    before = sorted(path.name for path in run.iterdir())
    done = command("export", run, "--to", "csv", "-o", run / name)
    assert done.returncode == 2
    assert "inside the run folder" in done.stderr
    assert sorted(path.name for path in run.iterdir()) == before
