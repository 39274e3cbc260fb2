"""Whole runs over several workers, with a cluster that is only acted."""

from __future__ import annotations

import asyncio
import functools
import importlib
import os
import signal
import sys
import threading
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine import ray_executor, runner, shard_worker
from screenmark.engine.plan import Plan
from screenmark.engine.ray_executor import Node, connected, places, worker_specs
from screenmark.engine.retry import RetryPolicy
from screenmark.engine.shard_worker import ShardWorker, WorkerSpec
from screenmark.errors import (
    CredentialsError,
    MissingExtra,
    RunInterrupted,
    UnreachableError,
    UsageError,
)
from screenmark.models import BaseLLMAdapter, build_adapter
from screenmark.needs import Needs
from screenmark.types import Outcome
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.fake_ray import FakeRay
from tests.support.pages import REPLY, make_pages

DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def in_process(in_tmp: Path, quick_retries: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers live in this process: they leave signals to the driver and do not wait long."""
    quick = functools.partial(RetryPolicy, base=0.002, cap=0.05)
    monkeypatch.setattr(shard_worker, "RetryPolicy", quick)
    monkeypatch.setattr(runner, "interruptible", lambda interrupt: nullcontext())
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay(nodes=3)
    monkeypatch.setattr(ray_executor, "connected", fake.connected)
    return fake


def run(annotation: Path, *endpoints: FakeEndpoint, **options: Any) -> screenmark.Run:
    bases = [endpoint.url for endpoint in endpoints]
    options = {"model": "m", "api_base": bases, "executor": "ray", "concurrency": 2, **options}
    return screenmark.run("gui-hallubench", annotation=annotation, **options)


def by_image(number: int, body: dict[str, Any]) -> Act:
    """A reply that depends on the image alone."""
    url = body["messages"][0]["content"][0]["image_url"]["url"]
    return Act(content=REPLY if sum(url.encode()) % 3 else "[]", seconds=0.002)


def image_of(body: dict[str, Any]) -> str:
    url: str = body["messages"][0]["content"][0]["image_url"]["url"]
    return url


def local(annotation: Path, endpoint: FakeEndpoint, **options: Any) -> bytes:
    finished = run(annotation, endpoint, executor="local", runs_dir="local", **options)
    return finished.folder.results.read_bytes()


def lines_of(finished: screenmark.Run) -> int:
    return finished.folder.records.read_bytes().count(b"\n")


def test_results_equal_the_local_executors(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 30)
    with FakeEndpoint(by_image) as endpoint:
        expected = local(annotation, endpoint, repeats=2)
        endpoint.requests.clear()
        finished = run(annotation, endpoint, repeats=2)
    assert finished.folder.results.read_bytes() == expected
    assert len(endpoint.requests) == lines_of(finished) == 60
    assert len(ray.actors) == 3
    assert [o["scheduling_strategy"][0] for o in ray.options] == ["node0", "node1", "node2"]
    assert not finished.warnings


def test_each_worker_has_its_share_of_the_addresses(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 24)
    with FakeEndpoint(by_image) as one, FakeEndpoint(by_image) as two:
        run(annotation, one, two, ray_workers=2)
    assert len(one.requests) + len(two.requests) == 24
    assert len(one.requests) > 4
    assert len(two.requests) > 4
    assert one.most_in_flight <= 2


def test_a_lost_workers_samples_are_asked_again(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 30)
    calls: Counter[int] = Counter()

    def second_call_of_the_first_worker(number: int, method: str, _: Any) -> bool:
        calls[number] += method == "exchange"
        return number == 0 and calls[number] == 2

    ray.dies = second_call_of_the_first_worker
    with FakeEndpoint(by_image) as endpoint:
        expected = local(annotation, endpoint)
        finished = run(annotation, endpoint)
    assert finished.folder.results.read_bytes() == expected
    assert lines_of(finished) == 30
    assert len(ray.actors) == 4
    (warning,) = finished.warnings
    assert "worker 0 was lost" in warning
    assert "more" not in warning


def test_what_kills_two_workers_is_recorded_as_lost(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 20)

    def deadly(number: int, method: str, arguments: Any) -> bool:
        return method == "exchange" and any(w.sample.id == "images/7.png" for w in arguments[0])

    ray.dies = deadly
    with FakeEndpoint(by_image) as endpoint:
        finished = run(annotation, endpoint)
    records = {record.sample_id: record for record in finished.records}
    assert len(records) == lines_of(finished) == 20
    poison = records["images/7.png"]
    assert poison.outcome is Outcome.API_ERROR
    assert poison.failure is not None
    assert poison.failure.kind == "WorkerLost"
    assert "died unexpectedly" in poison.failure.message
    assert poison.score is not None
    assert len(ray.actors) <= 3 + 2
    lost = [r for r in records.values() if r.failure is not None]
    assert len(lost) < 10  # those that shared both dead workers with it
    ray.dies = lambda number, method, arguments: False
    with FakeEndpoint(by_image) as endpoint:
        again = screenmark.run(resume=finished.path, api_base=[endpoint.url])
    assert len(endpoint.requests) == len(lost)
    assert again.results["outcomes"] == {"ok": 20}


def test_a_run_without_workers_stops_resumably(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 4)
    ray.dies = lambda number, method, arguments: method == "start"
    with FakeEndpoint(by_image) as endpoint:
        with pytest.raises(RunInterrupted, match="no worker is left"):
            run(annotation, endpoint, ray_workers=2)
        assert len(ray.actors) == 2 * 3
        ray.dies = lambda number, method, arguments: False
        assert run(annotation, endpoint).results["outcomes"] == {"ok": 4}


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)
def test_ctrl_c_keeps_what_is_in_flight(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 40)

    def interrupted(number: int, body: dict[str, Any]) -> Act:
        if number == 10:
            os.kill(os.getpid(), signal.SIGINT)
        return Act(content=REPLY, seconds=0.02)

    with FakeEndpoint(interrupted) as endpoint:
        with pytest.raises(RunInterrupted, match="interrupted"):
            run(annotation, endpoint)
        asked = len(endpoint.requests)
        assert 11 <= asked < 40
        endpoint.script = by_image
        finished = run(annotation, endpoint)
    assert finished.resumed == asked
    assert len(endpoint.requests) == lines_of(finished) == 40


def test_a_budget_stops_all_workers(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 60)
    with FakeEndpoint(lambda n, body: Act(content=REPLY, seconds=0.01)) as endpoint:
        with pytest.raises(RunInterrupted, match="--max-total-tokens is 100"):
            run(annotation, endpoint, max_total_tokens=100)
        assert 10 <= len(endpoint.requests) < 60
        finished = run(annotation, endpoint, max_total_tokens=10_000)
    assert len(endpoint.requests) == lines_of(finished) == 60


def test_a_wrong_key_stops_the_run_and_is_written_nowhere(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 20)
    key = "sk-secret-1234567890"
    with (
        FakeEndpoint([Act(status=401, body=f"bad key {key}".encode())]) as endpoint,
        pytest.raises(CredentialsError, match="--api-key") as caught,
    ):
        run(annotation, endpoint, api_key=key)
    assert caught.value.status == 401
    assert endpoint.headers[0]["Authorization"] == f"Bearer {key}"
    assert len(endpoint.requests) <= 2 * 3
    assert key not in str(caught.value)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert key.encode() not in file.read_bytes(), file


def test_a_worker_that_reaches_nobody_is_set_aside(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 20)
    with FakeEndpoint(by_image) as endpoint:
        finished = run(annotation, endpoint, api_base=[endpoint.url, DEAD], ray_workers=2)
    assert finished.results["outcomes"] == {"ok": 20}
    (warning,) = finished.warnings
    assert "worker 1 was set aside: cannot connect to http://127.0.0.1:9" in warning


def test_nobody_anywhere_stops_the_run(tmp_path: Path, ray: FakeRay) -> None:
    with pytest.raises(UnreachableError, match=r"cannot connect to http://127\.0\.0\.1:9"):
        run(make_pages(tmp_path, 5), api_base=[DEAD])


def test_the_drivers_cache_answers(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 12)
    with FakeEndpoint(by_image) as endpoint:
        first = run(annotation, endpoint, cache="kept")
        assert len(endpoint.requests) == 12
        second = run(annotation, endpoint, cache="kept")
    assert len(endpoint.requests) == 12
    assert second.path != first.path
    assert all(record.cached for record in second.records)
    assert second.results["per_sample"] == first.results["per_sample"]


def test_an_image_that_only_the_driver_has(tmp_path: Path, ray: FakeRay) -> None:
    annotation = make_pages(tmp_path, 2)

    def removes(number: int, body: dict[str, Any]) -> Act:
        (tmp_path / "images" / "1.png").unlink(missing_ok=True)
        return Act(content=REPLY)

    with FakeEndpoint(removes) as endpoint:
        finished = run(annotation, endpoint, ray_workers=1, concurrency=1)
    failed = list(finished.records)[1]
    assert failed.outcome is Outcome.IMAGE_ERROR
    assert failed.failure is not None
    assert failed.failure.message.endswith("under the same path")


@pytest.mark.parametrize(
    ("nodes", "needs", "wanted", "expected"),
    [
        pytest.param([{"CPU": 2}, {"CPU": 8}], Needs(), None, ["0", "1"], id="one a node"),
        pytest.param([{"CPU": 0}, {"CPU": 8}], Needs(), None, ["1"], id="a head without work"),
        pytest.param([{"CPU": 2}, {"CPU": 8}], Needs(), 3, ["0", "1", "0"], id="as said"),
        pytest.param(
            [{"CPU": 8, "GPU": 2}, {"CPU": 8}], Needs(gpus=1), None, ["0", "0"], id="one a GPU"
        ),
        pytest.param(
            [{"CPU": 1, "GPU": 4}], Needs(gpus=1), None, ["0"], id="no processor for more"
        ),
        pytest.param(
            [{"CPU": 8}, {"CPU": 8, "display": 3}],
            Needs(display=True),
            None,
            ["1"] * 3,
            id="displays",
        ),
        pytest.param([{"CPU": 8}], Needs(gpus=1), 2, [None, None], id="a cluster that will grow"),
    ],
)
def test_places(
    nodes: list[dict[str, float]], needs: Needs, wanted: int | None, expected: list[str | None]
) -> None:
    cluster = [Node(str(n), amounts) for n, amounts in enumerate(nodes)]
    assert places(cluster, needs, wanted) == expected


def test_no_node_has_what_is_needed() -> None:
    with pytest.raises(UsageError, match="CPU=1, browser=1"):
        places([Node("a", {"CPU": 4.0})], Needs(browser=True), None)


def test_what_a_model_and_a_benchmark_need_goes_to_the_cluster(
    tmp_path: Path, ray: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    from screenmark.models.openai import OpenAIAdapter

    monkeypatch.setattr(OpenAIAdapter, "needs", Needs(gpus=0.5, display=True), raising=False)
    with FakeEndpoint(by_image) as endpoint:
        run(make_pages(tmp_path, 2), endpoint, ray_workers=1)
    (options,) = ray.options
    assert (options["num_cpus"], options["num_gpus"]) == (1.0, 0.5)
    assert options["resources"] == {"display": 1.0}


def specs(**options: Any) -> list[WorkerSpec]:
    plan = Plan("gui-hallubench", {"model": "m", "adapter": "openai", **options})
    return worker_specs(plan, build_adapter(plan.model), 2)


def test_workers_at_one_address_divide_what_it_is_given() -> None:
    one, two = specs(concurrency=5, min_interval=1.0)
    assert (one.values["concurrency"], two.values["concurrency"]) == (3, 2)
    assert one.values["min_interval"] == 2.0


def test_a_model_of_ones_own_is_made_whole_in_every_worker() -> None:
    Path("mine_in_workers.py").write_text(
        "from screenmark.models import BaseLLMAdapter\n"
        "class Mine(BaseLLMAdapter):\n"
        "    def infer(self, image_path, prompt): return '[]'\n",
        encoding="utf-8",
    )
    one, two = specs(adapter="mine_in_workers:Mine", concurrency=5)
    assert one == two
    assert one.values["concurrency"] == 5


def test_a_worker_of_another_version_is_refused() -> None:
    async def started() -> Any:
        (spec, _) = specs()
        return await ShardWorker().start(
            WorkerSpec(
                benchmark_id=spec.benchmark_id, values=spec.values, folder="/", version="0.0.0"
            )
        )

    state = asyncio.run(started())
    assert state.trouble is not None
    assert "install the same on all" in state.trouble.message


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"screenmark\[ray\]"), connected(None):
        pass


def test_a_model_object_cannot_go_to_workers(tmp_path: Path) -> None:
    class Mine(BaseLLMAdapter):
        def infer(self, image_path: str, prompt: str) -> str:
            return "[]"

    with pytest.raises(UsageError, match=r"--adapter package\.module:Class"):
        screenmark.run("gui-hallubench", adapter_object=Mine(), executor="ray")
