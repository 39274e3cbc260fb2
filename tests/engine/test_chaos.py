"""Faults of every kind and kills at random moments: every sample ends once, and rightly."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from screenmark.engine.records import RecordFile
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import ELEMENT, REPLY, write_pages

FAULTS = (
    Act(status=429, headers={"Retry-After": "0"}),
    Act(status=500, body=b"oops"),
    Act(status=503, body=b""),
    Act(reset=True),
    Act(body=b"<html>gateway</html>"),
    Act(body=b'{"choices": [{"mess'),
    Act(seconds=3.0),
)
ENDINGS = {
    0: ("unparseable", Act(content="I would rather not say.")),
    1: ("empty", Act(content=None)),
    2: ("truncated", Act(content=REPLY, finish_reason="length")),
    3: ("refused", Act(content="", finish_reason="content_filter")),
    4: ("api_error", Act(status=400, body=b"no such picture")),
}
"""How a sample ends, by its number modulo 20; all others are ``ok``."""


class Chaos:
    """A fifth of all requests meet a fault; the rest are answered as the image says."""

    def __init__(self, images: dict[str, int], seed: int) -> None:
        self.images = images
        self.random = random.Random(seed)
        self.lock = threading.Lock()

    def __call__(self, number: int, body: dict[str, Any]) -> Act:
        with self.lock:
            if self.random.random() < 0.2:
                return self.random.choice(FAULTS)
        url = body["messages"][0]["content"][0]["image_url"]["url"]
        sample = self.images[hashlib.sha256(url.encode()).hexdigest()]
        return ENDINGS.get(sample % 20, ("ok", Act(content=REPLY)))[1]


def make_data(folder: Path, count: int) -> tuple[Path, dict[str, int]]:
    """Pages whose images all differ, and which image is which sample."""
    import base64

    (folder / "images").mkdir()
    pages, images = [], {}
    for n in range(count):
        name = f"images/{n:04}.png"
        colour = (n % 256, n // 256, 7)
        Image.new("RGB", (100, 80), colour).save(folder / name)
        data = base64.b64encode((folder / name).read_bytes()).decode("ascii")
        url = f"data:image/png;base64,{data}"
        images[hashlib.sha256(url.encode()).hexdigest()] = n
        pages.append({"image_path": name, "elements": [ELEMENT]})
    return write_pages(folder, pages), images


def survive(tmp_path: Path, count: int, kills: int, seed: int) -> None:
    annotation, images = make_data(tmp_path, count)
    dice = random.Random(seed)
    command = [sys.executable, "-m", "screenmark", "run", "gui-hallubench", "--model", "m"]
    command += ["--annotation", str(annotation), "--runs-dir", str(tmp_path / "runs")]
    command += ["--timeout", "1", "--max-retries", "12", "--concurrency", "64"]
    command += ["--max-error-rate", "0.5"]
    with FakeEndpoint(Chaos(images, seed)) as endpoint:
        command += ["--api-base", endpoint.url]
        for _ in range(kills):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            before = len(endpoint.requests)
            wanted = before + dice.randint(1, max(2, count // (kills + 1)))
            deadline = time.monotonic() + 30
            while len(endpoint.requests) < wanted and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.002)
            time.sleep(dice.random() * 0.1)
            process.kill()
            process.communicate()
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8")
    (folder,) = (tmp_path / "runs").iterdir()
    records = RecordFile(folder / "records.jsonl")
    assert not records.bad_lines
    expected = {
        f"images/{n:04}.png": ENDINGS[n % 20][0] if n % 20 in ENDINGS else "ok"
        for n in range(count)
    }
    assert {r.sample_id: r.outcome.value for r in records} == expected
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["outcomes"] == dict(Counter(expected.values()))
    assert [row["image_path"] for row in results["per_sample"]] == list(expected)
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    final = Counter(
        json.loads(line)["sample_id"] for line in lines if '"outcome":"api_error"' not in line
    )
    assert max(final.values()) == 1, "a finished sample was asked again"


def test_three_hundred_samples_and_three_kills(tmp_path: Path) -> None:
    survive(tmp_path, count=300, kills=3, seed=1)


@pytest.mark.full
def test_two_thousand_samples_and_ten_kills(tmp_path: Path) -> None:
    survive(tmp_path, count=2000, kills=10, seed=2)
