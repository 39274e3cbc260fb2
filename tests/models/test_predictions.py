"""Files of predictions in place of a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import screenmark
from screenmark.benchmarks.element_grounding import MMBenchL2
from screenmark.benchmarks.element_grounding.mmbench_l2 import L2Options
from screenmark.errors import DataError
from screenmark.models.predictions import PredictionsFile
from tests.support import screens
from tests.support.commands import Done, command
from tests.support.pages import REPLY, make_pages
from tests.support.pipes import piped

pytestmark = pytest.mark.usefixtures("in_tmp")


def test_json_array(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    file = tmp_path / "p.json"
    pages = json.loads(annotation.read_text(encoding="utf-8"))
    file.write_text(json.dumps(pages), encoding="utf-8")
    finished = screenmark.run("gui-hallubench", annotation=annotation, predictions=file)
    assert finished.results["overall_f1"] == 1.0
    assert finished.results["model"] == "p"


def test_lines_with_raw_text(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    file = tmp_path / "p.jsonl"
    lines = [{"image_path": f"images/{n}.png", "response": REPLY} for n in range(2)]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    finished = screenmark.run("gui-hallubench", annotation=annotation, predictions=file)
    assert finished.results["overall_f1"] == 1.0


def test_unknown_and_missing_images_are_named(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    file = tmp_path / "p.json"
    data = {"images/0.png": json.loads(REPLY), "images/9.png": []}
    file.write_text(json.dumps(data), encoding="utf-8")
    finished = screenmark.run("gui-hallubench", annotation=annotation, predictions=file)
    assert finished.problems == [f"{file}: images/9.png: not in the annotation"]
    assert finished.results["outcomes"] == {"ok": 1, "api_error": 1}
    assert finished.results["total_fn"] == 1


def test_all_unknown(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    file = tmp_path / "p.json"
    file.write_text(json.dumps({"x.png": []}), encoding="utf-8")
    with pytest.raises(DataError, match="no prediction is for a sample"):
        screenmark.run("gui-hallubench", annotation=annotation, predictions=file)


def test_a_pipe_is_known_by_what_it_delivered(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    runs = []
    for reply in ("[]", REPLY):
        data = json.dumps({"images/0.png": reply}).encode()
        with piped(data) as pipe:
            runs.append(
                screenmark.run("gui-hallubench", annotation=annotation, predictions=pipe, model="m")
            )
        file = tmp_path / "same.json"
        file.write_bytes(data)
        assert PredictionsFile(file).sha256[:16] == runs[-1].manifest.identity["predictions"]
    assert [run.results["overall_f1"] for run in runs] == [0.0, 1.0]
    assert runs[0].folder != runs[1].folder


def test_predictions_without_a_usable_page(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1, coordinates=[50, 10, 20, 30])
    file = tmp_path / "p.json"
    file.write_text(json.dumps({"images/0.png": []}), encoding="utf-8")
    with pytest.raises(DataError, match=r"no sample can be used, 1 have problems.* x2 < x1"):
        screenmark.run("gui-hallubench", annotation=annotation, predictions=file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("[1]", "item 0: expected an object", id="number"),
        pytest.param('[{"elements": []}]', "image_path: expected a string", id="no path"),
        pytest.param(
            '[{"image_path": "a", "reply": null}]',
            "item 0: reply: expected a text, found null; leave the row out where",
            id="null",
        ),
        pytest.param('[{"id": "a", "text": {"x": 1}}]', 'a text, found {"x":1}; ', id="object"),
        pytest.param('[{"image_path": "a"}]', "expected one of the fields", id="no value"),
        pytest.param(
            '{"image_path": "a", "elements": []}\n{"image_path"', "line 2: not JSON", id="torn"
        ),
        pytest.param('[{"id": "a", "text": ""}, {"id": "a", "text": ""}]', "a second", id="twice"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "p.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        screenmark.run("gui-hallubench", annotation=make_pages(tmp_path, 1), predictions=file)
    assert str(file) in str(caught.value)


@pytest.mark.usefixtures("in_tmp")
def test_paths_where_an_image_has_several_questions(tmp_path: Path) -> None:
    screens.image(tmp_path / "images" / "home.png")
    annotation = screens.write(tmp_path / "l2.json", [screens.L2])
    (id,) = (s.id for s in MMBenchL2(L2Options(annotation=annotation)).load().samples)
    path = id.partition("#")[0]
    file = screens.write(tmp_path / "replies.json", [{"image_path": path, "response": "(1, 1)"}])
    with pytest.raises(
        DataError, match=f"expected ids like '{id}'.*give each item the sample's id"
    ):
        screenmark.run("mmbench-gui-l2", annotation=annotation, predictions=file)


def test_a_sample_without_a_prediction_is_named_in_words(in_tmp: Path) -> None:
    screens.image(in_tmp / "images" / "home.png")
    items = [screens.L2, {**screens.L2, "instruction": "Close it"}]
    annotation = screens.write(in_tmp / "l2.json", items)
    first = MMBenchL2(L2Options(annotation=annotation)).load().samples[0]
    screens.write(in_tmp / "replies.json", [{"id": first.id, "response": "(1, 1)"}])
    options = ("--annotation", annotation, "--predictions", "replies.json")
    done = command("run", "mmbench-gui-l2", *options)
    assert "1 × no prediction, for example" in done.stderr


def test_a_reader_that_fails_on_everything_is_no_success(
    in_tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(in_tmp))
    code = "def read(text, meta):\n    return {'ok': (0.5, 0.5)}[text]\n"
    (in_tmp / "own_failing.py").write_text(code, encoding="utf-8")
    screens.image(in_tmp / "images" / "home.png")
    items = [screens.L2, {**screens.L2, "instruction": "Close it"}]
    annotation = screens.write(in_tmp / "l2.json", items)
    ids = [s.id for s in MMBenchL2(L2Options(annotation=annotation)).load().samples]

    def run(*replies: str) -> Done:
        rows = [{"id": id, "response": text} for id, text in zip(ids, replies, strict=True)]
        screens.write(in_tmp / "replies.json", rows)
        options = ("--predictions", "replies.json", "--parse-function", "own_failing.read")
        return command("run", "mmbench-gui-l2", "--annotation", annotation, *options)

    done = run("(1, 1)", "(2, 2)")
    assert done.returncode == 1
    assert "--parse-function failed on 2 replies" in done.stderr
    assert run("(1, 1)", "ok").returncode == 0
