"""A run that starts a Ray cluster of its own keeps it to itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("ray")]

SCRIPT = """
import json, os
from screenmark.engine import ray_executor

def nobody_there(address):
    raise OSError

ray_executor._knock = nobody_there  # whatever else runs on this machine
before = dict(os.environ)
found = []
for _ in range(2):  # the second one with another token
    with ray_executor.connected(None) as ray:
        import psutil

        @ray.remote
        class Worker:
            def mode(self):
                return os.environ.get("RAY_AUTH_MODE")

        worker = Worker.remote()
        mode = ray.get(worker.mode.remote())
        started = psutil.Process().children(recursive=True)
        token = os.environ["RAY_AUTH_TOKEN"]
        assert not [p.pid for p in started if token in " ".join(p.cmdline())]
        sockets = [c for p in started for c in p.net_connections("inet") if c.status == "LISTEN"]
        found.append({"mode": mode, "listening": [c.laddr.ip for c in sockets], "token": token})
for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_MODE", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"):
    assert os.environ.get(name) == before.get(name), name
print(json.dumps(found))
"""


@pytest.mark.parametrize("own", [None, "a token of the user's"])
def test_nobody_else_reaches_it_and_nothing_stays_at_home(tmp_path: Path, own: str | None) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'screenmark[ray]'")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    environment["HOME"] = str(tmp_path)
    if own is not None:
        environment["RAY_AUTH_TOKEN"] = own
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout.splitlines()[-1])
    assert first["mode"] == second["mode"] == "token"
    assert len({first["token"], second["token"], own}) == 3
    for found in (first, second):
        assert len(found["listening"]) >= 3
        assert {ip.removeprefix("::ffff:") for ip in found["listening"]} <= {"127.0.0.1", "::1"}
    assert not list(tmp_path.iterdir())
