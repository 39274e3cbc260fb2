"""Whole runs against a local endpoint that misbehaves on script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine import Progress, rescore
from screenmark.engine.progress import Silent
from screenmark.engine.run_folder import RunFolder
from screenmark.errors import (
    CredentialsError,
    RejectedError,
    RunFolderError,
    RunInterrupted,
    UnreachableError,
    UsageError,
)
from screenmark.jsonfile import dump_json
from screenmark.models import BaseLLMAdapter
from screenmark.types import Outcome
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")

GOOD = Act(content=REPLY)


def run(endpoint: FakeEndpoint, annotation: Path, **options: Any) -> screenmark.Run:
    options = {"model": "m", "api_base": [endpoint.url], "concurrency": 2, **options}
    return screenmark.run("gui-hallubench", annotation=annotation, **options)


def test_a_perfect_model_scores_one(tmp_path: Path) -> None:
    with FakeEndpoint([GOOD]) as endpoint:
        finished = run(endpoint, make_pages(tmp_path))
    results = finished.results
    assert results["overall_f1"] == 1.0
    assert results["avg_description_similarity"] == 1.0
    assert results["outcomes"] == {"ok": 3}
    assert results["headline"]["metric"] == "overall_f1"
    assert [row["image_path"] for row in results["per_sample"]] == [
        "images/0.png",
        "images/1.png",
        "images/2.png",
    ]
    assert finished.manifest.status == "finished"
    assert not finished.problems


def test_what_is_sent(tmp_path: Path) -> None:
    with FakeEndpoint([GOOD]) as endpoint:
        finished = run(endpoint, make_pages(tmp_path, 1), temperature=0.5, max_tokens=77)
    (body,) = endpoint.requests
    image, text = body["messages"][0]["content"]
    sent = image["image_url"]
    assert sent["detail"] == "high"
    assert sent["url"].startswith("data:image/png;base64,iVBOR")
    assert "100 pixels wide and 80 pixels high" in text["text"]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.5, 77)
    (record,) = finished.records
    assert record.reply is not None
    assert record.reply.images[0].width == 100
    assert record.reply.usage is not None
    assert record.reply.usage.input_tokens == 7


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        pytest.param(Act(content="I see a nice page."), Outcome.UNPARSEABLE, id="prose"),
        pytest.param(Act(content=None), Outcome.EMPTY, id="null content"),
        pytest.param(Act(content=None, refusal="I can't help."), Outcome.REFUSED, id="refusal"),
        pytest.param(
            Act(content=REPLY[:-30], finish_reason="length"), Outcome.TRUNCATED, id="length"
        ),
        pytest.param(Act(content="", finish_reason="content_filter"), Outcome.REFUSED, id="filter"),
        pytest.param(Act(status=400, body=b"bad request"), Outcome.API_ERROR, id="400"),
        pytest.param(Act(status=413, body=b"too large"), Outcome.API_ERROR, id="413"),
        pytest.param(Act(status=404, body=b"no such model"), Outcome.API_ERROR, id="404"),
    ],
)
def test_bad_replies_end_in_one_outcome_and_are_asked_once(
    tmp_path: Path, act: Act, outcome: Outcome
) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint(lambda n, body: act if n == 0 else GOOD) as endpoint:
        finished = run(endpoint, annotation, concurrency=1)
    assert len(endpoint.requests) == 2
    assert finished.results["outcomes"] == {outcome.value: 1, "ok": 1}
    assert finished.results["total_fn"] == 1
    assert finished.results["answered_only"]["num_samples"] == 1
    assert finished.results["answered_only"]["overall_f1"] == 1.0


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(Act(status=429, headers={"Retry-After": "0"}), id="429"),
        pytest.param(Act(status=500, body=b"oops"), id="500"),
        pytest.param(Act(status=503, body=b""), id="503"),
        pytest.param(Act(reset=True), id="connection reset"),
        pytest.param(Act(body=b"<html>hello</html>"), id="not JSON"),
        pytest.param(Act(body=b'{"choices": [{"mess'), id="truncated JSON"),
        pytest.param(Act(body=b'{"choices": []}'), id="no choices"),
        pytest.param(Act(seconds=3, content="late"), id="slow"),
    ],
)
def test_passing_faults_are_tried_again(tmp_path: Path, act: Act) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint([act, act, GOOD]) as endpoint:
        finished = run(endpoint, annotation, timeout=0.3)
    assert finished.results["outcomes"] == {"ok": 1}
    (record,) = finished.records
    assert record.attempts == 3


def test_tries_are_bounded_and_the_error_says_what_was_sent(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    fault = Act(status=500, body=b"out of memory " * 100)
    with FakeEndpoint(lambda n, body: GOOD if n == 0 else fault) as endpoint:
        finished = run(endpoint, annotation, concurrency=1, max_retries=2)
    assert len(endpoint.requests) == 1 + 3
    failed = list(finished.records)[1]
    assert failed.outcome is Outcome.API_ERROR
    assert failed.failure is not None
    assert failed.failure.status == 500
    assert "1 image" in failed.failure.message
    assert "out of memory" in failed.failure.message
    assert len(failed.failure.message) < 700


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_stops_the_run_and_is_written_nowhere(tmp_path: Path, status: int) -> None:
    annotation = make_pages(tmp_path, 5)
    key = "sk-secret-1234567890"

    def refuse(number: int, body: dict[str, Any]) -> Act:
        return Act(status=status, body=f"bad key {key}".encode())

    with FakeEndpoint(refuse) as endpoint, pytest.raises(CredentialsError) as caught:
        run(endpoint, annotation, api_key=key, concurrency=1)
    assert len(endpoint.requests) == 1
    assert "--api-key" in str(caught.value)
    assert key not in str(caught.value)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert key.encode() not in file.read_bytes(), file


def test_an_endpoint_that_is_not_there_stops_the_run(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 5)
    with pytest.raises(UnreachableError, match=r"cannot connect to http://127\.0\.0\.1:9/v1"):
        screenmark.run(
            "gui-hallubench", annotation=annotation, model="m", api_base=["http://127.0.0.1:9/v1"]
        )


def test_an_address_without_v1_is_noticed_before_all_is_sent(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 12)
    with (
        FakeEndpoint([Act(status=404, body=b"Not Found")]) as endpoint,
        pytest.raises(RejectedError, match=r"does --api-base end in /v1.*status 404"),
    ):
        run(endpoint, annotation)
    assert len(endpoint.requests) <= 5


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 6)
    with FakeEndpoint(lambda n, body: GOOD if n < 3 else Act(status=401)) as endpoint:
        with pytest.raises(CredentialsError):
            run(endpoint, annotation, concurrency=1)
        assert len(endpoint.requests) == 4
        endpoint.script = [GOOD]
        finished = run(endpoint, annotation, concurrency=1)
    assert len(endpoint.requests) == 4 + 3
    assert finished.resumed == 3
    assert finished.results["outcomes"] == {"ok": 6}
    assert len(finished.manifest.sessions) == 2


def test_a_finished_run_is_left_alone_and_reused_on_request(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        second = run(endpoint, annotation)
        asked = len(endpoint.requests)
        reused = run(endpoint, annotation, reuse=True)
    assert second.path.name == first.path.name + "-2"
    assert reused.path == second.path
    assert len(endpoint.requests) == asked == 4
    assert reused.results == second.results


class Told(Silent):
    """Keeps what a person is told before the first request, and how many there were by then."""

    def __init__(self, endpoint: FakeEndpoint) -> None:
        self.endpoint = endpoint
        self.first: list[tuple[str, int]] = []

    def start(self, progress: Progress) -> None:
        self.first.append((progress.first, len(self.endpoint.requests)))


def test_a_run_that_would_be_paid_again_is_told_of_first(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        told = Told(endpoint)
        first = run(endpoint, annotation, repeats=3, display=told)
        second = run(endpoint, annotation, repeats=3, display=told)
        run(endpoint, annotation, repeats=3, display=told, cache=str(tmp_path / "replies"))
        run(endpoint, annotation, repeats=3, display=told, reuse=True)
    (fresh, _), (again, asked), (cached, _) = told.first
    assert fresh == ""
    assert f"results are in {first.path}, and --reuse returns them" in again
    assert str(first.manifest.finished) in again
    assert "up to 6 requests to m." in again
    assert asked == 6
    assert f"results are in {second.path}" in cached
    assert "--cache are not asked for again" in cached


def test_failures_are_asked_again_on_resume(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 3)
    with FakeEndpoint(lambda n, body: Act(status=400) if n == 1 else GOOD) as endpoint:
        first = run(endpoint, annotation, concurrency=1)
        assert first.results["outcomes"] == {"ok": 2, "api_error": 1}
        again = screenmark.run(resume=first.path)
    assert again.path == first.path
    assert again.results["outcomes"] == {"ok": 3}
    assert len(endpoint.requests) == 4


def test_resume_refuses_options_that_change_answers(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        with pytest.raises(RunFolderError, match=r"--max-tokens \(the run has 4096.*--fork"):
            screenmark.run(resume=first.path, max_tokens=5)


def test_fork_keeps_the_records_that_still_hold(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 4)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation, max_samples=3)
        forked = screenmark.run(resume=first.path, fork=True, max_samples=4)
        assert len(endpoint.requests) == 3 + 1
        assert forked.path != first.path
        assert forked.results["outcomes"] == {"ok": 4}
        warmer = screenmark.run(resume=first.path, fork=True, temperature=1.0)
        assert len(endpoint.requests) == 4 + 3
        assert warmer.resumed == 0


def test_fork_asks_again_about_an_image_that_changed(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        first = run(endpoint, annotation)
        make_pages(tmp_path / "other", 2, size=(100, 80))
        (tmp_path / "other/images/1.png").replace(tmp_path / "images/0.png")
        forked = screenmark.run(resume=first.path, fork=True)
    assert forked.resumed == 1
    assert len(endpoint.requests) == 3


def test_scoring_again_gives_the_same_bytes(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 5)
    acts = [GOOD, Act(content="[]"), Act(status=400), Act(content="x"), GOOD]
    with FakeEndpoint(acts) as endpoint:
        finished = run(endpoint, annotation, concurrency=1)
    written = finished.folder.results.read_text(encoding="utf-8")
    assert dump_json(rescore(finished.path)) == written
    assert rescore(finished.path, iou_threshold=0.99)["iou_threshold"] == 0.99
    with pytest.raises(UsageError, match="--max-tokens changes answers"):
        rescore(finished.path, max_tokens=3)


def test_concurrency_is_used_and_bounded(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 12)
    with FakeEndpoint([Act(content=REPLY, seconds=0.05)]) as endpoint:
        run(endpoint, annotation, concurrency=4)
    assert endpoint.most_in_flight == 4


def test_order_of_results_does_not_follow_order_of_replies(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 4)

    last_sent = threading.Event()

    def first_one_last(number: int, body: dict[str, Any]) -> Act:
        if number == 3:
            last_sent.set()
        return Act(content=REPLY, after=last_sent if number == 0 else None)

    with FakeEndpoint(first_one_last) as endpoint:
        finished = run(endpoint, annotation, concurrency=4)
    lines = finished.folder.records.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["sample_id"] == "images/0.png"
    assert [record.position for record in finished.records] == [0, 1, 2, 3]


def test_repeats_are_separate_records(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([GOOD]) as endpoint:
        finished = run(endpoint, annotation, repeats=3)
    assert len(endpoint.requests) == 6
    assert sorted(record.key for record in finished.records) == [
        (f"images/{page}.png", repeat) for page in range(2) for repeat in range(3)
    ]


def test_two_processes_on_one_folder(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([Act(content=REPLY, seconds=1.5)]) as endpoint:
        other = threading.Thread(target=run, args=(endpoint, annotation))
        other.start()
        deadline = time.monotonic() + 5
        while not endpoint.requests and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(RunFolderError, match=rf"another process \(pid {os.getpid()}\)"):
            run(endpoint, annotation)
        other.join()


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    class Mine(BaseLLMAdapter):
        def infer(self, image_path: str, prompt: str) -> str:
            if image_path.endswith("1.png"):
                raise ValueError("no luck")
            assert "JSON array" in prompt
            return REPLY

    finished = screenmark.run(
        "gui-hallubench", annotation=make_pages(tmp_path, 3), adapter_object=Mine()
    )
    assert finished.results["outcomes"] == {"ok": 2, "api_error": 1}
    failure = next(r.failure for r in finished.records if r.failure)
    assert failure.message.startswith("ValueError: no luck (test_api.py, line ")
    assert failure.message.endswith("in infer)")


def test_a_run_inside_a_running_loop(tmp_path: Path) -> None:
    import asyncio

    annotation = make_pages(tmp_path, 1)

    async def notebook() -> float:
        with FakeEndpoint([GOOD]) as endpoint:
            f1: float = run(endpoint, annotation).results["overall_f1"]
        return f1

    assert asyncio.run(notebook()) == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"concurency": 3}, "did you mean 'concurrency'", id="misspelt"),
        pytest.param({"concurrency": 0}, "--concurrency: 0 is out of range", id="zero"),
        pytest.param({"iou_threshold": 1.5}, "--iou-threshold: 1.5", id="iou"),
        pytest.param({"iou_threshold": float("nan")}, "--iou-threshold: nan", id="nan"),
        pytest.param({"max_samples": "three"}, "--max-samples", id="type"),
        pytest.param({"matching": "best"}, "--matching", id="choice"),
        pytest.param({"profile": "qwen9"}, "no profile 'qwen9'", id="profile"),
        pytest.param({"split": "dev"}, "--split is for the bundled data", id="split"),
        pytest.param({"fork": True}, "--resume DIR", id="fork alone"),
        pytest.param({"adapter": "opnai"}, "unknown adapter 'opnai'", id="adapter"),
        pytest.param({"adapter": "nowhere:Class"}, "no module 'nowhere'", id="module"),
        pytest.param({"adapter": "json:loads"}, "not a subclass", id="not an adapter"),
    ],
)
def test_wrong_options(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with FakeEndpoint() as endpoint, pytest.raises(UsageError, match=message):
        run(endpoint, make_pages(tmp_path, 1), **options)
    assert not endpoint.requests


def test_no_model_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--model NAME"):
        screenmark.run("gui-hallubench", annotation=make_pages(tmp_path, 1))
    with pytest.raises(UsageError, match="did you mean 'gui-hallubench'"):
        screenmark.run("gui-halubench", model="ocr")


def start(annotation: Path, endpoint: FakeEndpoint, runs: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "screenmark", "run", "gui-hallubench"]
    command += ["--annotation", str(annotation), "--model", "m", "--api-base", endpoint.url]
    command += ["--concurrency", "2", "--runs-dir", str(runs)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def wait_for(endpoint: FakeEndpoint, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(endpoint.requests) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_killed_and_resumed_equals_undisturbed(tmp_path: Path, number: signal.Signals) -> None:
    annotation = make_pages(tmp_path, 12)

    def answer(n: int, body: dict[str, Any]) -> Act:
        # The reply depends on the image alone, as an embedded model's would.
        url = body["messages"][0]["content"][0]["image_url"]["url"]
        return Act(content=REPLY if hash(url) % 2 else "[]", seconds=0.05)

    with FakeEndpoint(answer) as endpoint:
        process = start(annotation, endpoint, tmp_path / "killed")
        wait_for(endpoint, 6)
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == (3 if number is signal.SIGINT else -9), errors
        asked = len(endpoint.requests)
        assert asked < 12
        process = start(annotation, endpoint, tmp_path / "killed")
        assert process.communicate(timeout=30)
        assert process.returncode == 0
        if number is signal.SIGINT:
            assert len(endpoint.requests) == 12, "a drained sample was asked again"
        process = start(annotation, endpoint, tmp_path / "calm")
        assert process.communicate(timeout=30)
    (killed,) = (tmp_path / "killed").iterdir()
    (calm,) = (tmp_path / "calm").iterdir()
    assert killed.name == calm.name
    assert RunFolder(killed).results.read_bytes() == RunFolder(calm).results.read_bytes()


def test_a_second_ctrl_c_does_not_wait_for_a_model_that_hangs(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    (tmp_path / "hanging.py").write_text(
        "import pathlib, time\n"
        "from screenmark.models import BaseLLMAdapter\n"
        "class Hangs(BaseLLMAdapter):\n"
        "    def infer(self, image_path, prompt):\n"
        "        pathlib.Path('started').touch()\n"
        "        time.sleep(120)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "screenmark", "run", "gui-hallubench", "--model", "m"]
    command += ["--annotation", str(annotation), "--adapter", "hanging:Hangs"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not Path("started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 3
    assert "give the same command again" in errors


def test_a_full_disk_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    annotation = make_pages(tmp_path, 8)
    real = os.write
    room = [1]

    def write(descriptor: int, data: Any) -> int:
        if b'"sample_id"' in bytes(data)[:40]:
            if not room[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            room[0] -= 1
        return real(descriptor, data)

    def slow(n: int, body: dict[str, Any]) -> Act:
        return Act(content=REPLY, seconds=0.1)

    with FakeEndpoint(slow) as endpoint:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", write)
            with pytest.raises(RunInterrupted, match="No space left"):
                run(endpoint, annotation, concurrency=1)
        assert len(endpoint.requests) < 8
        finished = run(endpoint, annotation, concurrency=1)
    assert finished.resumed == 1
    assert finished.results["outcomes"] == {"ok": 8}
