"""Checkpoints that run here, on a tiny one with random weights."""

import asyncio
import shutil
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.errors import MissingExtra, ModelError, RunFolderError, StageError, UsageError
from screenmark.models import ModelOptions, build_adapter
from screenmark.models.local import checkpoint as loading
from screenmark.models.local.fingerprint import fingerprint
from screenmark.models.transformers_adapter import TransformersAdapter
from screenmark.types import Image, Message, Outcome, Reply, Request, Text
from tests.support.checkpoint import MAX_PIXELS, TEMPLATE

CODE = """
import torch

SEEN = []

def pre(message_rows, model, processor, **kwargs):
    SEEN.append((message_rows, model, processor, kwargs))
    text = message_rows[-1]["value"]
    return dict(processor.tokenizer(text, return_tensors="pt"))

def pre_narrow(message_rows, model, processor, dataset_name):
    return pre(message_rows, model, processor, only=dataset_name)

def pre_list(message_rows, model, processor):
    return [1]

def fails(first, model, processor):
    raise KeyError("no such thing")

def out_of_memory(first, model, processor):
    raise torch.OutOfMemoryError("tried to allocate 80 GiB")

def post(outputs, model, processor, **kwargs):
    SEEN.append((outputs, model, processor, kwargs))
    return "(0.5, 0.5)"

def post_number(outputs, model, processor):
    return 3
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_model", raising=False)
    (tmp_path / "own_model.py").write_text(CODE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    path = tmp_path / "shot.png"
    PillowImage.new("RGB", (200, 100), (200, 220, 240)).save(path)
    return path


def asked(shot: Path | None, words: str = "Click the button", **options: Any) -> Request:
    image = () if shot is None else (Image(str(shot)),)
    message = Message("user", (*image, Text(words)))
    return Request((message,), **{"max_tokens": 6, "dataset": "GUIElementGrounding", **options})


def answers(options: ModelOptions, *requests: Request) -> tuple[list[Reply], TransformersAdapter]:
    async def ask() -> tuple[list[Reply], TransformersAdapter]:
        adapter = TransformersAdapter(options)
        await adapter.start()
        kept = adapter._model
        try:
            replies = [await adapter.generate(request) for request in requests]
        finally:
            await adapter.close()
        adapter._model = kept  # for the tests to look at
        return replies, adapter

    return asyncio.run(ask())


def options(checkpoint: Path, **more: Any) -> ModelOptions:
    return ModelOptions(model=str(checkpoint), adapter="transformers", **more)


def test_prompt_and_reply_are_the_processors_own(checkpoint: Path, shot: Path) -> None:
    import torch

    (reply, again), adapter = answers(options(checkpoint), asked(shot), asked(shot))
    model = adapter._model
    assert model is not None
    rows = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Click the "
            "button"}]}]  # fmt: skip
    text = model.processor.apply_chat_template(rows, tokenize=False, add_generation_prompt=True)
    inputs = model.processor(text=[text], images=[PillowImage.open(shot)], return_tensors="pt")
    with torch.inference_mode():
        output = model.model.generate(**inputs, max_new_tokens=6, do_sample=False)
    prompt = inputs["input_ids"].shape[1]
    new = output[0][prompt:]
    assert reply.text == model.tokenizer.decode(new, skip_special_tokens=True)
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (prompt, len(new))
    assert reply.text == again.text
    assert reply.finish_reason == "length"
    assert "user" not in reply.text
    assert "<|im_start|>" in TEMPLATE


def test_the_image_and_the_models_own_resize_are_recorded(checkpoint: Path, shot: Path) -> None:
    from screenmark.images import encode

    (reply,), _ = answers(options(checkpoint), asked(shot))
    (image,) = reply.images
    assert image.sha256 == encode(shot).sha256
    assert (image.width, image.height) == (200, 100)
    assert image.seen_width is not None
    assert image.seen_height is not None
    assert (image.seen_width % 28, image.seen_height % 28) == (0, 0)
    assert image.seen_width * image.seen_height <= MAX_PIXELS


@pytest.mark.parametrize(("keep", "kept"), [(False, False), (True, True)], ids=["plain", "special"])
def test_special_tokens_stay_only_where_they_carry_the_answer(
    checkpoint: Path, shot: Path, keep: bool, kept: bool
) -> None:
    # Made to write one: every other token is forbidden.
    cfg = {"suppress_tokens": [n for n in range(512) if n != 3], "max_new_tokens": 2}
    request = asked(shot, generate_cfg=cfg, keep_special=keep)
    (reply,), _ = answers(options(checkpoint), request)
    assert ("<|vision_start|>" in reply.text) is kept


def test_generate_cfg_wins_and_temperature_samples(checkpoint: Path) -> None:
    requests = [
        asked(None, generate_cfg={"max_new_tokens": 3}),
        asked(None, generate_cfg={"max_tokens": 2}),
        asked(None, temperature=5.0, max_tokens=12),
        asked(None, temperature=5.0, max_tokens=12),
        asked(None, generate_cfg={"temperature": 0.0}),
        asked(None, generate_cfg={"temperature": 5.0}, max_tokens=12),
    ]
    replies, _ = answers(options(checkpoint), *requests)
    counts = [reply.usage.output_tokens for reply in replies if reply.usage]
    assert counts[:2] == [3, 2]
    assert len({reply.text for reply in replies[2:]}) == 4


def test_own_functions_get_what_they_are_promised(checkpoint: Path, shot: Path, code: Path) -> None:
    given = options(
        checkpoint,
        code_dir=code,
        preprocess="own_model.pre",
        postprocess="own_model.post",
        model_kwargs={"min_pixels": 5},
    )
    (reply,), adapter = answers(given, asked(shot))
    (rows, model, processor, kwargs), (outputs, _, _, after) = sys.modules["own_model"].SEEN
    assert rows == [
        {"role": "user", "type": "image", "value": str(shot)},
        {"role": "user", "type": "text", "value": "Click the button"},
    ]
    assert kwargs == {"min_pixels": 5, "dataset_name": "GUIElementGrounding"}
    assert after == {**kwargs, "prompt_length": outputs.shape[1] - 6}
    assert processor is model.processor
    assert model.config is model.model.config  # other attributes are the model's
    assert str(model.device) == str(model.model.device)
    assert adapter._model is model
    assert reply.text == "(0.5, 0.5)"
    assert [image.width for image in reply.images] == [200]


def test_a_function_is_given_only_what_it_takes(checkpoint: Path, code: Path) -> None:
    given = options(checkpoint, code_dir=code, preprocess="own_model.pre_narrow",
                    model_kwargs={"other": 1})  # fmt: skip
    answers(given, asked(None))
    assert sys.modules["own_model"].SEEN[0][3] == {"only": "GUIElementGrounding"}


@pytest.mark.parametrize(
    ("stage", "function", "kind", "message"),
    [
        ("preprocess", "pre_list", StageError, "own_model.pre_list returned list, expected a dict"),
        ("preprocess", "fails", StageError, "own_model.fails failed: KeyError: 'no such thing'"),
        ("postprocess", "post_number", StageError, "own_model.post_number returned int"),
        ("preprocess", "out_of_memory", ModelError, "out of memory on cpu (200x100); --max-image"),
    ],
    ids=["no mapping", "raises", "no text", "memory"],
)
def test_what_a_function_did_wrong(
    checkpoint: Path, shot: Path, code: Path, stage: str, function: str, kind: type, message: str
) -> None:
    given = options(checkpoint, code_dir=code, **{stage: f"own_model.{function}"})
    with pytest.raises(kind) as caught:
        answers(given, asked(shot))
    assert message in str(caught.value)


def test_a_reply_that_takes_too_long(checkpoint: Path) -> None:
    with pytest.raises(ModelError, match=r"no reply within 0\.001 s; --timeout allows more"):
        answers(options(checkpoint, timeout=0.001), asked(None, max_tokens=4000))


def test_a_dropped_request_does_not_hold_up_the_next(checkpoint: Path) -> None:
    async def ask() -> Reply:
        adapter = TransformersAdapter(options(checkpoint, timeout=600))
        await adapter.start()
        cfg = {"min_new_tokens": 4000, "max_new_tokens": 4000}
        dropped = asyncio.create_task(adapter.generate(asked(None, generate_cfg=cfg)))
        await asyncio.sleep(0.05)
        dropped.cancel()
        try:
            return await adapter.generate(asked(None))
        finally:
            await adapter.close()

    reply = asyncio.run(asyncio.wait_for(ask(), 30))
    assert reply.usage is not None
    assert reply.usage.output_tokens == 6


def test_generate_function_names_the_models_method(checkpoint: Path) -> None:
    with pytest.raises(UsageError, match="ForConditionalGeneration has no method 'chat'"):
        answers(options(checkpoint, generate_function="chat"), asked(None))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("no/such/folder/here", "there is no folder"),
        ("./missing", "there is no folder"),
        ("empty/missing", "there is no folder"),
        ("{empty}", "no config.json in this folder, only README"),
        ("{file}", "this is a file"),
    ],
)
def test_wrong_paths_are_noticed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "README").write_text("x", encoding="utf-8")
    name = model.format(empty=tmp_path / "empty", file=tmp_path / "empty" / "README")
    with pytest.raises(UsageError, match=message):
        build_adapter(ModelOptions(model=name, adapter="transformers"))


def test_a_damaged_checkpoint_says_what_was_tried(checkpoint: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(checkpoint, broken)
    (broken / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(UsageError) as caught:
        answers(options(broken), asked(None))
    assert f"cannot be loaded (tried the folder {broken})" in str(caught.value)


class Refusing(BaseHTTPRequestHandler):
    """A hub that has trouble; the paths it was asked for are in ``asked``."""

    asked: ClassVar[list[str]] = []

    def do_HEAD(self) -> None:
        self.asked.append(self.path)
        self.send_response(500)
        self.end_headers()

    do_GET = do_HEAD

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_a_hub_that_fails_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as hub:
        Thread(target=hub.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{hub.server_port}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url)
        with pytest.raises(UsageError, match="--model nope/x: cannot be loaded"):
            loading.load(ModelOptions(model="nope/x"))
        hub.shutdown()
    assert Refusing.asked == ["/nope/x/resolve/main/config.json"]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'screenmark\[local\]'"):
        build_adapter(ModelOptions(model="org/name", adapter="transformers"))


@pytest.mark.parametrize("rows", [1, 2], ids=["alone", "batch"])
@pytest.mark.parametrize("benchmark", ["gui-hallubench", "mmbench-gui-l1", "mmbench-gui-l2"])
def test_runs_and_goes_on(checkpoint: Path, tmp_path: Path, benchmark: str, rows: int) -> None:
    given: dict[str, Any] = {
        "model": str(checkpoint),
        "adapter": "transformers",
        "max_tokens": 4,
        "runs_dir": tmp_path,
        "batch_size": rows,
    }
    run = screenmark.run(benchmark, max_samples=2, **given)
    records = list(run.records)
    assert [record.outcome for record in records] == [Outcome.TRUNCATED] * 2
    assert all(record.reply and record.reply.images for record in records)
    assert run.results["num_samples"] == 2
    lines = (run.path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    (run.path / "records.jsonl").write_text(lines[0] + "\n", encoding="utf-8")
    (run.path / "results.json").unlink()
    again = screenmark.run(resume=run.path)
    assert again.resumed == 1
    assert len(list(again.records)) == 2


@pytest.mark.parametrize(
    "place", ["config.json", "start", "middle", "end"], ids=["settings", "start", "middle", "end"]
)
def test_other_weights_under_the_same_path_are_another_model(tmp_path: Path, place: str) -> None:
    data = bytearray(3 << 20)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(data)
    before = fingerprint(tmp_path)
    assert fingerprint(tmp_path) == before
    if place == "config.json":
        (tmp_path / place).write_text("{ }", encoding="utf-8")
    else:
        data[{"start": 9, "middle": len(data) // 2, "end": -9}[place]] = 1
        (tmp_path / "model.safetensors").write_bytes(data)
    assert fingerprint(tmp_path) != before


def test_a_run_does_not_go_on_with_other_weights(checkpoint: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(checkpoint, copy)
    run = screenmark.run(
        "mmbench-gui-l1",
        model=str(copy),
        adapter="transformers",
        max_samples=1,
        max_tokens=2,
        runs_dir=tmp_path / "runs",
    )
    weights = bytearray((copy / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (copy / "model.safetensors").write_bytes(weights)
    with pytest.raises(RunFolderError, match=r"--model \(its content differs\)"):
        screenmark.run(resume=run.path)


def test_own_method_and_reading_by_the_real_resize(
    checkpoint: Path, tmp_path: Path, code: Path
) -> None:
    """The middle of the image as the model saw it is the middle, whatever the profile says."""
    text = "\ndef middle(outputs, model, processor, **kwargs):\n    return '(70, 42)'\n"
    with (code / "own_model.py").open("a", encoding="utf-8") as file:
        file.write(text)
    run = screenmark.run(
        "mmbench-gui-l2",
        model=str(checkpoint),
        adapter="transformers",
        code_dir=code,
        postprocess="own_model.middle",
        max_samples=1,
        max_tokens=4,
        generate_cfg={"eos_token_id": list(range(512))},
        runs_dir=tmp_path,
    )
    (record,) = run.records
    assert run.manifest.profile == "qwen2.5-vl"
    assert record.reply is not None
    (image,) = record.reply.images
    assert record.answer is not None
    assert record.answer.value == pytest.approx([70 / image.seen_width, 42 / image.seen_height])  # type: ignore[operator]
