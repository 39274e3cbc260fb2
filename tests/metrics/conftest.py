"""The plain-Python oracle of the benchmark, for tests to compare with."""

from __future__ import annotations

from types import ModuleType

import pytest

from bench import reference_matching


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    """``bench/reference_matching.py``, written down plainly from the definitions."""
    return reference_matching
