"""The scripts of compat/gui_hallubench, run as its commands say, in a copy of the folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import screenmark
from screenmark.metrics import evaluate_dataset
from screenmark.models.base import AsyncAdapter
from screenmark.models.server import make_app
from screenmark.types import Reply, Request

FOLDER = Path(__file__).parents[2] / "compat" / "gui_hallubench"
EN = "data/annotation/en/ui_elements_en.json"
ZH = "data/annotation/zh/ui_elements_zh.json"
KEY = "sk-not-for-anyone"
SEED_TOTALS = (
    "num_samples",
    "total_tp",
    "total_fp",
    "total_fn",
    "overall_precision",
    "overall_recall",
    "overall_f1",
    "avg_description_similarity",
)
SEED_ROW = ("image_path", "precision", "recall", "tp", "fp", "fn", "avg_description_similarity")


def pages(annotation: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / annotation).read_text(encoding="utf-8"))
    return found


def said_about(page: dict[str, Any]) -> list[dict[str, Any]]:
    """An answer about a page that is neither right nor wrong altogether."""
    elements = [dict(element) for element in page["elements"]]
    del elements[::3]
    for element in elements[::2]:
        element["description"] = str(element["description"]) + " maybe"
    nowhere = {"type": "icon", "index": 0, "description": "x", "coordinates": [0, 0, 3, 3]}
    return [*elements, nowhere]


class Scripted(AsyncAdapter):
    """Knows the pages by their image, and keeps what it was asked."""

    name = "scripted"
    concurrency = 64

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answered_at_most: int | None = None
        self._answers = {
            hashlib.sha256((FOLDER / page["image_path"]).read_bytes()).hexdigest(): said_about(page)
            for annotation in (EN, ZH)
            for page in pages(annotation)
        }

    async def generate(self, request: Request) -> Reply:
        self.requests.append(request)
        turn = len(self.requests)
        while self.answered_at_most is not None and turn > self.answered_at_most:  # noqa: ASYNC110
            # Another thread says when, so an event of this loop would not do.
            await asyncio.sleep(0.02)
        return Reply(text=self._answer(request.images[0]))

    def _answer(self, image: str) -> str:
        return json.dumps(self._answers[hashlib.sha256(Path(image).read_bytes()).hexdigest()])


class Endpoint:
    """An OpenAI-compatible endpoint in a thread."""

    def __init__(self, adapter: Scripted) -> None:
        self.adapter = adapter
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = web.AppRunner(make_app(self.adapter), access_log=None, shutdown_timeout=0.1)
        self._loop.run_until_complete(runner.setup())
        self._loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        self.base = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    def close(self) -> None:
        self.adapter.answered_at_most = None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint(Scripted())
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the folder to run in; nothing is ever written into the original."""
    copy = tmp_path / "gui_hallubench"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__", "result"))
    return copy


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and not name.startswith(("OPENAI_", "DASHSCOPE_"))
    }
    return kept | {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder, as the commands of its README do."""
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def evaluate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(folder, "src/evaluate.py", *arguments)


def at(endpoint: Endpoint, *more: str, annotation: str = EN) -> list[str]:
    """The arguments of the first command of the public document, in its order."""
    named = ["--annotation", annotation, "--model", "qwen-vl-max", "--adapter", "openai"]
    return [*named, "--api-base", endpoint.base, "--api-key", KEY, *more]


def output_of(folder: Path, name: str = "result/eval_result.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("annotation", [pytest.param(EN, id="en"), pytest.param(ZH, id="zh")])
def test_the_public_command(folder: Path, endpoint: Endpoint, annotation: str) -> None:
    done = evaluate(
        folder, *at(endpoint, "--output", "result/eval_result.json", annotation=annotation)
    )
    assert done.returncode == 0, done.stderr
    assert "F1" in done.stdout
    results = output_of(folder)
    truth = pages(annotation)
    predictions = [{"image_path": p["image_path"], "elements": said_about(p)} for p in truth]
    expected = evaluate_dataset(predictions, truth)
    assert {key: results[key] for key in SEED_TOTALS} == {key: expected[key] for key in SEED_TOTALS}
    rows = [{key: row[key] for key in SEED_ROW} for row in results["per_sample"]]
    assert rows == [{key: row[key] for key in SEED_ROW} for row in expected["per_sample"]]
    assert results["model"] == "qwen-vl-max"


def test_the_output_is_what_the_library_gives(
    folder: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    more = ("--iou-threshold", "0.7", "--output", "out.json")
    assert evaluate(folder, *at(endpoint, *more)).returncode == 0
    run = screenmark.run(
        "gui-hallubench",
        annotation=folder / EN,
        model="qwen-vl-max",
        api_base=[endpoint.base],
        iou_threshold=0.7,
        scoring="compat",
        profile="pixel",
        runs_dir=tmp_path / "runs",
    )
    assert output_of(folder, "out.json") == run.results


def test_defaults_and_flags_reach_the_model(folder: Path, endpoint: Endpoint) -> None:
    (folder / "my_prompt.txt").write_text("Only this, 只要这个.", encoding="utf-8")
    more = ("--prompt", "my_prompt.txt", "--max-samples", "2", "--output", "a/b.json")
    assert evaluate(folder, *at(endpoint, *more)).returncode == 0
    requests = list(endpoint.adapter.requests)
    assert [r.text for r in requests] == ["Only this, 只要这个."] * 2
    assert {(r.temperature, r.max_tokens) for r in requests} == {(0.0, 4096)}
    assert output_of(folder, "a/b.json")["num_samples"] == 2
    other = ("--max-samples", "1", "--temperature", "0.5", "--max-tokens", "77")
    assert evaluate(folder, *at(endpoint, *other)).returncode == 0
    (last,) = endpoint.adapter.requests[2:]
    assert (last.temperature, last.max_tokens) == (0.5, 77)
    assert "pixel" in last.text


def test_images_elsewhere(folder: Path, endpoint: Endpoint) -> None:
    elsewhere = folder.parent / "elsewhere"
    (elsewhere / "data").mkdir(parents=True)
    (folder / "data" / "images").rename(elsewhere / "data" / "images")
    done = evaluate(folder, *at(endpoint))
    assert done.returncode == 2
    assert "images can be found" in done.stderr
    done = evaluate(folder, *at(endpoint, "--image-dir", str(elsewhere)))
    assert done.returncode == 0, done.stderr


def test_the_key_is_written_nowhere(folder: Path, endpoint: Endpoint) -> None:
    done = evaluate(folder, *at(endpoint, "--max-samples", "1", "--output", "out.json"))
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    written = [p for p in folder.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
    assert written == []


def test_a_killed_run_goes_on(folder: Path, endpoint: Endpoint) -> None:
    arguments = at(endpoint, "--output", "result/eval_result.json")
    endpoint.adapter.answered_at_most = 2
    process = subprocess.Popen(
        command("src/evaluate.py", *arguments),
        cwd=folder,
        env=_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    runs = folder / "result" / "runs"
    _wait(lambda: len(endpoint.adapter.requests) == len(pages(EN)) and _lines_below(runs) == 2)
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert not (folder / "result" / "eval_result.json").exists()
    endpoint.adapter.answered_at_most = None
    del endpoint.adapter.requests[:]
    done = evaluate(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert len(endpoint.adapter.requests) == len(pages(EN)) - 2
    truth = pages(EN)
    predictions = [{"image_path": p["image_path"], "elements": said_about(p)} for p in truth]
    expected = evaluate_dataset(predictions, truth)
    assert {key: output_of(folder)[key] for key in SEED_TOTALS} == {
        key: expected[key] for key in SEED_TOTALS
    }
    assert len(list(runs.iterdir())) == 1


def _lines_below(runs: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in runs.glob("*/records.jsonl"))


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not until():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


NAMED = ["--model", "m", "--api-base", "http://127.0.0.1:9/v1"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["--annotation", EN], "--model", id="no model"),
        pytest.param(["--model", "m", "--colour", "red"], "--colour", id="unknown flag"),
        pytest.param(
            ["--model", "m", "--iou-threshold", "half"], "--iou-threshold", id="not a number"
        ),
        pytest.param([*NAMED, "--iou-threshold", "1.5"], "--iou-threshold", id="IoU"),
        pytest.param([*NAMED, "--max-samples", "0"], "--max-samples", id="no samples"),
        pytest.param([*NAMED, "--temperature", "nan"], "--temperature", id="NaN"),
        pytest.param([*NAMED, "--max-tokens", "0"], "--max-tokens", id="no tokens"),
        pytest.param(["--model", "m", "--adapter", "opanai"], "opanai", id="unknown adapter"),
        pytest.param(["--model", "m", "--adapter", "nowhere:It"], "nowhere", id="no such module"),
        pytest.param([*NAMED, "--annotation", "none.json"], "none.json", id="no annotation"),
        pytest.param([*NAMED, "--prompt", "none.txt"], "none.txt", id="no prompt file"),
        pytest.param(["--model", "orc"], "Did you mean --model ocr?", id="no endpoint"),
    ],
)
def test_wrong_use(folder: Path, arguments: list[str], says: str) -> None:
    done = evaluate(folder, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


_ADAPTER = """
from evaluate import BaseLLMAdapter

class MyCustomAdapter(BaseLLMAdapter):
    def infer(self, image_path: str, prompt: str) -> str:
        assert image_path.endswith(".png") and "pixels" in prompt
        return '[{"description": "seen", "coordinates": [0, 0, 9, 9]}]'
"""


def test_an_adapter_of_ones_own_by_its_class(folder: Path) -> None:
    (folder / "mine.py").write_text(_ADAPTER, encoding="utf-8")
    arguments = ("--model", "m", "--adapter", "mine:MyCustomAdapter", "--max-samples", "2")
    done = evaluate(folder, "--annotation", EN, *arguments, "--output", "out.json")
    assert done.returncode == 0, done.stderr
    results = output_of(folder, "out.json")
    assert results["outcomes"] == {"ok": 2}
    assert results["total_tp"] + results["total_fp"] == 2
    assert results["model"] == "m"


_REGISTERED = """    if args.adapter == "mine":
        from mine import MyCustomAdapter

        return MyCustomAdapter()
"""


def test_an_adapter_of_ones_own_in_build_adapter(folder: Path) -> None:
    (folder / "src" / "mine.py").write_text(_ADAPTER, encoding="utf-8")
    script = folder / "src" / "evaluate.py"
    text = script.read_text(encoding="utf-8")
    first = "    given = options_of(args)\n"
    assert text.count(first) == 1
    script.write_text(text.replace(first, _REGISTERED + first), encoding="utf-8")
    arguments = ("--annotation", EN, "--model", "m", "--adapter", "mine", "--max-samples", "1")
    done = evaluate(folder, *arguments, "--output", "out.json")
    assert done.returncode == 0, done.stderr
    assert output_of(folder, "out.json")["model"] == "m"
    script.write_text(text.replace(first, "    return object()\n" + first), encoding="utf-8")
    done = evaluate(folder, *arguments)
    assert done.returncode == 2
    assert "build_adapter returned object" in done.stderr


def test_the_embedded_model_needs_no_adapter(folder: Path) -> None:
    done = evaluate(folder, "--model", "ocr", "--max-samples", "1", "--output", "out.json")
    assert done.returncode == 0, done.stderr
    results = output_of(folder, "out.json")
    assert results["outcomes"] == {"ok": 1}
    bundled = screenmark.run(
        "gui-hallubench", model="ocr", max_samples=1, runs_dir=folder / "library"
    )
    assert (
        results["per_sample"][0]["image_path"] == (bundled.results["per_sample"][0]["image_path"])
    )
    assert results["total_tp"] == bundled.results["total_tp"] > 0


_IMPORTS = """
import json, sys
sys.path.insert(0, "src")
from metrics import compute_iou, evaluate_sample, evaluate_dataset
from evaluate import BaseLLMAdapter, build_adapter
import screenmark.models

element = {"description": "a", "coordinates": [0, 0, 10, 10]}
assert BaseLLMAdapter is screenmark.models.BaseLLMAdapter and callable(build_adapter)
print(json.dumps([
    compute_iou([0, 0, 10, 10], [5, 5, 15, 15]),
    evaluate_sample([element], [element], iou_threshold=0.5),
    evaluate_sample([], []),
    evaluate_dataset([], [{"image_path": "p", "elements": []}], iou_threshold=0.5),
]))
"""


def test_the_public_imports(folder: Path) -> None:
    done = python(folder, "-c", _IMPORTS)
    assert done.returncode == 0, done.stderr
    iou, match, nothing, data = json.loads(done.stdout)
    assert iou == pytest.approx(25 / 175)
    assert (match["tp"], match["precision"], match["avg_description_similarity"]) == (1, 1.0, 1.0)
    assert (nothing["precision"], nothing["recall"]) == (0.0, 0.0)
    assert nothing["avg_description_similarity"] == 0.0
    assert [data[key] for key in SEED_TOTALS] == [1, 0, 0, 0, 0.0, 0.0, 0.0, 0.0]
    assert [data["per_sample"][0][key] for key in SEED_ROW] == ["p", 0.0, 0.0, 0, 0, 0, 0.0]


def test_without_the_package_it_says_how_to_install_it(folder: Path) -> None:
    # -S leaves out the installed packages.
    done = python(folder, "-S", "src/evaluate.py", "--model", "ocr")
    assert done.returncode == 2
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr
    done = python(folder, "-S", "-c", "import sys; sys.path.insert(0, 'src'); import metrics")
    assert "ModuleNotFoundError: Screenmark is not installed" in done.stderr
    assert "pip install" in done.stderr
