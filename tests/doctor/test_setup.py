"""What doctor says of a set-up without asking the model anything."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from screenmark.benchmarks import bundled_pages
from screenmark.doctor import Finding, check_machine, check_setup
from tests.support.commands import command

IMAGES = bundled_pages.FOLDER / "images"
PAGE = "zh_weather__mobile.png"
CODE = """
def bare(line, dataset):
    return [{"role": "user", "type": "image", "value": IMAGE},
            {"role": "user", "type": "text", "value": line["question"]}]
def lost(line, dataset):
    return [{"role": "user", "type": "image", "value": "/nowhere/" + line["image_path"]},
            {"role": "user", "type": "text", "value": line["instruction"]}]
def blind(line, dataset):
    return [{"role": "user", "type": "text", "value": line["instruction"]}]
def broken(line, dataset):
    return line["nothing"]
def silent(line, dataset):
    return [{"role": "user", "type": "image", "value": line["image_file"]},
            {"role": "user", "type": "text", "value": "Where? " + line["instruction"]}]
def telling(line, dataset):
    told = " Answer not on screen if it is not there." if line["offers_absence"] else ""
    return [{"role": "user", "type": "image", "value": line["image_file"]},
            {"role": "user", "type": "text", "value": line["instruction"] + told}]
"""


def failed(benchmark: str, **options: Any) -> list[Finding]:
    return [f for f in check_setup(benchmark, options) if f.status == "failed"]


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1, findings
    return findings[0]


@pytest.fixture(autouse=True)
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_doctor", raising=False)
    text = f"IMAGE = {str(IMAGES / PAGE)!r}\n{CODE}"
    (tmp_path / "own_doctor.py").write_text(text, encoding="utf-8")
    return tmp_path


def prompt(folder: Path, text: str) -> Path:
    path = folder / "prompt.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("benchmark", ["gui-hallubench", "mmbench-gui-l1", "mmbench-gui-l2"])
def test_bundled_data_and_an_embedded_model_are_fine(benchmark: str) -> None:
    findings = list(check_setup(benchmark, {"model": "ocr"}))
    assert {finding.status for finding in findings} == {"ok"}
    assert {"model", "profile", "data", "images", "prompt"} <= {f.check for f in findings}


@pytest.mark.parametrize(
    ("benchmark", "options", "check", "message", "remedy"),
    [
        pytest.param(
            *("mmbench-gui-l9", {}, "options", "unknown benchmark", "list benchmarks"),
            id="no benchmark",
        ),
        pytest.param(
            *("mmbench-gui-l2", {"modell": "x"}, "options", "did you mean", "--model"),
            id="no option",
        ),
        pytest.param(
            *("mmbench-gui-l2", {"model": "x"}, "model", "no endpoint for 'x'", "--api-base URL"),
            id="model",
        ),
        pytest.param(
            *("mmbench-gui-l2", {"model": "x", "adapter": "opnai"}, "model", "unknown adapter"),
            "--adapter NAME",
            id="adapter",
        ),
        pytest.param(
            *("mmbench-gui-l2", {"model": "x", "temperature": 7}, "options", "out of range"),
            "--temperature with another value",
            id="value",
        ),
        pytest.param(
            *("mmbench-gui-l2", {"model": "ocr", "parse_function": "no.f"}, "options", "no module"),
            "--code-dir DIR",
            id="function",
        ),
        pytest.param(
            *("mmbench-gui-l2", {"model": "ocr", "data": "/nowhere"}, "data", "no such folder"),
            "--data DIR",
            id="folder",
        ),
        pytest.param(
            *("mmbench-gui-l2", {"model": "x", "preset": "zhipu"}, "model", "no key"),
            "export ZHIPUAI_API_KEY",
            id="key",
        ),
        pytest.param(
            "mmbench-gui-l2",
            {"model": "ocr", "profile": "qwen2.5-vl"},
            "profile",
            "this model answers in pixel only",
            "list profiles",
            id="profile that the model does not speak",
        ),
        pytest.param(
            *("screenspot", {"model": "ocr"}, "data", "screenmark data download screenspot"),
            "screenmark data download screenspot",
            id="data",
        ),
    ],
)
def test_what_cannot_start(
    benchmark: str,
    options: dict[str, Any],
    check: str,
    message: str,
    remedy: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ZHIPUAI_API_KEY", raising=False)
    found = only(failed(benchmark, **options))
    assert found.check == check
    assert message in found.detail
    assert remedy in found.remedy


@pytest.mark.parametrize(
    ("benchmark", "builder", "message", "remedy"),
    [
        ("mmbench-gui-l1", "bare", "the prompt leaves out: option A, option B", 'line["options"]'),
        ("mmbench-gui-l2", "lost", "there is no image at /nowhere/web-", "join image_path"),
        ("mmbench-gui-l2", "blind", "the prompt holds no image", '"type": "image"'),
        ("mmbench-gui-l2", "broken", "own_doctor.broken failed on", "--code-dir"),
    ],
)
def test_prompt_builders(
    code: Path, benchmark: str, builder: str, message: str, remedy: str
) -> None:
    options = {"model": "ocr", "code_dir": code, "build_prompt": f"own_doctor.{builder}"}
    (found,) = [f for f in check_setup(benchmark, options) if f.check == "prompt"]
    assert found.status == "failed"
    assert message in found.detail
    assert remedy in found.remedy


@pytest.mark.parametrize("way", ["build_prompt", "prompt"])
def test_prompts_that_offer_no_way_to_decline(code: Path, way: str) -> None:
    def warnings(value: object) -> list[Finding]:
        options = {"model": "ocr", "code_dir": code, way: value}
        return [f for f in check_setup("mmbench-gui-l2", options) if f.status == "warning"]

    if way == "build_prompt":
        silent, telling = "own_doctor.silent", "own_doctor.telling"
        assert warnings(telling) == []
        found = only(warnings(silent))
        assert "offers_absence" in found.remedy
    else:
        assert warnings(prompt(code, "{instruction} Say None if there is nothing.")) == []
        found = only(warnings(prompt(code, "Where is this? {instruction}")))
        assert "--prompt" in found.remedy
    assert found.detail.startswith("101 of 580 targets are not on the screen")


@pytest.mark.parametrize(
    ("benchmark", "text", "message"),
    [
        ("mmbench-gui-l2", "Where would you click?", "expected {instruction}"),
        ("mmbench-gui-l1", "{question} Answer.", "leaves the options out"),
        ("mmbench-gui-l1", "Answer.", "the prompt asks nothing"),
    ],
    ids=["no instruction", "no options", "nothing"],
)
def test_prompt_files(code: Path, benchmark: str, text: str, message: str) -> None:
    found = only(failed(benchmark, model="ocr", prompt=prompt(code, text)))
    assert message in found.detail


@pytest.mark.parametrize(
    ("profile", "asks", "disagrees"),
    [
        ("pixel", "normalised to 0-1000", True),
        ("permille", "normalised to 0-1000", False),
        ("permille", "as numbers between 0 and 1", True),
        ("unit", "in pixels", True),
        ("unit", "as fractions from 0 to 1", False),
        ("qwen2.5-vl", "in pixels of the image", False),
        ("qwen3-vl", "in pixels of the image", True),
        ("percent", "from 0 to 100", False),
        ("permille", "from 0 to 100", True),
        ("pixel", "as (x, y)", False),
        ("pixel", "坐标归一化到 0 到 1000", True),
    ],
)
def test_profile_and_prompt_in_different_spaces(
    code: Path, profile: str, asks: str, disagrees: bool
) -> None:
    path = prompt(code, "Where is {instruction}? Answer " + asks)
    found = failed("mmbench-gui-l2", adapter="openai", model="m", profile=profile, prompt=path)
    assert [finding.check for finding in found] == ["coordinates"] * disagrees
    if disagrees:
        assert f"the profile {profile} reads" in found[0].detail


def test_images_that_are_missing_or_of_another_size(code: Path) -> None:
    folder = code / "data"
    (folder / "images").mkdir(parents=True)
    shutil.copy(IMAGES / PAGE, folder / "images")
    item = {
        "image_path": PAGE,
        "image_size": [1, 2],
        "instruction": "看看明天",
        "bbox": [0.1, 0.1, 0.2, 0.2],
        "data_type": "text",
        "platform": "os_web",
        "grounding_type": "basic",
    }
    items = [item, item | {"image_path": "missing.png"}, item | {"bbox": "x", "instruction": "b"}]
    (folder / "L2_annotations.json").write_text(json.dumps(items), encoding="utf-8")
    findings = list(check_setup("mmbench-gui-l2", {"model": "ocr", "data": folder}))
    said = {f.check + " " + f.status: f.detail for f in findings}
    assert "image_size: [1, 2] in the annotation, but the file has 390x844" in said["data warning"]
    assert "bbox: expected a list of 4 numbers" in said["data failed"]
    assert "1 of 2 samples" in said["images failed"]
    assert str(folder / "images" / "os_web" / "missing.png") in said["images failed"]
    remedies = {f.check: f.remedy for f in findings if f.status == "failed"}
    assert "L2_annotations.json" in remedies["data"]
    assert "--image-dir" in remedies["images"]


@pytest.mark.parametrize("file", ["broken.png", PAGE], ids=["no image", "no item"])
def test_without_a_usable_item_nothing_is_said_to_be_fine(code: Path, file: str) -> None:
    folder = code / "data"
    (folder / "images").mkdir(parents=True)
    shutil.copy(IMAGES / PAGE, folder / "images")
    (folder / "images" / "broken.png").write_bytes(b"no image")
    box = [0.1, 0.1, 0.2, 0.2] if file == "broken.png" else "x"
    item = {
        "image_path": file,
        "image_size": [390, 844],
        "instruction": "a",
        "bbox": box,
        "data_type": "text",
        "platform": "os_web",
        "grounding_type": "basic",
    }
    (folder / "L2_annotations.json").write_text(json.dumps([item]), encoding="utf-8")
    findings = list(check_setup("mmbench-gui-l2", {"model": "ocr", "data": folder}))
    fine = {f.check for f in findings if f.status == "ok"}
    assert fine == {"model", "profile"}
    (lost,) = (f for f in findings if f.status == "failed")
    assert lost.check == "data"
    assert ("--image-dir" if file == "broken.png" else "L2_annotations.json") in lost.remedy


def test_what_failed_has_to_say_what_mends_it() -> None:
    with pytest.raises(ValueError, match="nothing is said that mends it"):
        Finding(check="a", status="failed", detail="b")


def test_an_unknown_model_is_asked_in_the_default_profile_and_told_so() -> None:
    findings = check_setup("mmbench-gui-l2", {"adapter": "openai", "model": "some-model"})
    (profile,) = (finding for finding in findings if finding.check == "profile")
    assert profile.status == "warning"
    assert "default" in profile.detail
    assert "--profile NAME" in profile.remedy


def test_machine(tmp_path: Path) -> None:
    findings = {finding.check: finding for finding in check_machine(tmp_path / "a" / "runs")}
    assert findings["python"].status == "ok"
    assert findings["extra ocr"].status == "ok"
    assert "GB free" in findings["disk"].detail


def test_missing_extras_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("screenmark.doctor.machine.find_spec", lambda name: None)
    findings = {finding.check: finding for finding in check_machine(Path("runs"))}
    assert findings["extra ray"].status == "note"
    assert findings["extra ray"].remedy == "pip install 'screenmark[ray]'"


def test_command(tmp_path: Path) -> None:
    fine = command("doctor", "--benchmark", "mmbench-gui-l1", "--model", "ocr", "--json")
    assert fine.returncode == 0
    rows = json.loads(fine.stdout)
    assert {"about", "check", "status", "detail", "remedy"} == set(rows[0])
    assert {row["about"] for row in rows} == {"this machine", "mmbench-gui-l1"}
    wrong = command("doctor", "--benchmark", "mmbench-gui-l2", "--model", "nobody")
    assert wrong.returncode == 2
    assert "no endpoint for 'nobody'" in " ".join(wrong.stdout.split())
    assert command("doctor").returncode == 0
    assert command("doctor", "--model", "ocr").returncode == 0
    assert command("doctor", "--model", "ocr", "--profile", "pixel").returncode == 2


def test_command_with_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("[models.ocr]\n[models.x]\n[benchmarks.mmbench-gui-l1]\n", encoding="utf-8")
    done = command("doctor", "--config", path, "--json")
    assert done.returncode == 2
    about = {row["about"] for row in json.loads(done.stdout) if row["status"] == "failed"}
    assert about == {"x on mmbench-gui-l1"}
