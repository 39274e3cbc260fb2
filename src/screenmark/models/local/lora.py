"""LoRA adapters on top of a checkpoint, through peft."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from screenmark.errors import MissingExtra, UsageError

_SETTINGS = "adapter_config.json"


def check_lora(reference: str, *, needs_peft: bool = True) -> Path | None:
    """See that an adapter can be meant, without loading it.

    Args:
        needs_peft: whether it is peft that will load it.

    Returns:
        Its folder; None for an id at the hub.

    Raises:
        MissingExtra: peft is not installed.
        UsageError: it is no folder with an adapter in it.
    """
    if needs_peft and find_spec("peft") is None:
        raise MissingExtra("--lora", "local")
    folder = Path(reference).expanduser()
    if folder.is_dir():
        if not (folder / _SETTINGS).is_file():
            raise UsageError(
                f"--lora {reference}: no {_SETTINGS} in this folder; expected what peft saves"
            )
        return folder
    if folder.exists() or reference.count("/") != 1 or reference.startswith((".", "/", "~")):
        raise UsageError(f"--lora {reference}: there is no folder {folder.absolute()}")
    return None


def put_on(weights: Any, reference: str) -> None:
    """Load an adapter into a model; its matrices are added at run time, not merged.

    Raises:
        UsageError: it is not an adapter of this model.
    """
    folder = check_lora(reference)
    try:
        found = weights.load_adapter(str(folder) if folder else reference)
    except Exception as error:  # whatever several libraries raise
        said = " ".join(str(error).split())[:400]
        raise UsageError(
            f"--lora {reference}: cannot be put on this checkpoint, {type(error).__name__}: {said}"
        ) from error
    strange = sorted(getattr(found, "unexpected_keys", None) or ())
    missing = sorted(key for key in getattr(found, "missing_keys", None) or () if "lora" in key)
    if strange or missing:
        which = f"it has {strange[0]}" if strange else f"it lacks {missing[0]}"
        raise UsageError(f"--lora {reference}: is of another model, {which}")
