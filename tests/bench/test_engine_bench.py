"""The engine benchmark, small: its data, both of its clients, its verdict."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bench.engine import CPU_MS, IMAGE_BYTES, PEAK_MB, WALL_RATIO, make_data, report, run_bare
from bench.engine import run_ours as run_ours_on
from tests.support.endpoint import Act, FakeEndpoint

pytestmark = pytest.mark.usefixtures("in_tmp")


def test_both_clients_send_the_same_screenshots(tmp_path: Path) -> None:
    annotation = make_data(tmp_path, 3)
    pages = json.loads(annotation.read_text(encoding="utf-8"))
    sizes = [(tmp_path / page["image_path"]).stat().st_size for page in pages]
    assert all(abs(size - IMAGE_BYTES) < 0.02 * IMAGE_BYTES for size in sizes)
    images = []
    with FakeEndpoint([Act(content="[]")]) as endpoint:
        for client in ("ours", "bare"):
            endpoint.requests.clear()
            if client == "ours":
                run_ours_on(annotation, endpoint.url)
            else:
                asyncio.run(run_bare(pages, tmp_path, endpoint.url))
            contents = [body["messages"][0]["content"] for body in endpoint.requests]
            images.append(sorted(content[0]["image_url"]["url"] for content in contents))
    assert images[0] == images[1]
    assert len(set(images[0])) == 3


@pytest.mark.parametrize(
    ("wall", "cpu_ms", "peak", "holds"),
    [
        pytest.param(WALL_RATIO, CPU_MS, PEAK_MB, True, id="at the limits"),
        pytest.param(WALL_RATIO + 0.01, CPU_MS, PEAK_MB, False, id="slow"),
        pytest.param(WALL_RATIO, CPU_MS + 0.1, PEAK_MB, False, id="busy"),
        pytest.param(WALL_RATIO, CPU_MS, PEAK_MB + 1, False, id="large"),
    ],
)
def test_verdict(
    capsys: pytest.CaptureFixture[str], wall: float, cpu_ms: float, peak: float, holds: bool
) -> None:
    bare = {"wall": 1.0, "cpu": 0.1, "peak": 50.0}
    ours = {"wall": wall, "cpu": cpu_ms * 100 / 1000, "peak": peak}
    late = {"wall": 99.0, "cpu": 99.0, "peak": 999.0}
    assert report({"bare": [bare], "ours": [ours, ours, late]}, 100) is holds
    assert ("MISSED" in capsys.readouterr().out) is not holds
