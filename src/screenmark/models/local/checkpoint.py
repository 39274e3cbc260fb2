"""Loading a checkpoint: which class, where it runs, how it attends."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from screenmark.errors import MissingExtra, ModelError, ScreenmarkError, UsageError
from screenmark.models.base import ModelOptions
from screenmark.models.local.lora import put_on
from screenmark.models.local.pixels import with_pixel_limits
from screenmark.models.local.wrapped import LocalModel

_NEEDS = ("torch", "transformers", "PIL")
_FALLBACK = "AutoModelForImageTextToText"
_REMOTE = (_FALLBACK, "AutoModelForVision2Seq", "AutoModelForCausalLM", "AutoModel")
_CONFIG = "config.json"
_HUB_SECONDS = 10.0
_LONG_ID = 96
"""The hub's limit for an id."""


def check_reference(model: str) -> None:
    """See that a checkpoint can be meant, without loading anything.

    Raises:
        MissingExtra: the packages are not installed.
        UsageError: it is neither a folder with a checkpoint nor an id at the hub.
    """
    if any(find_spec(name) is None for name in _NEEDS):
        raise MissingExtra("--adapter transformers", "local")
    folder = Path(model).expanduser()
    if folder.is_dir():
        if not (folder / _CONFIG).is_file():
            found = ", ".join(sorted(path.name for path in folder.iterdir())[:5]) or "nothing"
            raise UsageError(f"--model {model}: no config.json in this folder, only {found}")
        return
    if folder.exists():
        raise UsageError(f"--model {model}: this is a file; expected the checkpoint's folder")
    first, slash, _ = model.partition("/")
    if slash and Path(first).is_dir():
        # A slip below a folder of the user's; what it is called is nobody's business.
        raise UsageError(
            f"--model {model}: there is no folder {folder.absolute()}; since {first} is a folder "
            "here, the Hugging Face hub is not asked"
        )
    if not _may_be_hub_id(model):
        raise UsageError(
            f"--model {model}: there is no folder {folder.absolute()}, and the name is no "
            "OWNER/NAME of the Hugging Face hub"
        )


def _may_be_hub_id(model: str) -> bool:
    parts = model.split("/")
    plain = all(part and part.replace("-", "").replace(".", "").replace("_", "") for part in parts)
    return (
        len(parts) in {1, 2}
        and plain
        and len(model) <= _LONG_ID
        and not model.startswith((".", "~", os.sep))
    )


def load(options: ModelOptions) -> LocalModel:
    """Processor and weights, on a graphics card if there is one.

    Raises:
        UsageError: it cannot be loaded; says what was tried.
        ModelError: it does not fit into memory.
    """
    import torch
    import transformers
    from transformers.utils import logging

    if logging.is_progress_bar_enabled():
        logging.disable_progress_bar()  # it would write over our own
    model = options.model or ""
    trust = options.trust_remote_code
    place = str(Path(model).expanduser()) if Path(model).expanduser().is_dir() else model
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        if not Path(place).is_dir():
            _ask_the_hub(model)
        config = transformers.AutoConfig.from_pretrained(place, trust_remote_code=trust)
        processor = _processor(place, config, trust)
        processor = with_pixel_limits(processor, options.min_pixels, options.max_pixels)
        kind = _model_class(config, trust)
        weights, attention, notes = _weights(kind, place, options, device)
        if options.lora is not None:
            put_on(weights, options.lora)
        if options.device_map is None:
            weights = weights.to(device)
        weights = weights.eval()
    except ScreenmarkError:
        raise
    except torch.OutOfMemoryError as error:
        raise ModelError(f"{model} does not fit into the memory of {device}: {error}") from None
    except MemoryError:
        raise ModelError(f"{model} does not fit into memory") from None
    except Exception as error:  # whatever many libraries, and the checkpoint's own code, raise
        raise _unloadable(model, place, error) from error
    return LocalModel(weights, processor, attention=attention, notes=notes)


def _ask_the_hub(model: str) -> None:
    """One request whether the checkpoint can be had, unless it is in the hub's cache.

    transformers asks for a dozen files in turn and tries each several times, which takes more
    than a minute where the hub cannot be reached.
    """
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, try_to_load_from_cache

    if not isinstance(try_to_load_from_cache(model, _CONFIG), str):
        get_hf_file_metadata(hf_hub_url(model, _CONFIG), timeout=_HUB_SECONDS)


def free_memory() -> None:
    """Give back what no model holds any more to the graphics card."""
    import gc

    import torch

    if torch.cuda.is_available():
        gc.collect()
        torch.cuda.empty_cache()


def _unloadable(model: str, place: str, error: Exception) -> UsageError:
    said = " ".join(str(error).split())[:600]
    tried = f"the folder {Path(place).absolute()}"
    if not Path(place).is_dir():
        tried = f"the folder {Path(place).absolute()}, which is not there, and {model!r} at the hub"
    hint = ""
    if "trust_remote_code" in said:
        hint = "; --trust-remote-code runs the code that comes with it, if you trust it"
    return UsageError(
        f"--model {model}: cannot be loaded (tried {tried}): {type(error).__name__}: {said}{hint}"
    )


def _model_class(config: Any, trust_remote_code: bool) -> Any:
    """The class that the checkpoint names, if transformers has it; else one that finds out."""
    import transformers

    named = (getattr(config, "architectures", None) or [None])[0]
    found = getattr(transformers, named, None) if named else None
    if found is not None:
        return found
    if trust_remote_code:
        offered = getattr(config, "auto_map", None) or {}
        for name in _REMOTE:
            if name in offered and hasattr(transformers, name):
                return getattr(transformers, name)
    return getattr(transformers, _FALLBACK)


def _weights(
    kind: Any, place: str, options: ModelOptions, device: str
) -> tuple[Any, str, tuple[str, ...]]:
    """The model with the attention that was asked for, or the fastest that can be had.

    Returns:
        The model, the attention, and a note for each faster one that could not be had.
    """
    notes: list[str] = []
    tries = ["sdpa", "eager"] if options.attention == "auto" else [options.attention]
    if options.attention == "auto" and device == "cuda":
        if find_spec("flash_attn") is not None:
            tries.insert(0, "flash_attention_2")
        else:
            notes.append("flash_attention_2: the package flash-attn is not installed")
    where = {} if options.device_map is None else {"device_map": options.device_map}
    while True:
        attention = tries.pop(0)
        try:
            weights = kind.from_pretrained(
                place,
                dtype=options.dtype,
                attn_implementation=attention,
                trust_remote_code=options.trust_remote_code,
                **where,
            )
        except (ImportError, ValueError) as error:
            # The class says so before it reads any weights.
            if attention.split("_")[0] not in str(error).lower():
                raise
            said = " ".join(str(error).split())[:200]
            if not tries:
                raise UsageError(
                    f"--attention {attention}: not with this checkpoint on this machine ({said}); "
                    "auto takes the fastest that is there"
                ) from None
            notes.append(f"{attention}: {said}")
        else:
            return weights, attention, tuple(notes)


def _processor(place: str, config: Any, trust_remote_code: bool) -> Any:
    import transformers

    if find_spec("torchvision") is None:
        kind = _with_videos(config)
        if kind is not None:
            return _still_processor(kind, place, trust_remote_code)
    return transformers.AutoProcessor.from_pretrained(place, trust_remote_code=trust_remote_code)


def _with_videos(config: Any) -> Any:
    """The model's class of processor if it takes videos too, which needs torchvision."""
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

    name = PROCESSOR_MAPPING_NAMES.get(getattr(config, "model_type", None))
    kind = getattr(transformers, name, None) if name else None
    attributes = set(kind.get_attributes()) if kind is not None else set()
    return kind if attributes == {"image_processor", "tokenizer", "video_processor"} else None


def _still_processor(kind: Any, place: str, trust_remote_code: bool) -> Any:
    """The processor without its part for videos, which screenshots have no use for."""
    import transformers

    class StillProcessor(kind):  # type: ignore[misc]
        """A processor whose video part may be missing."""

        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument is None and argument_name == "video_processor":
                return type(None)
            return super().check_argument_for_proper_class(argument_name, argument)

    StillProcessor.__name__ = StillProcessor.__qualname__ = kind.__name__
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        place, trust_remote_code=trust_remote_code
    )
    images = transformers.AutoImageProcessor.from_pretrained(
        place, trust_remote_code=trust_remote_code
    )
    try:
        template = kind.get_processor_dict(place)[0].get("chat_template")
    except OSError:  # older checkpoints have no file of the processor's own
        template = None
    return StillProcessor(
        image_processor=images,
        tokenizer=tokenizer,
        video_processor=None,
        chat_template=template or tokenizer.chat_template,
    )
