"""Scripts that run in pages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def script(name: str) -> str:
    """Text of a script of this folder, as ``busy.js``."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
