"""Which adapter has which of the options for local models."""

from __future__ import annotations

from typing import Final

from screenmark.errors import UsageError
from screenmark.models.base import ModelOptions

_BOTH: Final = ("transformers", "vllm")
_WHOSE: Final = {
    "lora": _BOTH,
    "dtype": _BOTH,
    "min_pixels": _BOTH,
    "max_pixels": _BOTH,
    "batch_size": _BOTH,
    "workers": _BOTH,
    "attention": ("transformers",),
    "device_map": ("transformers",),
    "engine_args": ("vllm",),
}


def check_adapter_has(options: ModelOptions, adapter: str) -> None:
    """Refuse an option that would do nothing.

    Raises:
        UsageError: an option for a local model is given to another adapter.
    """
    nothing = ModelOptions()
    for name, whose in _WHOSE.items():
        if getattr(options, name) != getattr(nothing, name) and adapter not in whose:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{flag} is for --adapter {' or '.join(whose)}, not {adapter}")
