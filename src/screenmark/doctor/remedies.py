"""What mends an error, by its kind and by what was looked at when it was raised."""

from __future__ import annotations

import re
from typing import Final

from screenmark.doctor.finding import Finding
from screenmark.errors import (
    CredentialsError,
    DataError,
    ImageError,
    MissingExtra,
    ScreenmarkError,
    StageError,
)
from screenmark.models import ModelOptions
from screenmark.models.presets import key_variable

_COMMAND = re.compile(r"screenmark (?:data|list|run|calibrate) [\w .-]*[\w-]|pip install '[^']*'")
_BY_CHECK = {
    "options": "the option named; see: screenmark run --help",
    "benchmark": "another one; see: screenmark list benchmarks",
    "model": "--api-base URL, --preset NAME or --adapter NAME; see: screenmark list models",
    "profile": "--profile NAME; see: screenmark list profiles",
    "data": "--annotation FILE or --data DIR; see: screenmark data list",
}


IMAGE_DIR: Final = "--image-dir DIR, the folder that image paths are relative to"


def failed(check: str, error: ScreenmarkError, model: ModelOptions | None = None) -> Finding:
    """An error as a finding, with what mends it."""
    return Finding(
        check=check, status="failed", detail=str(error), remedy=_remedy(check, error, model)
    )


def _remedy(check: str, error: ScreenmarkError, model: ModelOptions | None) -> str:
    said = str(error)
    if isinstance(error, MissingExtra):
        return f"pip install 'screenmark[{error.extra}]'"
    if isinstance(error, CredentialsError):
        return key_remedy(model)
    if "unknown benchmark" in said:
        return _BY_CHECK["benchmark"]
    if isinstance(error, StageError):
        return "the function that is named; --code-dir says where it is imported from"
    if isinstance(error, ImageError) or "none of its images" in said:
        return IMAGE_DIR
    if found := _COMMAND.search(said):
        return found[0]
    if isinstance(error, DataError) and error.file is not None and check != "benchmark":
        return f"mend {error.file}, or name another file"
    return _BY_CHECK.get(check, _BY_CHECK["options"])


_USUAL_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "dashscope": "DASHSCOPE_API_KEY"}


def key_remedy(model: ModelOptions | None) -> str:
    """Where a key is set."""
    usual = _USUAL_KEYS.get((model and model.adapter) or "", "OPENAI_API_KEY")
    variable = key_variable(model, usual) if model is not None else usual
    return f"export {variable}=…, or --api-key KEY" if variable else "--api-key KEY"
