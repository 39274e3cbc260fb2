"""Whole runs on a real Ray cluster: three nodes, each with processes of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine.ray_executor import RayWorker, connected
from screenmark.engine.records import RecordFile
from screenmark.engine.run_folder import RunFolder
from screenmark.engine.shard_worker import Exchange
from screenmark.errors import UsageError
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages

pytestmark = [
    pytest.mark.full,
    pytest.mark.xdist_group("ray"),
    # Ray's own, in processes and sockets that it leaves to its shutdown.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

KEY = "sk-secret-1234567890"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and two more nodes."""
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # A token that Ray finds in the home folder would go for some of the processes only.
    patch.setenv("RAY_AUTH_MODE", "disabled")
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'screenmark[ray]'")
    from ray.cluster_utils import Cluster

    one = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=one)
    made.add_node(**one)
    made.add_node(**one, resources={"display": 1}, num_gpus=1)
    yield made
    made.shutdown()
    patch.undo()


def by_image(number: int, body: dict[str, Any]) -> Act:
    """A reply that depends on the image alone."""
    url = body["messages"][0]["content"][0]["image_url"]["url"]
    return Act(content=REPLY if sum(url.encode()) % 3 else "[]", seconds=0.05)


def options_of(endpoint: FakeEndpoint, annotation: Path) -> dict[str, Any]:
    return {
        "annotation": annotation,
        "model": "m",
        "api_base": [endpoint.url],
        "concurrency": 6,
    }


def local(endpoint: FakeEndpoint, annotation: Path) -> bytes:
    finished = screenmark.run(
        "gui-hallubench", runs_dir="local", **options_of(endpoint, annotation)
    )
    endpoint.requests.clear()
    return finished.folder.results.read_bytes()


def assert_each_once(folder: RunFolder, count: int) -> None:
    keys = [record.key for record in RecordFile(folder.records)]
    assert len(keys) == len(set(keys)) == count
    assert folder.records.read_bytes().count(b"\n") == count


def test_a_worker_killed_in_the_middle(
    in_tmp: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotation = make_pages(in_tmp, 60)
    pids: dict[int, str] = {}
    start = RayWorker.start

    def pid_and_node(worker: Any) -> tuple[int, str]:
        import ray

        return os.getpid(), ray.get_runtime_context().get_node_id()

    async def started(self: RayWorker) -> Exchange:
        state = await start(self)
        ask = self._handle.__ray_call__.remote
        pid, node = await ask(pid_and_node)
        pids[pid] = node
        return state

    monkeypatch.setattr(RayWorker, "start", started)
    killed = threading.Event()

    def kills(number: int, body: dict[str, Any]) -> Act:
        if number >= 20 and len(pids) >= 3 and not killed.is_set():
            killed.set()
            os.kill(next(iter(pids)), signal.SIGKILL)
        return by_image(number, body)

    with FakeEndpoint(by_image) as endpoint:
        expected = local(endpoint, annotation)
        endpoint.script = kills
        finished = screenmark.run(
            "gui-hallubench",
            executor="ray",
            ray_address=cluster.address,
            api_key=KEY,
            **options_of(endpoint, annotation),
        )
    assert killed.is_set()
    assert len(set(pids.values())) == 3, "workers were not spread over the nodes"
    assert len(pids) == 4, "the lost worker was not replaced"
    assert [w for w in finished.warnings if "was lost" in w]
    assert finished.folder.results.read_bytes() == expected
    assert_each_once(finished.folder, 60)
    assert endpoint.headers[-1]["Authorization"] == f"Bearer {KEY}"
    for place in (in_tmp, Path(cluster.head_node.get_session_dir_path())):
        for file in place.rglob("*"):
            if file.is_file() and not file.is_symlink():
                assert KEY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_the_driver_killed_and_the_same_command_again(
    in_tmp: Path, cluster: Any, number: signal.Signals
) -> None:
    annotation = make_pages(in_tmp, 60)
    with FakeEndpoint(by_image) as endpoint:
        expected = local(endpoint, annotation)
        command = [sys.executable, "-m", "screenmark", "run", "gui-hallubench", "--model", "m"]
        command += ["--annotation", str(annotation), "--api-base", endpoint.url]
        command += ["--concurrency", "6", "--executor", "ray", "--ray-address", cluster.address]

        def start() -> subprocess.Popen[str]:
            pipe = subprocess.PIPE
            return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)

        process = start()
        deadline = time.monotonic() + 60
        while len(endpoint.requests) < 25:
            assert time.monotonic() < deadline
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == (3 if number is signal.SIGINT else -9), errors
        assert len(endpoint.requests) < 60
        process = start()
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        if number is signal.SIGINT:
            assert len(endpoint.requests) == 60, "a drained sample was asked again"
    assert "ray" not in output.lower(), output
    (folder,) = (RunFolder(path) for path in (in_tmp / "runs").iterdir())
    assert folder.results.read_bytes() == expected
    assert_each_once(folder, 60)


def test_a_model_runs_where_there_is_what_it_needs(in_tmp: Path, cluster: Any) -> None:
    (in_tmp / "needy.py").write_text(
        "from pathlib import Path\n"
        "from screenmark.models import BaseLLMAdapter\n"
        "from screenmark.needs import Needs\n"
        "class Needy(BaseLLMAdapter):\n"
        "    needs = Needs(gpus=0.5, display=True)\n"
        "    def infer(self, image_path, prompt):\n"
        "        import ray\n"
        "        amounts = ray.get_runtime_context().get_assigned_resources()\n"
        "        Path('amounts').write_text(repr(sorted(amounts.items())), encoding='utf-8')\n"
        "        return '[]'\n",
        encoding="utf-8",
    )
    finished = screenmark.run(
        "gui-hallubench",
        executor="ray",
        ray_address=cluster.address,
        annotation=make_pages(in_tmp, 3),
        model="m",
        adapter="needy:Needy",
    )
    assert finished.results["outcomes"] == {"ok": 3}
    amounts = Path("amounts").read_text(encoding="utf-8")
    assert amounts == "[('CPU', 1.0), ('GPU', 0.5), ('display', 1.0)]"


def test_a_cluster_that_is_not_there(in_tmp: Path, cluster: Any) -> None:
    with (
        pytest.raises(UsageError, match="ray start --head"),
        connected("127.0.0.1:9"),
    ):
        pass
