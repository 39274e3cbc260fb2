"""The command line as a person meets it."""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from screenmark.benchmarks import BENCHMARKS
from screenmark.cli import __path__ as at
from screenmark.cli.main import COMMANDS
from tests.support.commands import Done
from tests.support.commands import command as screenmark
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import ELEMENT, REPLY, make_pages, write_pages

pytestmark = pytest.mark.usefixtures("in_tmp")


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A run of three pages: one right, one empty list, one that is not JSON."""
    annotation = make_pages(tmp_path, 3)
    acts = [Act(content=REPLY), Act(content="[]"), Act(content="sorry?")]
    with FakeEndpoint(acts) as endpoint:
        done = screenmark(
            "run", "gui-hallubench", "--annotation", annotation, "--model", "m",
            "--api-base", endpoint.url, "--concurrency", 1,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    return folder


def test_help_lists_every_command_and_examples() -> None:
    done = screenmark("--help")
    assert done.returncode == 0
    for name, (_, summary) in COMMANDS.items():
        assert f" {name} " in done.stdout
        assert summary in done.stdout
    assert "screenmark run gui-hallubench --model ocr" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(command: str) -> None:
    done = screenmark(command, "--help")
    assert done.returncode == 0, done.stderr
    assert "Examples:" in done.stdout
    assert f"screenmark {command}" in done.stdout


def test_run_takes_every_flag_of_the_seed_with_its_default() -> None:
    text = screenmark("run", "--help").stdout
    for flag, default in {
        "--annotation": "", "--model": "", "--adapter": "", "--api-base": "", "--api-key": "",
        "--image-dir": "", "--prompt": "", "--iou-threshold": "0.5", "--max-samples": "",
        "--temperature": "0.0", "--max-tokens": "4096", "--output": "",
    }.items():  # fmt: skip
        line = next(line for line in text.splitlines() if f" {flag} " in line)
        assert default == "" or f"(default {default})" in line


def flags(text: str) -> set[str]:
    return set(re.findall(r"(?m)^│ (--[a-z-]+) ", text))


def test_help_on_a_benchmark_shows_what_that_one_takes() -> None:
    every = flags(screenmark("run", "--help").stdout)
    text = " ".join(screenmark("run", "gis-bench", "--help").stdout.replace("│", " ").split())
    judged = flags(screenmark("run", "gis-bench", "--help").stdout)
    agents = flags(screenmark("run", "--help", "miniwob").stdout)
    assert {"--judge", "--tasks", "--prompt", "--repeats"} <= judged < every
    assert judged.isdisjoint({"--dialect", "--iou-threshold", "--annotation", "--model"})
    assert {"--dialect", "--tasks", "--model"} <= agents
    assert "--judge" not in agents
    assert "{prompt}, {level} and {dataset}" in text
    assert "One of ko, en, task. (default ko)" in text
    assert "so many times. (default 3)" in text
    assert "--tasks FILE|NUMBERS The task sheet" in text
    assert "(default claude-sonnet-4-6)" in text


def test_help_on_all_benchmarks_says_where_an_option_differs() -> None:
    text = " ".join(screenmark("run", "--help").stdout.replace("│", " ").split())
    assert "screenspot-pro: Language of the instructions. One of en, zh. (default en)" in text
    assert "gis-bench: Language of the judge's prompt" in text
    assert "miniwob: Only these tasks, by id" in text
    assert "gis-bench: The task sheet" in text
    assert "{options} for what is asked. gis-bench: Replace the judge's prompt" in text


def test_examples_fit_into_eighty_columns() -> None:
    modules = [importlib.import_module(f"screenmark.cli.{m.name}") for m in iter_modules(at)]
    lines = [line for m in modules for line in getattr(m, "HELP", "").splitlines()]
    assert len(lines) > 200
    assert [line for line in lines if line.startswith("  ") and len(line) > 78] == []


def test_a_process_of_its_own_whose_streams_are_not_unicode() -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "screenmark", "run", "gui-hallubench", "--model", "模型"]
    command += ["--annotation", "无.json", "--api-base", "http://127.0.0.1:9/v1"]
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert done.returncode == 2
    assert done.stderr.decode("utf-8") == "error: 无.json: no such file\n"


@pytest.mark.parametrize("module", ["screenmark", "screenmark.cli.main"])
def test_as_a_module(module: str) -> None:
    from screenmark import __version__

    command = [sys.executable, "-m", module, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{__version__}\n"


def test_version() -> None:
    from screenmark import __version__

    assert screenmark("--version").stdout == f"{__version__}\n"


def test_light_imports() -> None:
    heavy = "numpy,scipy,aiohttp,PIL,cv2,rapidocr,onnxruntime,typer,rich,dashscope,msgspec"
    code = f"import sys, screenmark; print([m for m in {heavy.split(',')!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    code = (
        "import sys; sys.argv = ['screenmark', '--help']\n"
        "from screenmark.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print([m for m in {heavy.split(',')!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['typer', 'rich']"


def test_run_prints_a_table_and_where_things_are(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2, description="确定 | OK")
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        done = screenmark(
            "run", "gui-hallubench", "--annotation", annotation, "--model", "m",
            "--api-base", endpoint.url, "--output", "out/result.json",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "gui-hallubench · m · 2 pages · IoU > 0.5" in done.stdout
    assert "run folder: runs/gui-hallubench-m-" in done.stderr
    assert "2/2" in done.stderr.splitlines()[-2]
    results = json.loads(Path("out/result.json").read_text(encoding="utf-8"))
    assert results["num_samples"] == 2
    (folder,) = Path("runs").iterdir()
    assert (folder / "results.json").read_bytes() == Path("out/result.json").read_bytes()


@pytest.mark.parametrize("format", ["json", "markdown", "csv"])
def test_formats(finished: Path, format: str) -> None:
    done = screenmark("show", finished, "--format", format)
    assert done.returncode == 0, done.stderr
    if format == "json":
        assert json.loads(done.stdout)["total_tp"] == 1
        assert screenmark("show", finished, "--json").stdout == done.stdout
    elif format == "csv":
        assert next(csv.reader(io.StringIO(done.stdout)))[0] == "metric"
    else:
        assert "| metric | all % |" in done.stdout


def test_show_one_sample_and_its_picture(finished: Path, tmp_path: Path) -> None:
    from PIL import Image

    done = screenmark("show", finished, "--sample", "0.png", "--picture", "p.png")
    assert done.returncode == 0, done.stderr
    assert "1 matched pairs" in done.stdout
    with Image.open(tmp_path / "p.png") as picture:
        assert picture.size == (100, 80 + 2 * 28)
        pixels = picture.convert("RGB")
        assert pixels.getpixel((10, 20)) != Image.new("RGB", (1, 1), (0, 90, 160)).getpixel((0, 0))
    assert screenmark("show", finished, "--sample", "nope").returncode == 2
    ambiguous = screenmark("show", finished, "--sample", ".png")
    assert "could be images/0.png, images/1.png, images/2.png" in ambiguous.stderr
    beginning = screenmark("show", finished, "--sample", "images/1")
    assert "images/1.png" in beginning.stdout, beginning.stderr
    several = screenmark("show", finished, "--sample", "images/")
    assert "could be images/0.png, images/1.png" in several.stderr
    none = screenmark("show", finished, "--sample", "nowhere")
    assert "no such sample in this run; ids are like images/0.png" in none.stderr


def test_the_worst_of_equal_score_come_from_different_screenshots() -> None:
    from screenmark.cli.show import _worst

    def rank(row: dict[str, Any]) -> tuple[float, ...] | None:
        return None if row["hit"] is None else (row["hit"],)

    rows = [{"id": f"{p}{n}", "image_path": p, "hit": 0} for p in "ab" for n in range(3)]
    rows.append({"id": "b3", "image_path": "b", "hit": 1})
    rows.append({"id": "b4", "image_path": "b", "hit": None})
    assert [row["id"] for row in _worst(rows, rank, 4)] == ["a0", "b0", "a1", "b1"]
    assert _worst(rows, rank, 9)[-1]["id"] == "b3"


def test_show_the_worst(finished: Path) -> None:
    data = json.loads(screenmark("show", finished, "--worst", 2, "--json").stdout)
    assert [row["f1"] for row in data] == [0.0, 0.0]


def test_score_again(finished: Path) -> None:
    before = (finished / "results.json").read_bytes()
    (finished / "results.json").unlink()
    done = screenmark("score", finished)
    assert done.returncode == 0, done.stderr
    assert (finished / "results.json").read_bytes() == before
    loose = screenmark("score", finished, "--iou-threshold", "0.1", "--json")
    assert json.loads(loose.stdout)["iou_threshold"] == 0.1
    assert (finished / "results.json").read_bytes() == before


def test_a_killed_run_is_called_so_and_its_numbers_are_marked(finished: Path) -> None:
    manifest = json.loads((finished / "manifest.json").read_text(encoding="utf-8"))
    manifest |= {"status": "running", "finished": None}
    (finished / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    lines = (finished / "records.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (finished / "records.jsonl").write_text(lines[0], encoding="utf-8")
    (finished / "results.json").unlink()
    (entry,) = json.loads(screenmark("runs", "--json").stdout)
    assert (entry["status"], entry["num_done"]) == ("killed", 1)
    assert "UNFINISHED: 1 of 3 pages" in screenmark("score", finished).stdout
    assert not (finished / "results.json").exists()
    (finished / "records.jsonl").write_text("", encoding="utf-8")
    none = screenmark("score", finished)
    assert none.returncode == 2
    assert "no sample is finished yet" in none.stderr


def test_runs_as_json_newest_first(finished: Path) -> None:
    (entry,) = json.loads(screenmark("runs", "--format", "json").stdout)
    assert set(entry) == {
        "path", "benchmark", "model", "status", "created", "finished", "num_samples", "num_done",
    }  # fmt: skip
    assert entry["path"] == f"runs/{finished.name}"
    assert entry["status"] == "finished"
    assert json.loads(screenmark("runs", "--runs-dir", "none", "--json").stdout) == []


def test_list() -> None:
    benchmarks = json.loads(screenmark("list", "benchmarks", "--json").stdout)
    assert [b["id"] for b in benchmarks] == list(BENCHMARKS)
    bundled = {b["id"]: b["bundled"] for b in benchmarks}
    assert bundled["gui-hallubench"] == "test 20, dev 20, zh 10"
    assert bundled["mmbench-gui-l1"] == "135"
    assert bundled["osworld-g"] == "none; see: data download"
    models = json.loads(screenmark("list", "models", "--json").stdout)
    assert [m["model"] for m in models if m["on"] is None] == ["ocr"]
    assert "uibert-refexp" in {m["on"] for m in models if m["model"] == "geometry"}
    assert "miniwob" in {m["on"] for m in models if m["model"] == "ocr-agent"}
    assert "dashscope" in screenmark("list", "adapters").stdout
    assert "DASHSCOPE_API_KEY" in screenmark("list", "presets").stdout
    presets = json.loads(screenmark("list", "presets", "--json").stdout)
    assert {"name": "sglang", "key": None}.items() <= presets[-2].items()


class TestParse:
    def test_from_standard_input(self) -> None:
        text = "好的：\n```json\n" + json.dumps([{**ELEMENT, "coordinates": [100, 125, 400, 375]}])
        done = screenmark(
            "parse", "--kind", "elements", "--profile", "permille", "--image-size", "100x80", "-",
            stdin=text + "\n```",
        )  # fmt: skip
        shown = json.loads(done.stdout)
        assert shown["outcome"] == "ok"
        assert shown["value"][0]["coordinates"] == [10, 10, 40, 30]
        assert shown["repair"] == "fenced"

    def test_from_a_file_that_was_cut_off(self, tmp_path: Path) -> None:
        (tmp_path / "r.txt").write_text(REPLY, encoding="utf-8")
        done = screenmark("parse", "r.txt", "--finish-reason", "length")
        assert done.returncode == 0
        assert json.loads(done.stdout)["outcome"] == "truncated"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--kind", "poem"], "--kind poem"),
            (["--profile", "parsec"], "--profile parsec"),
            (["--profile", "unit"], "needs --image-size"),
            (["--image-size", "wide"], "--image-size wide"),
            (["none.txt"], "none.txt: no such file"),
        ],
    )
    def test_wrong_use(self, arguments: list[str], message: str) -> None:
        done = screenmark("parse", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["run"], "no benchmark", id="no benchmark"),
        pytest.param(["run", "gui-hallubench"], "--model NAME", id="no model"),
        pytest.param(["run", "gui-halubench", "--model", "ocr"], "did you mean", id="misspelt"),
        pytest.param(["run", "gui-hallubench", "--modle", "x"], "--modle", id="unknown flag"),
        pytest.param(
            ["run", "gui-hallubench", "--model", "m", "--max-samples", "0"], "--max-samples", id="0"
        ),
        pytest.param(
            ["run", "gui-hallubench", "--max-tokens", "many"], "--max-tokens", id="word"
        ),
        pytest.param(
            ["run", "gui-hallubench", "--model", "ocr", "--annotation", "none.json"],
            "none.json: no such file", id="no annotation",
        ),
        pytest.param(
            ["run", "gui-hallubench", "--model", "ocr", "--format", "yaml"],
            "--format yaml", id="format",
        ),
        pytest.param(["run", "--resume", "nowhere"], "nowhere: no run here", id="resume"),
        pytest.param(["score", "nowhere"], "nowhere: no run here", id="score"),
        pytest.param(["show", "nowhere"], "nowhere: no run here", id="show"),
        pytest.param(["serve", "gpt-9"], "not an embedded model", id="serve"),
        pytest.param(["fly"], "fly", id="unknown command"),
    ],
)  # fmt: skip
def test_wrong_use_exits_with_2_and_one_message(arguments: list[str], message: str) -> None:
    done = screenmark(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("runs").exists()


def run_pages(annotation: Path, *acts: Act, **options: Any) -> Done:
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    with FakeEndpoint(acts) as endpoint:
        return screenmark(
            "run", "gui-hallubench", "--annotation", annotation, "--model", "m",
            "--api-base", endpoint.url, "--concurrency", 1, *flags,
        )  # fmt: skip


def test_failures_above_the_limit_exit_with_1(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    done = run_pages(annotation, Act(status=400, body=b"no images please"), Act(content=REPLY))
    assert done.returncode == 1
    assert "1 × request refused, for example images/0.png: status 400" in done.stderr
    assert "no images please" in done.stderr
    assert "screenmark run --resume runs/" in done.stderr
    lenient = run_pages(
        annotation, Act(status=400), Act(content=REPLY), **{"max-error-rate": "0.5"}
    )
    assert lenient.returncode == 0


def test_a_web_site_in_an_endpoints_place_is_no_endpoint_in_trouble(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    site = Act(body=b"<html>Welcome</html>")
    done = run_pages(annotation, site, **{"max-retries": "0"})
    assert "1 × not an API's answer, for example images/0.png: status 200 but" in done.stderr
    done = run_pages(annotation, Act(status=503), **{"max-retries": "0"})
    assert "1 × endpoint in trouble" in done.stderr


def test_where_every_sample_failed_the_reason_is_not_below_empty_tables(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    done = run_pages(annotation, Act(status=400, body=b"no images please"))
    assert (done.returncode, done.stdout) == (1, "")
    reason, last = (done.stderr.index(text) for text in ("no images please", "no sample was"))
    assert reason < last
    assert "ask again with: screenmark run --resume runs/" in done.stderr
    # Who asks for data gets it.
    as_json = run_pages(annotation, Act(status=400), format="json")
    assert json.loads(as_json.stdout)["outcomes"] == {"api_error": 2}


def test_bad_samples_exit_with_2_after_the_others_are_done(tmp_path: Path) -> None:
    make_pages(tmp_path, 2)
    bad = {"image_path": "images/0.png", "elements": [{**ELEMENT, "coordinates": [9, 9, 3, 3]}]}
    good = {"image_path": "images/1.png", "elements": [ELEMENT]}
    annotation = write_pages(tmp_path, [bad, good])
    done = run_pages(annotation, Act(content=REPLY))
    assert done.returncode == 2
    assert "images/0.png: elements[0].coordinates: x2 < x1" in done.stderr
    assert "· 1 page ·" in done.stdout
    (folder,) = (tmp_path / "runs").iterdir()
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["overall_f1"] == 1.0
    assert len(results["left_out"]) == 1


def test_a_broken_image_is_one_failed_sample(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    whole = (tmp_path / "images/0.png").read_bytes()
    (tmp_path / "images/0.png").write_bytes(whole[: len(whole) // 2])
    done = run_pages(annotation, Act(content=REPLY))
    assert done.returncode == 1
    assert "truncated or broken" in done.stderr


def test_a_key_on_the_command_line_is_written_nowhere(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    done = run_pages(annotation, Act(content=REPLY), **{"api-key": "sk-very-secret"})
    assert done.returncode == 0
    assert "sk-very-secret" not in done.stdout + done.stderr
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or b"sk-very-secret" not in file.read_bytes(), file


@pytest.mark.parametrize("format", ["table", "json", "markdown", "csv"])
def test_what_a_model_wrote_cannot_move_the_cursor(tmp_path: Path, format: str) -> None:
    annotation = make_pages(tmp_path, 1)
    hostile = json.dumps([{**ELEMENT, "description": "\x1b[2J[bold]OK\u202e", "type": "\x9b1A"}])
    run_pages(annotation, Act(content=hostile))
    (folder,) = (tmp_path / "runs").iterdir()
    shown = screenmark("show", folder, "--sample", "0.png", "--format", format).stdout
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)
    assert format in {"csv", "markdown"} or "[bold]OK" in shown


def test_what_a_model_wrote_stays_inert_in_parse() -> None:
    text = json.dumps([{**ELEMENT, "description": "\x9b2J\u202eOK"}], ensure_ascii=False)
    shown = screenmark("parse", "-", stdin=text).stdout
    assert not {"\x9b", "\u202e"} & set(shown)
    assert json.loads(shown)["value"][0]["description"] == "\x9b2J\u202eOK"


def test_what_a_server_says_cannot_move_the_cursor(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    done = run_pages(
        annotation, Act(status=400, body=b"no\x1b[31m\x1b[2J\xc2\x9b1A\r\n\xe2\x80\xaeend")
    )
    line = next(line for line in done.stderr.splitlines() if line.startswith("failed: "))
    assert line.endswith(r"no\x1b[31m\x1b[2J\x9b1A\x0d⏎\u202eend")
    for folder in (tmp_path / "runs").iterdir():
        assert folder.name.isprintable()


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["show", "none\x1b[2J\u202e"], r"error: none\x1b[2J\u202e: no run here"),
        (["list", "--format", "x\x9b1A"], r"error: --format x\x9b1A: expected"),
    ],
)
def test_what_a_file_is_called_cannot_move_the_cursor(arguments: list[str], start: str) -> None:
    done = screenmark(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(start)


def shell(line: str, **names: object) -> Done:
    """Run a line of shell in which ``$SM`` is the command, in a process of its own."""
    env = {**os.environ, "SM": f"{sys.executable} -m screenmark"}
    env |= {name: str(value) for name, value in names.items()}
    command = ["bash", "-o", "pipefail", "-c", line]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@pytest.mark.parametrize(
    ("streams", "code", "says"),
    [
        pytest.param("2>&1 | head -1", 0, "", id="nobody reads on"),
        pytest.param(">&-", 0, "run folder: ", id="stdout closed"),
        pytest.param("<&- >&- 2>&-", 0, "", id="all closed"),
        pytest.param("2>/dev/full", 0, "", id="stderr full", marks=FULL),
        pytest.param(">/dev/full", 2, "No space left on device", id="stdout full", marks=FULL),
    ],
)
def test_a_run_outlives_its_streams(tmp_path: Path, streams: str, code: int, says: str) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        line = "$SM run gui-hallubench --model m --annotation $FILE --api-base $URL --api-key k "
        done = shell(line + streams, FILE=annotation, URL=endpoint.url)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["status"] == "finished"
    assert json.loads((folder / "results.json").read_text(encoding="utf-8"))["overall_f1"] == 1.0


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        pytest.param("$SM list --json | true", 0, "", id="nobody reads"),
        pytest.param("$SM parse - <&-", 2, "standard input is closed", id="nothing to read"),
        pytest.param(
            "$SM list >/dev/full", 2, "error: standard output cannot be written (No space",
            id="full", marks=FULL,
        ),
        pytest.param(
            "PYTHONUNBUFFERED=1 $SM list >/dev/full", 2, "cannot be written (No space",
            id="full, not buffered", marks=FULL,
        ),
    ],
)  # fmt: skip
def test_streams_of_other_commands(line: str, code: int, says: str) -> None:
    done = shell(line)
    assert done.returncode == code, done.stderr
    assert done.stderr.count("\n") == (1 if says else 0)
    assert says in done.stderr


STOPPED_IN = """
import importlib, os, pathlib, signal, sys
from screenmark.cli import main
def stop(*_):
    os.kill(os.getpid(), signal.{name})
if {inside}:
    folder = pathlib.Path("lib")
    folder.mkdir()
    folder.joinpath("typer.py").write_text(
        "import os, signal\\ntry:\\n    os.kill(os.getpid(), signal.{name})\\n"
        "    sum(range(9999))\\nexcept BaseException:\\n    pass\\n", encoding="utf-8")
    sys.path.insert(0, "lib")
else:
    importlib.import_module = stop
sys.argv = ["screenmark", {command!r}]
main.main()
"""


@pytest.mark.parametrize("inside", [True, False], ids=["in an import", "elsewhere"])
@pytest.mark.parametrize(
    ("name", "command", "says"),
    [
        ("SIGINT", "run", "error: interrupted; give the same command again to go on\n"),
        ("SIGTERM", "list", "error: interrupted\n"),
    ],
)
def test_a_signal_while_the_command_is_loaded(
    name: str, command: str, says: str, inside: bool
) -> None:
    code = STOPPED_IN.format(name=name, command=command, inside=inside)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (3, says, "")


def test_signals_are_as_before_once_a_command_is_done() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    screenmark("--version")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_what_main_needs_before_it_listens_for_signals() -> None:
    code = "import sys, screenmark.cli.main; print('typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
