"""What tells the weights of a local model apart: the checkpoint's, and a LoRA adapter's on top."""

from __future__ import annotations

from pathlib import Path

from screenmark.models.base import ModelOptions
from screenmark.models.local.fingerprint import fingerprint


def weights_fingerprint(options: ModelOptions) -> str | None:
    """A hash of what lies in the folders of these names; None for an id at the hub."""
    parts = []
    folder = Path(options.model or "").expanduser()
    if folder.is_dir():
        parts.append(fingerprint(folder))
    if options.lora is not None:
        adapter = Path(options.lora).expanduser()
        if adapter.is_dir():
            parts.append(f"lora {fingerprint(adapter)}")
    return " ".join(parts) or None
