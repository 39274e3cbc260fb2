"""``screenmark data``, as a person gives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import command
from tests.support.data_files import MMBENCH, WHOLE, ZIP, tree
from tests.support.file_server import FileServer, Serve

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LMUData", str(tmp_path / "lmu"))
    monkeypatch.setenv("SCREENMARK_DATA", str(tmp_path / "data"))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def mirror() -> Iterator[FileServer]:
    with FileServer(dict(MMBENCH)) as server:
        server.add_sums()
        yield server


def test_a_download_says_what_to_do_next(tmp_path: Path, mirror: FileServer) -> None:
    done = command("data", "download", "mmbench-gui", "--url", mirror.url)
    folder = tmp_path / "lmu" / "MMBench-GUI"
    assert done.returncode == 0, done.stderr
    assert tree(folder) == WHOLE
    assert f"mmbench-gui is in {folder}" in done.stdout
    assert f"next: screenmark run mmbench-gui-l2 --model MODEL --data {folder}\n" in done.stdout
    assert "fetching" in done.stderr
    assert "unpacking" in done.stderr


def test_as_json(tmp_path: Path, mirror: FileServer) -> None:
    words = ("data", "download", "mmbench-gui", "--url", mirror.url, "--to", tmp_path / "x")
    first = json.loads(command(*words, "--json").stdout)
    second = json.loads(command(*words, "--json").stdout)
    assert first["fetched"] == sorted(MMBENCH)
    assert (second["fetched"], second["kept"]) == ([], 3)
    assert first["folder"] == str(tmp_path / "x")
    assert first["licence"] == "Apache-2.0"


def test_what_is_not_verified_is_said(mirror: FileServer) -> None:
    del mirror.files["SHA256SUMS"]
    words = ("data", "download", "mmbench-gui", "--url", mirror.url)
    refused = command(*words)
    assert refused.returncode == 2
    assert "--no-verify" in refused.stderr
    taken = command(*words, "--no-verify")
    assert taken.returncode == 0
    assert "warning: nothing was known to check these against: L1_annotations" in taken.stderr


def test_errors_are_one_line(mirror: FileServer) -> None:
    mirror.scripts[ZIP] = [Serve(data=b"<html>\x1b[31m")]
    done = command("data", "download", "mmbench-gui", "--url", mirror.url)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"error: {ZIP}: what came has the SHA-256 ")
    assert command("data", "download", "mmbench").returncode == 2


def test_the_list(tmp_path: Path, mirror: FileServer) -> None:
    command("data", "download", "mmbench-gui", "--url", mirror.url)
    found = {item["name"]: item for item in json.loads(command("data", "list", "--json").stdout)}
    assert found["mmbench-gui"]["here"] is True
    assert found["screenspot-pro"]["here"] is False
    assert found["screenspot-pro"]["folder"] == str(tmp_path / "data" / "screenspot-pro")
    assert "osworld-g" in command("data", "list").stdout


def test_help_shows_the_group() -> None:
    assert "download" in command("data", "--help").stdout
    assert "Examples:" in command("data", "download", "--help").stdout
    assert "Fetch public data sets" in command("--help").stdout


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_in_the_middle_it_goes_on(
    tmp_path: Path, mirror: FileServer, how: signal.Signals
) -> None:
    gate = threading.Event()
    mirror.scripts[ZIP] = [Serve(break_after=2000, hold=gate), Serve()]
    part = tmp_path / "lmu" / "MMBench-GUI" / f"{ZIP}.part"
    words = ["data", "download", "mmbench-gui", "--url", mirror.url]
    process = subprocess.Popen(
        [sys.executable, "-m", "screenmark", *words], stderr=subprocess.PIPE, text=True
    )
    while not (part.is_file() and part.stat().st_size == 2000):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    try:
        said = process.communicate(timeout=30)[1]
    finally:
        gate.set()
    if how != signal.SIGKILL:
        assert process.returncode == 3
        assert said.splitlines()[-1] == ("error: interrupted; give the same command again to go on")
        assert "Traceback" not in said
    assert command(*words).returncode == 0
    ranges = [asked.range for asked in mirror.asked if asked.path == ZIP]
    assert ranges == [None, "bytes=2000-"]
    assert tree(part.parent) == WHOLE


def test_the_command_of_mmbench_gui(tmp_path: Path, mirror: FileServer) -> None:
    done = subprocess.run(
        [sys.executable, "utils/download.py", "--url", mirror.url],
        cwd=ROOT / "compat" / "mmbench_gui",
        env={**os.environ, "LMUData": str(tmp_path / "theirs")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "theirs" / "MMBench-GUI") == WHOLE
