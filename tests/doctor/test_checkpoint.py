"""Files of a local checkpoint that are missing, cut off or another model's."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from screenmark.doctor import Finding, check_setup
from screenmark.doctor.checkpoint import check_checkpoint
from screenmark.doctor.safetensors_files import check_weights
from screenmark.errors import DataError
from screenmark.models import ModelOptions
from tests.support.checkpoint import save_checkpoint


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_checkpoint(tmp_path_factory.mktemp("checkpoint") / "tiny")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "tiny"))


def look(folder: Path, **options: object) -> dict[str, Finding]:
    model = ModelOptions(model=str(folder), adapter="transformers", **options)  # type: ignore[arg-type]
    return {finding.check: finding for finding in check_checkpoint(model)}


def rewrite(name: str, **changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        content = json.loads(path.read_text(encoding="utf-8")) | changes
        path.write_text(json.dumps(content), encoding="utf-8")

    return change


def put(name: str, data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return change


def cut(name: str, size: int) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:size])

    return change


def without(*names: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return change


def sharded(lost: str = "", unknown: str = "") -> Callable[[Path], None]:
    """The weights as two files with an index, of which one is lost or a tensor is in neither."""

    def change(folder: Path) -> None:
        from safetensors.torch import load_file, save_file

        tensors = load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        half = sorted(tensors)[: len(tensors) // 2]
        places = {name: "a.safetensors" if name in half else "b.safetensors" for name in tensors}
        for file in ("a.safetensors", "b.safetensors"):
            save_file({n: t for n, t in tensors.items() if places[n] == file}, folder / file)
        if unknown:
            places[unknown] = "a.safetensors"
        if lost:
            (folder / lost).unlink()
        text = json.dumps({"metadata": {}, "weight_map": places})
        (folder / "model.safetensors.index.json").write_text(text, encoding="utf-8")

    return change


@pytest.mark.parametrize("change", [lambda folder: None, sharded()], ids=["one file", "sharded"])
def test_a_whole_checkpoint(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    found = look(folder)
    assert {f.status for f in found.values()} == {"ok"}, found
    assert set(found) == {"checkpoint config", "checkpoint weights", "checkpoint processor"}


@pytest.mark.parametrize(
    ("change", "check", "message", "remedy"),
    [
        (put("config.json", b"{"), "config", "config.json", "config.json"),
        (put("config.json", b"[]"), "config", "expected a JSON object", "config.json"),
        (rewrite("config.json", model_type="bert"), "config", "no images", "vision-language"),
        (rewrite("config.json", model_type="new9"), "config", "does not know it", "pip install"),
        (
            rewrite("config.json", model_type="new9", auto_map={"AutoModel": "m.M"}),
            "config",
            "code of its own",
            "--trust-remote-code",
        ),
        (
            rewrite("config.json", text_config={"hidden_size": 4096}),
            "weights",
            "32 wide, but config.json says hidden_size 4096",
            "one and the same",
        ),
        (without("model.safetensors"), "weights", "no model.safetensors", "hf download"),
        (cut("model.safetensors", 9000), "weights", "cut off", "hf download"),
        (cut("model.safetensors", 100), "weights", "cut off in its header", "hf download"),
        (cut("model.safetensors", 3), "weights", "not a safetensors file", "hf download"),
        (
            put("model.safetensors", b"version https://git-lfs.github.com/spec/v1\noid"),
            "weights",
            "git lfs pull",
            "hf download",
        ),
        (sharded(lost="b.safetensors"), "weights", "1 of 2 files are missing", "hf download"),
        (sharded(unknown="more.weight"), "weights", "the index has more.weight", "hf download"),
        (
            without("preprocessor_config.json"),
            "processor",
            "no preprocessor_config.json",
            "hf download OWNER/NAME preprocessor_config.json",
        ),
        (without("tokenizer.json"), "processor", "no tokenizer.json", "tokenizer.json"),
        (without("chat_template.json"), "processor", "no chat_template.jinja", "--preprocess"),
        (put("preprocessor_config.json", b"{"), "processor", "preprocessor_config.json", "file"),
    ],
)
def test_what_is_broken(
    folder: Path, change: Callable[[Path], None], check: str, message: str, remedy: str
) -> None:
    change(folder)
    failed = [f for f in look(folder).values() if f.status == "failed"]
    assert [f.check for f in failed] == [f"checkpoint {check}"], failed
    assert message in failed[0].detail
    assert remedy in failed[0].remedy


def test_code_that_the_user_trusts_or_brings(folder: Path) -> None:
    rewrite("config.json", model_type="new9", auto_map={"AutoModel": "m.M"})(folder)
    assert look(folder, trust_remote_code=True)["checkpoint config"].status == "ok"
    rewrite("config.json", model_type="bert", auto_map=None)(folder)
    without("chat_template.json")(folder)
    found = look(folder, preprocess="own.preprocess")
    assert found["checkpoint config"].status == "warning"
    assert found["checkpoint processor"].status == "ok"


def test_lora(folder: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}", encoding="utf-8")
    missing = look(folder, lora=str(adapter))["checkpoint LoRA"]
    assert (missing.status, "hf download" in missing.remedy) == ("failed", True)
    shutil.copy(folder / "model.safetensors", adapter / "adapter_model.safetensors")
    assert look(folder, lora=str(adapter))["checkpoint LoRA"].status == "ok"
    cut("adapter_model.safetensors", 9000)(adapter)
    assert "cut off" in look(folder, lora=str(adapter))["checkpoint LoRA"].detail


def test_headers_of_hostile_files(tmp_path: Path) -> None:
    for text in (b"[]", b'{"a": 1}', b'{"a": {"data_offsets": [0], "shape": []}}', b"[" * 5000):
        path = tmp_path / "a.safetensors"
        path.write_bytes(len(text).to_bytes(8, "little") + text)
        with pytest.raises(DataError, match="its header cannot be read"):
            check_weights(path)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text('{"weight_map": {"a": "../a.safetensors"}}', encoding="utf-8")
    with pytest.raises(DataError, match="another folder"):
        check_weights(index)


def test_as_part_of_a_set_up(folder: Path) -> None:
    without("config.json", "model.safetensors")(folder)
    options = {"model": str(folder), "adapter": "transformers"}
    failed = {f.check for f in check_setup("mmbench-gui-l1", options) if f.status == "failed"}
    assert failed == {"model", "checkpoint weights"}
    options["model"] = "somebody/some-model"
    notes = [f.detail for f in check_setup("mmbench-gui-l1", options) if f.check == "checkpoint"]
    assert "Hugging Face hub" in notes[0]
