"""Reliability of a judge over records that a script made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from screenmark.answers.rubric import CRITERIA
from screenmark.benchmarks.map_judging.labels import read_labels
from screenmark.benchmarks.map_judging.reliability import bias, marks_of, reliability
from screenmark.benchmarks.map_judging.reliability_tables import bias_table
from screenmark.errors import DataError
from screenmark.types import Outcome, Record
from tests.support.gis import MARKS

Change = Mapping[str, int]


def record(task: int, repeat: int, judge: str = "j", status: str = "ok", **marks: int) -> Record:
    scores = MARKS | marks
    total = round(sum(scores.values()) / 130 * 100)
    sample = {"output": {"model": "a"}, "task": {"number": task}, "judge": judge}
    score: dict[str, Any] = {"status": status, "scores": scores, "total_normalized": total}
    return Record(
        sample_id=f"a/{task}",
        position=task,
        repeat=repeat,
        outcome=Outcome.OK,
        sample=sample,
        score=score,
    )


def steady() -> list[Record]:
    """Four tasks, three runs; only the accuracy differs between tasks, nothing between runs."""
    return [record(t, r, accuracy=5 * t) for t in range(1, 5) for r in range(3)]


def value(found: Any, *path: str) -> Any:
    for name in path:
        found = found[name]
    return found["value"]


def test_a_judge_that_always_says_the_same_of_an_output() -> None:
    found = reliability(marks_of(steady()), resamples=200)
    runs = found["judges"]["j"]["runs"]
    assert value(runs, "accuracy", "alpha") == 1.0
    assert value(runs, "accuracy", "sd") == 0.0
    assert value(runs, "accuracy", "identical") == 1.0
    assert value(runs, "total", "icc_single") == pytest.approx(1.0)
    assert value(runs, "exists", "alpha") is None, "all marks are the same"
    assert runs["exists"]["alpha"] == {"value": None, "low": None, "high": None}
    assert (runs["exists"]["level"], runs["accuracy"]["level"]) == ("ordinal", "interval")
    assert found["between_judges"] is None
    assert found["judges"]["j"]["human"] is None


def test_a_judge_of_chance_has_no_reliability() -> None:
    records = [record(t, r, accuracy=(t * 7 + r * 11) % 30) for t in range(12) for r in range(3)]
    found = reliability(marks_of(records), resamples=200)["judges"]["j"]["runs"]
    assert abs(value(found, "accuracy", "alpha")) < 0.4
    assert value(found, "accuracy", "identical") == 0.0
    low, high = (found["accuracy"]["alpha"][end] for end in ("low", "high"))
    assert low < value(found, "accuracy", "alpha") < high


def test_runs_without_marks_and_faults_of_candidates_are_no_agreement() -> None:
    records = [*steady(), *(record(9, r, status="fault", exists=0) for r in range(3))]
    records[1] = record(1, 1, status="invalid")
    marks = marks_of(records)
    assert len(marks.units) == 4
    found = reliability(marks, resamples=100)["judges"]["j"]["runs"]
    assert value(found, "accuracy", "alpha") == 1.0


def test_judges_among_themselves() -> None:
    records = steady() + [
        record(t, r, "k", accuracy=5 * t + 1) for t in range(1, 5) for r in (0, 1)
    ]
    found = reliability(marks_of(records), resamples=100)
    assert set(found["judges"]) == {"j", "k"}
    assert 0.9 < value(found["between_judges"], "accuracy", "alpha") < 1.0
    assert "icc_mean" in found["between_judges"]["total"]


def labels(path: Path, *rows: str) -> Path:
    head = ",".join(["model", "task_no", "rater", *CRITERIA])
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def test_against_people(tmp_path: Path) -> None:
    rows = [f"a,{t},p{p},20,{5 * t},24,18,15,5,10" for t in range(1, 5) for p in (1, 2)]
    found = reliability(
        marks_of(steady()), read_labels(labels(tmp_path / "l.csv", *rows)), resamples=200
    )
    human = found["judges"]["j"]["human"]
    assert human["num_outputs"] == found["num_labelled"] == 4
    assert value(human, "criteria", "accuracy") == 1.0
    assert value(human, "criteria", "exists") is None
    assert value(human, "spearman") == pytest.approx(1.0)
    assert (value(human, "mae"), value(human, "bias")) == (0.0, 0.0)
    assert value(human, "pass_kappa") is None, "all pass, in both views"
    assert value(found["people"], "accuracy", "alpha") == 1.0


def test_marks_as_excel_saves_them(tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_bytes("model\ttask_no\trater\tscore\n모델\t1\t김\t70\n".encode("utf-16"))
    (label,) = read_labels(path)
    assert (label.model, label.rater, label.total) == ("모델", "김", 70.0)


def test_korean_headings_and_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    head = "모델;문항번호;평가자;점수;존재 여부;정확성 (0-30);색상·필터·버퍼 등 조건 충족"
    head += ";완성도;공간 위치;형태;수치"
    path.write_bytes(f"{head}\na;1번;김;50,5;20;30;;20;8;5점;10\n;;;;;;;;;;\n".encode("cp949"))
    (label,) = read_labels(path)
    assert (label.model, label.task_no, label.rater, label.total) == ("a", 1, "김", 50.5)
    assert set(label.marks) == set(CRITERIA) - {"requirement"}


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    rows = ["a,x,3,12", *(f"a,{n},150,15" for n in range(11)), "a,50,50,15"]
    path.write_text("model,task_no,score,spatial_location\n" + "\n".join(rows), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_labels(path)
    lines = caught.value.lines
    assert len(lines) == 11
    assert "line 2: task_no: expected a number, found 'x'" in lines[0]
    assert "line 2: spatial_location: expected 0, 8, 15, found '12'" in lines[1]
    assert lines[-1].endswith("l.csv: 3 more mistakes")


def test_labels_of_outputs_that_there_are_not_are_named(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("model,task_no,score\na,1,50\nb,1,5\na,99,5\n", encoding="utf-8")
    found = reliability(marks_of(steady()), read_labels(path), resamples=100)
    assert found["labels_of_others"] == ["b/1", "a/99"]
    assert found["num_labelled"] == 1


def test_people_that_are_stricter_are_seen_as_such(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("model,task_no,score\na,1,50\na,2,55\na,3,\n", encoding="utf-8")
    human = reliability(marks_of(steady()), read_labels(path), resamples=100)["judges"]["j"][
        "human"
    ]
    assert human["num_outputs"] == 2
    assert value(human, "bias") == pytest.approx((75 + 78) / 2 - 52.5, abs=1)
    assert value(human, "pass_kappa") == 0.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("task_no,score\n1,2\n", "there is no column model"),
        ("model,task_no\na,1\n", "no marks: expected columns"),
        ("model,task_no,score\n", "there is no label"),
        ("model,task_no,score\na,x,2\n", "line 2: task_no: expected a number, found 'x'"),
        ("model,task_no,score\n,1,2\n", "line 2: model: expected the name of a model's folder"),
        ("model,task_no,score\na,1,2,3\n", "line 2: 4 cells for 3 headings"),
        ("model,task_no,score\na,1,nan\n", "line 2: score: expected 0 to 100, found 'nan'"),
        ('model,task_no,score\na,1,"50,5"\n', "'50,5'; where commas separate cells, decimals"),
        ('model,task_no,score\na,1,"2\na,2,3\n', "line 2: a quote begins here"),
        ("model,task_no,exists\na,1,-20\n", "line 2: exists: expected 0, 20, found '-20'"),
        ("model,task_no,no,score\na,1,1,2\n", "'task_no' and 'no' both mean task_no"),
        ("model,task_no,score\na,1,200\n", "line 2: score: expected 0 to 100"),
        ("model,task_no,exists\na,1,10\n", "line 2: exists: expected 0, 20, found '10'"),
        ("model,task_no,accuracy\na,1,31\n", "line 2: accuracy: expected 0 to 30, found '31'"),
        ("model,task_no,score\na,1,2\na,1,3\n", "line 3: task_no: human marked this output before"),
    ],
)
def test_labels_that_are_none(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "l.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_labels(path)


def test_bias_of_a_change() -> None:
    base = marks_of(steady())
    other = marks_of([record(t, r, accuracy=5 * t + 2) for t in (1, 2, 3, 9) for r in range(3)])
    found = bias(base, other, resamples=200)
    assert found["num_outputs"] == 3
    assert (found["only_base"], found["only_other"]) == (["a/4"], ["a/9"])
    assert found["criteria"]["accuracy"] == {"value": 2.0, "low": 2.0, "high": 2.0}
    assert value(found, "criteria", "exists") == 0.0
    assert value(found, "changed") == 1.0
    assert value(found, "flips") == 0.0
    assert bias(base, marks_of([record(9, 0)]))["num_outputs"] == 0


def test_a_difference_that_rounds_to_none_has_no_sign() -> None:
    figure = {"value": -0.001, "low": -0.004, "high": 0.0}
    found = {"num_outputs": 1, "criteria": {"exists": figure}, "options": []}
    table = bias_table({**found, "total": figure, "changed": None, "flips": None}, "a", "b")
    assert table.rows[0] == ("exists", "0.00 [0.00, 0.00]")
    assert "differ in: nothing, so that all differences are chance" in str(table.note)
