"""Fixtures that several rooms share."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from screenmark.engine import job
from screenmark.engine.retry import RetryPolicy

settings.register_profile("clockless", deadline=None)  # no test depends on the clock
settings.load_profile("clockless")


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backoff in milliseconds, so that tests of retries do not wait."""
    monkeypatch.setattr(job, "RetryPolicy", functools.partial(RetryPolicy, base=0.002, cap=0.05))


@pytest.fixture
def own_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget modules of the names that tests give theirs, and the path that led to them."""

    def forget() -> None:
        for name in list(sys.modules):
            if name.partition(".")[0] in {"mine", "lab"}:
                del sys.modules[name]

    monkeypatch.setattr(sys, "path", list(sys.path))
    forget()
    yield
    forget()


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny checkpoint with random weights, by the name of its family."""
    from tests.support.checkpoint import save_checkpoint

    return save_checkpoint(tmp_path_factory.mktemp("weights") / "Qwen2.5-VL-tiny")


@pytest.fixture
def in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory without the user's keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
