"""The tutorial of MMBench-GUI, step by step, in a copy of compat/mmbench_gui."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from PIL import Image as PillowImage

from screenmark.benchmarks import bundled_pages
from screenmark.engine.records import RecordFile
from screenmark.types import Outcome, Record
from tests.support.endpoint import Act, FakeEndpoint

FOLDER = Path(__file__).parents[2] / "compat" / "mmbench_gui"
L1, L2 = "GUIContentUnderstanding", "GUIElementGrounding"
PNG = "9e304d4e0c.png"
BOX = [0.25, 0.5, 0.5, 0.75]

# As the tutorial has it: one field for both levels, the image below the data's root.
BUILDER = """
def build_custom_prompt(line, dataset):
    import os
    msgs = []
    tgt_path = os.path.join("{root}", line["image_path"])
    if dataset == "GUIElementGrounding":
        msgs.append({{"role": "user", "type": "image", "value": tgt_path}})
        msgs.append({{"role": "user", "type": "text",
                     "value": GROUNDING_user_prompt.format(instruction=line["instruction"])}})
    elif dataset == "GUIContentUnderstanding":
        msgs.append({{"role": "user", "type": "image", "value": tgt_path}})
        msgs.append({{"role": "user", "type": "text",
                     "value": QA_user_prompt.format(instruction=line["instruction"])}})
    return msgs
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    target = tmp_path / "MMBench-GUI"
    shutil.copytree(FOLDER, target, ignore=shutil.ignore_patterns("__pycache__", "outputs", ".env"))
    return target


@pytest.fixture
def lmu(tmp_path: Path) -> Path:
    """Data as utils/download.py lays it out."""
    root = tmp_path / "lmu"
    folder = root / "MMBench-GUI"
    images = folder / "offline_images" / "os_web"
    images.mkdir(parents=True)
    source = next((bundled_pages.FOLDER / "images").glob("*desktop.png"))
    shutil.copy(source, images / PNG)
    with PillowImage.open(source) as image:
        size = list(image.size)
    common = {"image_path": PNG, "image_size": size, "platform": "os_web", "app_name": "Page"}
    options = {letter: f"choice {letter.lower()}" for letter in "ABCDE"}
    question = {"options": options, "answer": "C", "explanation": "because"}
    groups = [
        {**question, "question": f"What is {word}?", "difficulty": word}
        for word in ("easy", "medium", "hard")
    ]
    one = {"index": 0, **common, "groups": groups}
    target = {**common, "bbox": BOX, "data_type": "icon"}
    two = [
        {"index": 0, **target, "instruction": "The grey square", "grounding_type": "basic"},
        {"index": 1, **target, "instruction": "Open the menu", "grounding_type": "advanced"},
    ]
    (folder / "L1_annotations.json").write_text(json.dumps([one]), encoding="utf-8")
    (folder / "L2_annotations.json").write_text(json.dumps(two), encoding="utf-8")
    return root


def copy_example(copy: Path, route: str, name: str, root: Path, **model: Any) -> Path:
    """Steps 2 to 5: copy both files, change the names, the path and the prompt builder."""
    module = copy / "models" / f"{name}.py"
    shutil.copy(copy / "models" / f"{route}_uitars.py", module)
    text = module.read_text(encoding="utf-8")
    builder = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == "build_custom_prompt"
    )
    lines = text.splitlines()
    new = BUILDER.format(root=root / "MMBench-GUI" / "offline_images").splitlines()
    lines[builder.lineno - 1 : builder.end_lineno] = new
    module.write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = copy / "configs" / f"config_{route}_uitars.json"
    config = json.loads(source.read_text(encoding="utf-8").replace(f"{route}_uitars", name))
    (settings,) = config["model"].values()
    config["model"] = {"myagent": {**settings, **model}}
    path = copy / "configs" / f"config_{name}.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def evaluate(copy: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if k not in {"LMUData", "EVAL_WORK_DIR", "RANK"}}
    return subprocess.run(
        [sys.executable, "evaluate.py", *arguments],
        cwd=copy,
        env={**clean, "HOME": str(copy / "home"), "OMP_NUM_THREADS": "1", **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def records(copy: Path, level: str) -> list[Record]:
    (folder,) = (copy / "outputs" / "runs").glob(f"mmbench-gui-{level}-*")
    return list(RecordFile(folder / "records.jsonl"))


def rows(path: Path) -> list[dict[str, Any]]:
    head, *body = load_workbook(path).worksheets[0].iter_rows(values_only=True)
    return [dict(zip(map(str, head), row, strict=True)) for row in body]


def outputs(copy: Path, model: str = "myagent") -> dict[str, Path]:
    """The newest files by what follows the model's name; all are links into a dated folder."""
    found = {}
    for path in (copy / "outputs" / model).iterdir():
        if path.is_symlink():
            assert path.resolve().parent.name.startswith("T20")
            found[path.name.removeprefix(f"{model}_")] = path
    return found


FILES = {
    f"{L1}.xlsx",
    f"{L1}_result.xlsx",
    f"{L1}_scores.json",
    f"{L2}.xlsx",
    f"{L2}_result.xlsx",
    f"{L2}_score.json",
}


def test_a_local_model_by_the_tutorial(copy: Path, lmu: Path, checkpoint: Path) -> None:
    from screenmark.models import ModelOptions
    from screenmark.models.local.checkpoint import load

    cfg = {"max_new_tokens": 4, "do_sample": False}
    copy_example(copy, "local", "local_myagent", lmu, model_path=str(checkpoint), generate_cfg=cfg)
    command = ("--config", "configs/config_local_myagent.json")
    done = evaluate(copy, *command, LMUData=str(lmu))
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    assert set(outputs(copy)) == FILES
    found = records(copy, "l1") + records(copy, "l2")
    assert len(found) == 5
    assert {record.reply and record.reply.finish_reason for record in found} == {"length"}
    # What the model was asked is the skeleton's prompt, options and all, and nothing more.
    model = load(ModelOptions(model=str(checkpoint)))
    first = found[0].sample
    options = "\n".join(f"{letter}. {text}" for letter, text in first["options"].items())
    prompts = _prompts(copy)
    texts = [
        prompts["QA_user_prompt"].format(
            instruction=f"Question: {first['question']}\nOptions:\n{options}"
        ),
        prompts["GROUNDING_user_prompt"].format(instruction="The grey square"),
    ]
    for record, text in zip((found[0], found[3]), texts, strict=True):
        assert record.reply is not None
        assert record.reply.usage is not None
        (image,) = record.reply.images
        pixels = (image.seen_width or 0) * (image.seen_height or 0)
        around = (
            "<|im_start|>user\n<|vision_start|><|vision_end|><|im_end|>\n<|im_start|>assistant\n"
        )
        count = len(model.tokenizer(around)["input_ids"]) + len(model.tokenizer(text)["input_ids"])
        assert record.reply.usage.input_tokens == count + pixels // (28 * 28)
    score = json.loads(outputs(copy)[f"{L2}_score.json"].read_text(encoding="utf-8"))
    assert score["basic"]["os_web"]["Total num"] == 1


def _prompts(copy: Path) -> dict[str, str]:
    text = (copy / "models" / "local_myagent.py").read_text(encoding="utf-8")
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id.endswith("_user_prompt")
    }


def answer(number: int, body: dict[str, Any]) -> Act:
    """Right on L2 when asked about the square, in pixels of the image as it came; L1 by half."""
    import base64
    import io

    image, words = body["messages"][0]["content"]
    if "Options:" in words["text"]:
        return Act(content="C" if "easy" in words["text"] else "The answer is B.")
    data = base64.b64decode(image["image_url"]["url"].partition(",")[2])
    width, height = PillowImage.open(io.BytesIO(data)).size
    x, y = round(0.3 * width), round(0.6 * height)
    if "square" not in words["text"]:
        x = round(0.9 * width)
    return Act(content=f"Thought: in row 2 of 3.\nAction: click(start_box='({x},{y})')")


def test_an_endpoint_by_the_tutorial(copy: Path, lmu: Path) -> None:
    with FakeEndpoint(answer) as endpoint:
        copy_example(
            copy, "api", "api_myagent", lmu, model_path=f"{endpoint.url}?api_key=k-1&model=tars"
        )
        command = ("--config", "configs/config_api_myagent.json")
        done = evaluate(copy, *command, "--api-nproc", "2", LMUData=str(lmu), L1_USE_WEIGHTED="1")
        assert done.returncode == 0, done.stderr
        assert endpoint.most_in_flight <= 2
        assert endpoint.headers[0]["Authorization"] == "Bearer k-1"
        assert endpoint.requests[0]["model"] == "tars"
        # A finished run is taken up, and the files are written again.
        again = evaluate(copy, *command, "--reuse", "--data", L2, LMUData=str(lmu))
        assert again.returncode == 0, again.stderr
        assert len(endpoint.requests) == 5
    assert "k-1" not in done.stderr + done.stdout
    found = outputs(copy)
    assert set(found) == FILES
    score = json.loads(found[f"{L2}_score.json"].read_text(encoding="utf-8"))
    accuracies = (score["Basic accuracy"], score["Advanced accuracy"], score["Average accuracy"])
    assert accuracies == (100.0, 0.0, 50.0)
    scores = json.loads(found[f"{L1}_scores.json"].read_text(encoding="utf-8"))
    assert scores["easy"]["os_web"] == {
        "score": 1.0, "sample_num": 1, "score_weighted": 0.8, "score_base": 0.8
    }  # fmt: skip
    assert scores["hard"]["level_score"] == 0.0
    hit, miss = rows(found[f"{L2}_result.xlsx"])
    assert (hit["match"], miss["match"]) == (1, 0)
    assert hit["img_path"] == f"os_web/{PNG}"
    assert json.loads(hit["bbox"]) == BOX
    assert json.loads(hit["pred_bbox"]) == pytest.approx([0.3, 0.6], abs=0.01)
    judged = rows(found[f"{L1}_result.xlsx"])
    assert [row["parsed_prediction"] for row in judged] == ["C", "B", "B"]
    assert [row["hit"] for row in judged] == [1, 0, 0]
    assert rows(found[f"{L1}.xlsx"])[1]["prediction"] == "The answer is B."


def test_the_example_asks_about_absent_targets_and_reads_the_answer(copy: Path, lmu: Path) -> None:
    file = lmu / "MMBench-GUI" / "L2_annotations.json"
    items = json.loads(file.read_text(encoding="utf-8"))
    items[1] |= {"target": "absent", "bbox": None}
    file.write_text(json.dumps(items), encoding="utf-8")

    def script(number: int, body: dict[str, Any]) -> Act:
        text = body["messages"][0]["content"][1]["text"]
        assert text.endswith("answer: not on screen")
        return Act(content="not on screen") if "menu" in text else answer(number, body)

    with FakeEndpoint(script) as endpoint:
        path = copy / "configs" / "config_api_uitars.json"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("http://localhost:8000/v1", endpoint.url), encoding="utf-8")
        done = evaluate(copy, "--config", str(path), "--data", L2, LMUData=str(lmu))
    assert done.returncode == 0, done.stderr
    here, gone = records(copy, "l2")
    assert (here.outcome, here.score["hit"]) == (Outcome.OK, 1)
    assert (gone.outcome, gone.score["hit"]) == (Outcome.REFUSED, 1)
    _, row = rows(outputs(copy, "UI-TARS-1.5-7B-api")[f"{L2}_result.xlsx"])
    assert (row["match"], row["is_wrong_format"], row["pred_bbox"]) == (1, 0, None)


def test_a_wrong_port_is_answered_with_where_to_look(copy: Path, lmu: Path) -> None:
    with FakeEndpoint(answer) as endpoint:
        url = endpoint.url
    copy_example(copy, "api", "api_myagent", lmu, model_path=f"{url}?model=tars")
    done = evaluate(
        copy, "--config", "configs/config_api_myagent.json", "--data", L2, LMUData=str(lmu)
    )
    assert done.returncode == 2
    assert "is model_path of myagent in" in done.stderr
    assert "screenmark doctor --config configs/config_api_myagent.json" in done.stderr


def test_failures_are_asked_again(copy: Path, lmu: Path) -> None:
    broken = True

    def script(number: int, body: dict[str, Any]) -> Act:
        return Act(status=400) if broken else Act(content="(1,1)")

    with FakeEndpoint(script) as endpoint:
        copy_example(copy, "api", "api_myagent", lmu, model_path=f"{endpoint.url}?model=tars")
        command = ("--config", "configs/config_api_myagent.json", "--data", L2)
        assert evaluate(copy, *command, LMUData=str(lmu)).returncode == 1
        again = evaluate(copy, *command, "--reuse", "--ignore", LMUData=str(lmu))
        assert again.returncode == 0
        assert "2 × request refused" in again.stderr
        broken = False
        mended = evaluate(copy, *command, "--reuse", LMUData=str(lmu))
        assert mended.returncode == 0, mended.stderr
        assert len(endpoint.requests) == 6
    assert len(list((copy / "outputs" / "runs").glob("mmbench*"))) == 1


def test_the_shell_is_stronger_than_the_file_and_the_option_than_both(
    copy: Path, lmu: Path, tmp_path: Path
) -> None:
    (copy / ".env").write_text(
        f"# settings\nexport LMUData='{lmu}'\nEVAL_WORK_DIR=from_file  # here\nL1_USE_WEIGHTED=1\n"
        'L2_USER_PROMPT="Where is {instruction}?"\n',
        encoding="utf-8",
    )
    with FakeEndpoint(answer) as endpoint:
        path = copy_example(
            copy, "api", "api_myagent", lmu, model_path=f"{endpoint.url}?model=tars"
        )
        config = json.loads(path.read_text(encoding="utf-8"))
        del config["model"]["myagent"]["custom_prompt"]
        path.write_text(json.dumps(config), encoding="utf-8")
        command = ("--config", "configs/config_api_myagent.json", "--max-samples", "1")
        one = evaluate(copy, *command, L1_USE_WEIGHTED="0")
        assert one.returncode == 0, one.stderr
        two = evaluate(copy, *command, "--mode", "infer", EVAL_WORK_DIR="from_shell")
        assert two.returncode == 0, two.stderr
        three = evaluate(copy, *command, "--data", L2, "--work-dir", "given", "--verbose")
        assert three.returncode == 0, three.stderr
    scores = next((copy / "from_file" / "myagent").glob("*_scores.json"))
    assert "score_weighted" not in scores.read_text(encoding="utf-8")
    kept = {path.name for path in (copy / "from_shell" / "myagent").glob("*.*")}
    assert kept == {f"myagent_{L1}.xlsx", f"myagent_{L2}.xlsx"}
    assert (copy / "given" / "myagent" / f"myagent_{L2}_score.json").is_file()
    assert not (copy / "given" / "myagent" / f"myagent_{L1}.xlsx").exists()
    texts = [body["messages"][0]["content"][1]["text"] for body in endpoint.requests]
    assert texts.count("Where is The grey square?") == 3
    assert "ok: Thought: in row 2 of 3. Action: click" in three.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--data", "GUIElementGround"), 2, "--data GUIElementGround: configs/config_api_uitars"),
        (("--model", "other"), 2, "has UI-TARS-1.5-7B-api"),
        (("--config", "configs/none.json"), 2, "none.json"),
        (("--mode", "eval"), 2, "invalid choice"),
        (("--api-nproc", "0"), 2, "--api-nproc: '0': expected a whole number from 1 on"),
        (("--api-nproc", "two"), 2, "--api-nproc: 'two': expected a whole number"),
        (("--retry", "-1"), 2, "--retry: '-1': expected a whole number from 0 on"),
        (
            ("--judge", "gpt-4-0125", "--judge-args", "{}", "--use-vllm", "--reuse-aux", "True",
             "--model", "x"),
            2,
            "--judge gpt-4-0125: not available",
        ),
    ],
    ids=["data", "model", "config", "mode", "no request", "word", "retry", "without effect"],
)  # fmt: skip
def test_wrong_use(copy: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = evaluate(copy, "--config", "configs/config_api_uitars.json", *arguments)
    assert done.returncode == code
    assert message in done.stderr
    if "--use-vllm" in arguments:
        for word in ("--judge-args", "--use-vllm", "--reuse-aux"):
            assert f"warning: {word}" in done.stderr


def test_files_of_another_run_of_the_same_day_are_kept(copy: Path, lmu: Path) -> None:
    with FakeEndpoint(answer) as endpoint:
        copy_example(copy, "api", "api_myagent", lmu, model_path=f"{endpoint.url}?model=tars")
        command = ("--config", "configs/config_api_myagent.json", "--data", L2)
        assert evaluate(copy, *command, LMUData=str(lmu)).returncode == 0
        more = evaluate(copy, *command, "--max-samples", "1", LMUData=str(lmu))
        assert more.returncode == 0, more.stderr
        again = evaluate(copy, *command, "--max-samples", "1", "--reuse", LMUData=str(lmu))
        assert again.returncode == 0, again.stderr
    first, second = sorted(p for p in (copy / "outputs" / "myagent").iterdir() if p.is_dir())
    assert second.name == f"{first.name}_2"
    for folder, count in ((first, 2), (second, 1)):
        assert len(rows(folder / f"myagent_{L2}.xlsx")) == count
    assert outputs(copy)[f"{L2}.xlsx"].resolve().parent == second


@pytest.mark.parametrize(
    ("model", "folder"),
    [
        ("a\x00b\x1b[31m\n", "a_b_[31m_"),
        ("../../up", ".._.._up"),
        ("..", "__"),
        ("", "_"),
        ("版" * 90, "版" * 50 + "_7fe02260"),
    ],
    ids=["unseen", "path", "dots", "empty", "long"],
)
def test_what_a_model_is_called_as_a_folder(tmp_path: Path, model: str, folder: str) -> None:
    spec = importlib.util.spec_from_file_location("outputs", FOLDER / "utils" / "outputs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.Outputs(tmp_path, model, L2, "run").folder
    assert made.parent == tmp_path / folder
    assert made.is_dir()


def test_the_other_ranks_of_torchrun_leave_the_work_to_the_first(copy: Path) -> None:
    done = evaluate(copy, "--config", "configs/none.json", RANK="1", WORLD_SIZE="2")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("route", ["local", "api"])
def test_examples_are_complete(route: str) -> None:
    """Every function that a shipped configuration names is there."""
    text = (FOLDER / "configs" / f"config_{route}_uitars.json").read_text(encoding="utf-8")
    code = (FOLDER / "models" / f"{route}_uitars.py").read_text(encoding="utf-8")
    names = {node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    words = {word for word in text.replace('"', " ").split() if word.startswith("models.")}
    assert len(words) == 4
    assert {word.rpartition(".")[2] for word in words} <= names
    assert {word.rpartition(".")[0] for word in words} == {f"models.{route}_uitars"}


def test_the_example_without_any_data_asks_the_bundled_items(copy: Path) -> None:
    with FakeEndpoint(answer) as endpoint:
        path = copy / "configs" / "config_api_uitars.json"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("http://localhost:8000/v1", endpoint.url), encoding="utf-8")
        done = evaluate(copy, "--config", str(path), "--max-samples", "2")
    assert done.returncode == 0, done.stderr
    assert "so the bundled items are asked" in done.stderr
    assert len(endpoint.requests) == 4
    assert len(records(copy, "l2")) == 2
