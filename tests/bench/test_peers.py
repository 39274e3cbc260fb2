"""The comparison with other clients, small: the same questions, and a row for each."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from bench import peers
from bench.engine import make_data
from tests.support.endpoint import Act, FakeEndpoint

pytestmark = pytest.mark.usefixtures("in_tmp")

FIGURES = {"load": 0.1, "wall": 2.0, "cpu": 0.8, "peak": 90.4, "log": 300.0}


def images_of(requests: list[dict[str, Any]]) -> list[str]:
    contents = [body["messages"][0]["content"] for body in requests]
    return sorted(p["image_url"]["url"] for c in contents for p in c if p["type"] == "image_url")


@pytest.mark.parametrize(
    ("side", "logs"),
    [
        pytest.param("bare", False, id="bare"),
        pytest.param("screenmark", True, id="screenmark"),
        pytest.param("openai", False, id="openai", marks=pytest.mark.full),
        pytest.param("inspect", True, id="inspect", marks=pytest.mark.full),
        pytest.param("inspect-lean", True, id="inspect-lean", marks=pytest.mark.full),
    ],
)
def test_every_client_sends_all_screenshots(tmp_path: Path, side: str, logs: bool) -> None:
    python = peers.python_of(side)
    if python is None:
        pytest.skip("not installed: scripts/bench peers")
    annotation = make_data(tmp_path, 3)
    with FakeEndpoint([Act(content="[]")]) as endpoint:
        found = peers.measure(python, side, annotation, endpoint.url)
    assert min(found["wall"], found["cpu"], found["peak"]) > 0
    assert (found["log"] > 0) is logs
    files = (tmp_path / "images").iterdir()
    urls = ["data:image/png;base64," + base64.b64encode(f.read_bytes()).decode() for f in files]
    assert images_of(endpoint.requests) == sorted(urls)


def test_one_that_is_not_installed_has_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PEERS_PYTHON", Path("nowhere/python"))
    assert peers.python_of("inspect") is None
    assert peers.python_of("screenmark") is not None
    found = {side: [FIGURES] * (side in {"bare", "screenmark"}) for side in peers.SIDES}
    found["bare"][0] = FIGURES | {"log": 0.0}
    found["screenmark"] = [FIGURES, FIGURES, FIGURES | {"wall": 99.0}]
    lines = peers.table(found, 100, 3).splitlines()
    assert "| bare client | 2.00 | 8.0 | 90 | none | 0.10 |" in lines
    assert "| Screenmark | 2.00 | 8.0 | 90 | 3.0 | 0.10 |" in lines
    assert "| Inspect AI | not installed | | | | |" in lines


def test_a_side_prints_its_figures_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    annotation = make_data(tmp_path, 1)
    with FakeEndpoint([Act(content="[]")]) as endpoint:
        command = ["peers", "--side", "bare", "--url", endpoint.url]
        command += ["--annotation", str(annotation), "--logs", str(tmp_path / "logs")]
        monkeypatch.setattr("sys.argv", command)
        peers.main()
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert printed.keys() == FIGURES.keys()
