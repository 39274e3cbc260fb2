"""A checkpoint's files, looked at without loading the weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from screenmark.doctor.finding import Finding
from screenmark.doctor.safetensors_files import Shapes, check_weights
from screenmark.errors import DataError
from screenmark.jsonfile import read_json
from screenmark.models import ModelOptions

_PROCESSORS = ("preprocessor_config.json", "processor_config.json")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "tekken.json", "spiece.model")
_TEMPLATES = ("chat_template.jinja", "chat_template.json")
_WITH_TEMPLATE = ("tokenizer_config.json", "processor_config.json")


def check_checkpoint(model: ModelOptions) -> Iterator[Finding]:
    """Configuration, weights, processor and LoRA adapter of a local checkpoint.

    What is at the hub is noted and not looked at.
    """
    yield from _lora(model)
    name = str(model.model)
    folder = Path(name).expanduser()
    if not folder.is_dir():
        yield Finding(
            check="checkpoint",
            status="note",
            detail=f"{name} is no folder here: its files come from the Hugging Face hub or its "
            "cache when the run starts, and are not looked at",
        )
        return
    config = None
    if (folder / "config.json").is_file():  # else the line about the model says so
        try:
            config = _config(folder)
        except DataError as error:
            yield _failed("config", str(error), f"config.json of the model's repository in {name}")
    if config is not None:
        yield _architecture(config, model)
    yield from _weights(folder, config)
    yield from _processor(folder, model)


def _failed(what: str, detail: str, remedy: str) -> Finding:
    return Finding(check=f"checkpoint {what}", status="failed", detail=detail, remedy=remedy)


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    found = read_json(path)
    if not isinstance(found, dict):
        raise DataError("expected a JSON object", file=path)
    return found


def _architecture(config: dict[str, Any], model: ModelOptions) -> Finding:
    """Whether transformers has a class for it that takes images."""
    kind = str(config.get("model_type") or "")
    named = ", ".join(map(str, config.get("architectures") or [])) or "no architecture"
    detail = f"{named}, model_type {kind or 'missing'}"
    check = "checkpoint config"
    try:
        from transformers.models.auto import configuration_auto, modeling_auto
    except ImportError:  # the line about the model says what to install
        return Finding(check=check, status="note", detail=detail)
    # A checkpoint of a user's own preprocess function may be of any class.
    worse = "warning" if model.preprocess is not None else "failed"
    if kind in modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES:
        return Finding(check=check, status="ok", detail=detail)
    if config.get("auto_map"):
        if model.trust_remote_code:
            return Finding(check=check, status="ok", detail=f"{detail}, by code of its own")
        return _failed(
            "config", f"{detail}: needs Python code of its own", "--trust-remote-code, if you do"
        )
    if kind in configuration_auto.CONFIG_MAPPING_NAMES:
        problem = f"{detail}: takes no images with text"
    else:
        problem = f"{detail}: the installed transformers does not know it"
    return Finding(
        check=check,
        status=worse,  # type: ignore[arg-type]
        detail=problem,
        remedy="pip install -U transformers"
        if kind and kind not in configuration_auto.CONFIG_MAPPING_NAMES
        else "--model DIR of a vision-language model",
    )


def _weights(folder: Path, config: dict[str, Any] | None) -> Iterator[Finding]:
    check = "checkpoint weights"
    index = folder / "model.safetensors.index.json"
    single = folder / "model.safetensors"
    if not (index.is_file() or single.is_file()):
        if old := sorted(folder.glob("pytorch_model*.bin")):
            detail = f"{len(old)} files of PyTorch's old format, which are not looked into"
            yield Finding(check=check, status="note", detail=detail)
            return
        yield _failed(
            "weights", f"no model.safetensors in {folder}", f"hf download OWNER/NAME --local-dir "
            f"{folder}"
        )  # fmt: skip
        return
    try:
        found = check_weights(single if single.is_file() else index)
    except DataError as error:
        yield _failed("weights", str(error), f"hf download OWNER/NAME --local-dir {folder}")
        return
    except OSError as error:
        yield _failed("weights", f"{folder}: {error.strerror}", f"chmod -R u+r {folder}")
        return
    if problem := _misfit(found.shapes, config or {}):
        yield _failed(
            "weights", problem, "config.json and weights of one and the same checkpoint"
        )  # fmt: skip
        return
    size = f"{found.size / (1 << 30):.1f} GB" if found.size >= 1 << 29 else f"{found.size:,} bytes"
    detail = f"{len(found.shapes)} tensors in {found.files} files, {size}, whole by their headers"
    yield Finding(check=check, status="ok", detail=detail)


def _lora(model: ModelOptions) -> Iterator[Finding]:
    """The weights of an adapter; that there is one is the line about the model's business."""
    folder = Path(model.lora or "").expanduser()
    path = folder / "adapter_model.safetensors"
    if model.lora is None or not (folder / "adapter_config.json").is_file():
        return
    if not path.is_file() and (folder / "adapter_model.bin").is_file():
        return
    try:
        count = len(check_weights(path).shapes)
    except DataError as error:
        yield _failed("LoRA", str(error), f"hf download OWNER/NAME --local-dir {folder}")
    else:
        yield Finding(check="checkpoint LoRA", status="ok", detail=f"{count} tensors, whole")


def _misfit(shapes: Shapes, config: dict[str, Any]) -> str | None:
    """What shows that the weights are another model's: the size of the embeddings."""
    text = config.get("text_config") or config.get("llm_config") or config
    hidden = text.get("hidden_size") if isinstance(text, dict) else None
    names = [n for n in shapes if n.endswith("embed_tokens.weight") and "visual" not in n]
    if not isinstance(hidden, int) or len(names) != 1 or len(shapes[names[0]]) != 2:
        return None
    width = shapes[names[0]][1]
    if width == hidden or width * 2 == hidden:  # packed by a quantiser
        return None
    return f"{names[0]} is {width} wide, but config.json says hidden_size {hidden}"


def _processor(folder: Path, model: ModelOptions) -> Iterator[Finding]:
    present = {path.name for path in folder.iterdir() if path.is_file()}
    missing = []
    if not present & set(_PROCESSORS):
        missing.append(_PROCESSORS[0])
    if not present & set(_TOKENIZERS):
        missing.append(_TOKENIZERS[0])
    broken = None
    contents: dict[str, Any] = {}
    for name in sorted(present & {*_PROCESSORS, "tokenizer_config.json", "chat_template.json"}):
        try:
            contents[name] = read_json(folder / name)
        except DataError as error:
            broken = broken or str(error)
    own = model.preprocess is not None
    told = any(_says_template(contents.get(name)) for name in _WITH_TEMPLATE)
    if not (own or told or present & set(_TEMPLATES)):
        missing.append(_TEMPLATES[0])
    if broken is not None:
        yield _failed("processor", broken, f"the file from the model's repository in {folder}")
    elif missing:
        names = ", ".join(missing)
        without = " (or --preprocess NAME)" if _TEMPLATES[0] in missing else ""
        yield _failed(
            "processor", f"no {names} in {folder}", f"hf download OWNER/NAME {' '.join(missing)} "
            f"--local-dir {folder}{without}"
        )  # fmt: skip
    else:
        yield Finding(
            check="checkpoint processor", status="ok", detail="images, tokenizer, chat template"
        )


def _says_template(content: Any) -> bool:
    return isinstance(content, dict) and bool(content.get("chat_template"))
