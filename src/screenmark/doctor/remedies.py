"""What mends an error, by its kind and by what was looked at when it was raised."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from screenmark.doctor.finding import Finding
from screenmark.errors import (
    CredentialsError,
    DataError,
    ImageError,
    MissingExtra,
    ScreenmarkError,
    StageError,
    UsageError,
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
    if isinstance(error, StageError):
        return "the function that is named; --code-dir says where it is imported from"
    if isinstance(error, ImageError) or "none of its images" in said:
        return IMAGE_DIR
    if known := next((remedy for words, remedy in _BY_WORDS if words in said), None):
        return known
    if found := _COMMAND.search(said):
        return found[0]
    if isinstance(error, DataError) and error.file is not None and Path(error.file).exists():
        return f"mend {error.file}, or name another one"
    if isinstance(error, UsageError) and (usage := _for_usage(said)) is not None:
        return usage
    return _BY_CHECK.get(check, _BY_CHECK["options"])


_BY_WORDS = (
    ("unknown benchmark", _BY_CHECK["benchmark"]),
    ("unknown adapter", "--adapter NAME, one of these"),
    ("no model:", "--model NAME; see: screenmark list models"),
    ("no endpoint for", "--api-base URL, --preset NAME or --adapter openai"),
    ("vLLM is not installed", "pip install vllm"),
)
_FLAG = re.compile(r"--[a-z][a-z-]*[a-z]")
_MEANT = re.compile(r"did you mean '(\w+)'")
_FUNCTIONS = frozenset({"--build-prompt", "--parse-function", "--preprocess", "--postprocess"})


def _for_usage(said: str) -> str | None:
    """The option that a message starts with, or that it guesses was meant."""
    if found := _MEANT.search(said):
        return "--" + found[1].replace("_", "-")
    if (flag := _FLAG.match(said)) is None:
        return None
    if flag[0] == "--model":
        return "--model DIR that holds a whole checkpoint, or OWNER/NAME at the Hugging Face hub"
    if flag[0] == "--profile":
        return _BY_CHECK["profile"]
    if flag[0] in _FUNCTIONS:
        return f"{flag[0]} module.function, --code-dir DIR where the module is"
    return f"{flag[0]} with another value, or left out; see: screenmark run --help"


_USUAL_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "dashscope": "DASHSCOPE_API_KEY"}


def key_remedy(model: ModelOptions | None) -> str:
    """Where a key is set."""
    usual = _USUAL_KEYS.get((model and model.adapter) or "", "OPENAI_API_KEY")
    variable = key_variable(model, usual) if model is not None else usual
    return f"export {variable}=…, or --api-key KEY" if variable else "--api-key KEY"
