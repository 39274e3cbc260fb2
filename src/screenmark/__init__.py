"""Screenmark measures what a model can do with a screen.

The names below load on first use, so that ``import screenmark`` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from screenmark.engine import Run, run

__version__ = "0.1.0"

__all__ = ["Run", "__version__", "run"]

_HOME = {"Run": "screenmark.engine", "run": "screenmark.engine"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'screenmark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
