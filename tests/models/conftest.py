"""Tiny checkpoints of several families."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def qwen3_vl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Qwen3-VL with random weights."""
    from tests.support.families import save_qwen3_vl

    return save_qwen3_vl(tmp_path_factory.mktemp("weights") / "Qwen3-VL-tiny")


@pytest.fixture(scope="session")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny LLaVA with random weights."""
    from tests.support.families import save_llava

    return save_llava(tmp_path_factory.mktemp("weights") / "llava-tiny")
