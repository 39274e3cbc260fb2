"""What earlier sessions left: what holds, what does not, what is damaged."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine import job, rescore
from screenmark.engine.endpoints import Endpoints
from screenmark.engine.runner import Runner
from screenmark.errors import CredentialsError, RunFolderError, RunInterrupted, UsageError
from screenmark.jsonfile import dump_json
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import ELEMENT, REPLY, make_pages

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")

GOOD = Act(content=REPLY)
NEAR = Act(content=json.dumps([{**ELEMENT, "coordinates": [10, 10, 40, 26]}]))  # IoU 0.8


def run(endpoint: FakeEndpoint, annotation: Path, **options: Any) -> screenmark.Run:
    options = {"model": "m", "api_base": endpoint.url, "concurrency": 1, **options}
    return screenmark.run("gui-hallubench", annotation=annotation, **options)


def interrupted(endpoint: FakeEndpoint, annotation: Path, after: int, **options: Any) -> None:
    """Leave a run behind of which ``after`` samples are finished."""
    script = endpoint.script
    endpoint.script = lambda n, body: NEAR if n < after else Act(status=401)
    with pytest.raises(CredentialsError):
        run(endpoint, annotation, **options)
    endpoint.script = script


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"model": "other"}, id="model"),
        pytest.param({"adapter": "tests.support.adapters:Silent"}, id="adapter"),
    ],
)
def test_a_fork_never_passes_off_another_models_answers(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        asked = len(endpoint.requests)
        forked = screenmark.run(resume=first.path, fork=True, **change)
        assert forked.resumed == 0
        assert any("nothing of it holds here" in warning for warning in forked.warnings)
        if "model" in change:
            assert len(endpoint.requests) == 2 * asked


def test_a_fork_to_other_predictions_keeps_nothing(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    for name, value in (("a", json.loads(REPLY)), ("b", [])):
        Path(f"{name}.json").write_text(json.dumps({"images/0.png": value}), encoding="utf-8")
    first = screenmark.run("gui-hallubench", annotation=annotation, predictions="a.json")
    forked = screenmark.run(resume=first.path, fork=True, predictions="b.json")
    assert (first.results["overall_f1"], forked.results["overall_f1"]) == (1.0, 0.0)


def test_other_scoring_options_hold_for_old_samples_too(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 4)
    with FakeEndpoint([NEAR]) as endpoint:
        interrupted(endpoint, annotation, 3)
        finished = run(endpoint, annotation, iou_threshold=0.9)
    assert finished.resumed == 3
    assert finished.results["overall_f1"] == 0.0
    assert rescore(finished.path) == finished.results


def test_records_are_read_again_where_the_functions_that_read_them_changed(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 4)
    (tmp_path / "mine_again.py").write_text(
        "def nothing(outputs, model, processor):\n    return '[]'\n"
        "def all(outputs, model, processor):\n    return outputs\n",
        encoding="utf-8",
    )
    options = {"code_dir": tmp_path, "adapter": "openai"}
    with FakeEndpoint([NEAR]) as endpoint:
        interrupted(endpoint, annotation, 3, postprocess="mine_again.nothing", **options)
        finished = run(endpoint, annotation, postprocess="mine_again.all", **options)
        assert finished.resumed == 3
        assert [len(record.answer.value) for record in finished.records if record.answer] == [1] * 4
        assert [record.score["f1"] for record in finished.records] == [1.0] * 4
        assert [record.position for record in finished.records] == [0, 1, 2, 3]
        assert finished.results["overall_f1"] == 1.0
        # The old readings stay in the file, above the new ones; nothing is added for nothing.
        lines = lines_of(finished.folder.records)
        assert len(lines) == 7
        results = finished.folder.results.read_bytes()
        again = run(endpoint, annotation, postprocess="mine_again.all", reuse=True, **options)
        assert lines_of(again.folder.records) == lines
        assert again.folder.results.read_bytes() == results
        assert len(endpoint.requests) == 5, "four samples, and the request that was refused"


@pytest.mark.parametrize("way", ["resume", "reuse"])
def test_a_finished_run_under_other_scoring(tmp_path: Path, way: str) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([NEAR]) as endpoint:
        first = run(endpoint, annotation)
        assert first.results["overall_f1"] == 1.0
        again = (
            screenmark.run(resume=first.path, iou_threshold=0.9, scoring="compat")
            if way == "resume"
            else run(endpoint, annotation, reuse=True, iou_threshold=0.9, scoring="compat")
        )
        assert len(endpoint.requests) == 2
    assert again.path == first.path
    assert (again.results["overall_f1"], again.results["scoring"]) == (0.0, "compat")
    assert dump_json(rescore(again.path)) == again.folder.results.read_text(encoding="utf-8")
    assert rescore(again.path, scoring="strict")["scoring"] == "strict"


def test_finished_without_results_is_not_finished(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 3)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        written = first.folder.results.read_bytes()
        first.folder.results.unlink()
        again = run(endpoint, annotation)
        assert len(endpoint.requests) == 3
    assert again.path == first.path
    assert again.folder.results.read_bytes() == written


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(b'{"sample_id":"images/1.png","position":0,"outcome":"ok"}\n', id="no sample"),
        pytest.param(b"\x00\xff garbage\n", id="garbage"),
        pytest.param(b'{"torn', id="torn"),
    ],
)
def test_damaged_lines_are_asked_again(tmp_path: Path, bad: bytes) -> None:
    annotation = make_pages(tmp_path, 3)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        calm = first.folder.results.read_bytes()
        lines = first.folder.records.read_bytes().splitlines(keepends=True)
        first.folder.records.write_bytes(lines[0] + lines[2] + bad)
        first.folder.results.unlink()
        again = run(endpoint, annotation)
    assert len(endpoint.requests) == 4
    assert again.folder.results.read_bytes() == calm


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"reply":{', '"reply":5,"x":{', id="reply is a number"),
        pytest.param('"text":"', '"text":7,"x":"', id="text is a number"),
        pytest.param('"outcome":"ok"', '"outcome":"great"', id="unknown outcome"),
    ],
)
def test_a_record_of_another_shape_is_asked_again(tmp_path: Path, old: str, new: str) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        lines = lines_of(first.folder.records)
        first.folder.records.write_text(lines[0].replace(old, new, 1) + lines[1], encoding="utf-8")
        first.folder.results.unlink()
        again = run(endpoint, annotation)
    assert len(endpoint.requests) == 3
    assert any("line 1 is damaged" in warning for warning in again.warnings)
    assert again.results["outcomes"] == {"ok": 2}


def test_records_of_other_samples_are_left_out(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        foreign = lines_of(first.folder.records)[0].replace("images/0.png", "images/9.png")
        with first.folder.records.open("a", encoding="utf-8") as file:
            file.write(foreign)
        again = screenmark.run(resume=first.path)
    assert again.results["num_samples"] == 2
    assert any("1 records are not of this run" in warning for warning in again.warnings)


def test_a_shortened_record_file_is_filled_up_again(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 3)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        calm = first.folder.results.read_bytes()
        first.folder.records.write_text(lines_of(first.folder.records)[1], encoding="utf-8")
        again = run(endpoint, annotation, reuse=True)
    assert len(endpoint.requests) == 5
    assert again.folder.results.read_bytes() == calm


def test_records_that_are_a_folder(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        first.folder.records.unlink()
        first.folder.records.mkdir()
        with pytest.raises(RunFolderError, match=r"records\.jsonl: cannot be read"):
            screenmark.run(resume=first.path)


def test_a_place_that_takes_no_output_is_noticed_before_anything_is_asked(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        with pytest.raises(UsageError, match="--output"):
            run(endpoint, annotation, output="images")
        assert not endpoint.requests
        finished = run(endpoint, annotation, output="new/folder/out.json")
    assert Path("new/folder/out.json").read_bytes() == finished.folder.results.read_bytes()


@pytest.mark.parametrize("content", ["null", "[]", "{}", '{"headline"', "NaN"])
def test_damaged_results_say_how_to_write_them_anew(tmp_path: Path, content: str) -> None:
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, make_pages(tmp_path, 1))
    first.folder.results.write_text(content, encoding="utf-8")
    with pytest.raises(RunFolderError, match="screenmark score"):
        _ = first.results


@pytest.mark.parametrize("name", ["write_manifest", "write_atomically"])
def test_a_disk_that_fills_up_at_the_end_is_resumable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    annotation = make_pages(tmp_path, 3)
    real = getattr(job, name)
    calls = []

    def full(*arguments: Any) -> None:
        calls.append(arguments)
        if name == "write_atomically" or len(calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(*arguments)

    with FakeEndpoint([GOOD]) as endpoint:
        with monkeypatch.context() as patch:
            patch.setattr(job, name, full)
            with pytest.raises(RunInterrupted, match="No space left"):
                run(endpoint, annotation)
        finished = run(endpoint, annotation)
        assert len(endpoint.requests) == 3
    assert finished.results["outcomes"] == {"ok": 3}
    assert len(list(Path("runs").iterdir())) == 1


def test_a_folder_that_is_removed_in_the_middle(tmp_path: Path) -> None:
    import shutil

    annotation = make_pages(tmp_path, 6)

    def remove(number: int, body: dict[str, Any]) -> Act:
        if number == 3:
            shutil.rmtree("runs")
        return GOOD

    with FakeEndpoint(remove) as endpoint, pytest.raises(RunInterrupted, match="cannot be written"):
        run(endpoint, annotation)


def test_ctrl_c_does_not_wait_for_a_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    annotation = make_pages(tmp_path, 4)
    held = threading.Event()
    real = Endpoints.hold

    def hold(self: Endpoints, endpoint: Any, seconds: float) -> None:
        real(self, endpoint, 60.0)
        held.set()

    monkeypatch.setattr(Endpoints, "hold", hold)
    runners: list[Any] = []
    make = Runner

    def remember(*a: Any, **k: Any) -> Any:
        runners.append(make(*a, **k))
        return runners[-1]

    monkeypatch.setattr(job, "Runner", remember)
    caught: list[BaseException] = []

    def work(endpoint: FakeEndpoint) -> None:
        loop_of: list[asyncio.AbstractEventLoop] = []
        original = make.run

        async def noting(self: Any, *a: Any) -> None:
            loop_of.append(asyncio.get_running_loop())
            threading.Thread(target=press, args=(loop_of,), daemon=True).start()
            await original(self, *a)

        monkeypatch.setattr(make, "run", noting)
        try:
            run(endpoint, annotation, concurrency=2)
        except BaseException as error:
            caught.append(error)

    def press(loop_of: list[asyncio.AbstractEventLoop]) -> None:
        held.wait(20)
        time.sleep(0.1)
        loop_of[0].call_soon_threadsafe(runners[0].interrupt)

    busy = Act(status=429, headers={"Retry-After": "0.05"})
    with FakeEndpoint([busy]) as endpoint:
        began = time.monotonic()
        work(endpoint)
        assert time.monotonic() - began < 30, "it waited the hold out"
    assert isinstance(caught[0], RunInterrupted)
