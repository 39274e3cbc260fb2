"""The plain-Python oracle of the benchmark, for tests to compare with."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

settings.register_profile("metrics", deadline=None)  # no test depends on the clock
settings.load_profile("metrics")

_ORACLE = Path(__file__).parents[2] / "bench" / "reference_matching.py"


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    """``bench/reference_matching.py`` as a module."""
    spec = importlib.util.spec_from_file_location("reference_matching", _ORACLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
