"""compat/gis_bench/run_evaluation_vlm_v3.py against a judge that speaks Anthropic's protocol."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from tests.support.endpoint import Act, FakeEndpoint
from tests.support.gis import picture, reply
from tests.support.vendors import Vendor, sends

SCRIPT = Path(__file__).parents[2] / "compat" / "gis_bench" / "run_evaluation_vlm_v3.py"
FIELDS = [
    *("task_no", "level", "model", "file_type", "score", "score_raw", "spatial_location"),
    *("geometry_validity", "numeric_match", "pass", "reason", "scores_3x", "scores_3x_raw"),
]


@contextmanager
def served(vendor: Vendor) -> Iterator[str]:
    """The vendor's server in a thread of its own."""
    loop, ready, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    url = ""

    async def serve() -> None:
        nonlocal url
        async with vendor.serve() as url:
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(10)
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


def base_dir(folder: Path, form: str = "NFC") -> Path:
    base = folder / "대학원 졸업논문"
    base.mkdir()
    book = Workbook()
    book.active.append(["번호", "레벨", "문항"])
    book.active.append([1, "Level1", "서울을 표시하시오"])
    book.active.append([2, "Level2", "부산을 표시하시오"])
    book.save(base / unicodedata.normalize(form, "GIS_Bench_문항.xlsx"))  # type: ignore[arg-type]
    picture(base / "mcp" / "1.png")
    picture(base / "mcp" / "2.jpg")
    picture(base / "gpt_5.2" / "1.png")
    return base


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if "ANTHROPIC" not in name}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        env=kept | {"PYTHONIOENCODING": "utf-8"} | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def message(text: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-6",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_documented_folder(tmp_path: Path, form: str) -> None:
    base = base_dir(tmp_path, form)
    vendor = Vendor(sends(200, message(reply("좋음"))))
    with served(vendor) as url:
        done = run(base, "--sleep", "0.01", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=url)
    assert done.returncode == 0, done.stderr
    assert len(vendor.bodies) == 9
    body = vendor.bodies[0]
    assert (body["model"], body["max_tokens"]) == ("claude-sonnet-4-6", 1024)
    assert [part["type"] for part in body["messages"][0]["content"]] == ["image", "text"]
    assert "sk-ant-test" in str(vendor.headers[0]), vendor.headers[0]
    rows = json.loads((base / "evaluation_results_vlm_v3.json").read_text(encoding="utf-8"))
    assert [list(row) for row in rows] == [FIELDS] * 4
    by_name = {(row["model"], row["task_no"]): row for row in rows}
    assert by_name["mcp", 2]["file_type"] == "jpg"
    assert by_name["mcp", 2]["scores_3x"] == "92,92,92"
    assert by_name["gpt_5.2", 2]["score"] == 0
    with (base / "evaluation_results_vlm_v3.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["task_no"] for row in csv.DictReader(file)] == ["1", "2", "1", "2"]
    sheet = load_workbook(base / "evaluation_results_vlm_v3.xlsx").active
    assert next(sheet.iter_rows(values_only=True)) == tuple(FIELDS)
    assert "sk-ant-test" not in "".join(
        path.read_text("utf-8") for path in (base / ".screenmark").rglob("*.json*")
    )


def test_another_judge_and_the_folder_from_the_environment(tmp_path: Path) -> None:
    base = base_dir(tmp_path)
    with FakeEndpoint((Act(content=reply()),)) as endpoint:
        done = run(
            *("--judge", "my-vlm", "--api-base", endpoint.url, "--sleep", "0", "--models", "mcp"),
            BASE_DIR=str(base),
        )
    assert done.returncode == 0, done.stderr
    assert len(endpoint.requests) == 6


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda tmp: [], "BASE_DIR is not set"),
        (lambda tmp: [tmp / "none"], "there is no such folder"),
        (lambda tmp: [tmp], "there is no GIS_Bench_문항.xlsx in it"),
    ],
    ids=["not said", "no folder", "no sheet"],
)
def test_what_is_not_there(tmp_path: Path, make: Any, said: str) -> None:
    done = run(*make(tmp_path), BASE_DIR="")
    assert done.returncode == 2
    assert said in done.stderr
