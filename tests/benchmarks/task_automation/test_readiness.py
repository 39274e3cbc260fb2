"""A machine on which no episode can be played says so once, before anything is written."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.environments import registry
from screenmark.environments.miniwob import pages
from screenmark.environments.web_apps import world as web_apps
from screenmark.errors import EnvironmentFailure, MissingExtra
from screenmark.models.base import AsyncAdapter
from screenmark.types import Reply, Request
from tests.support.toy_world import Toy


class Untouched(AsyncAdapter):
    """A model that must not be asked, nor even made ready."""

    name = "untouched"

    async def start(self) -> None:
        raise AssertionError("made ready before the world was looked at")

    async def generate(self, request: Request) -> Reply:
        raise AssertionError("asked before the world was looked at")


OURS = f"{Untouched.__module__}:{Untouched.__name__}"


def no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCREENMARK_CHROMIUM", str(tmp_path / "no-browser"))


def another_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "no-browser"
    other.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    other.chmod(0o755)
    monkeypatch.setenv("SCREENMARK_CHROMIUM", str(other))


def no_chromium(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SCREENMARK_CHROMIUM", raising=False)
    monkeypatch.setattr("screenmark.rendering.chromium._NAMES", ("no-such-browser",))
    monkeypatch.setattr("screenmark.rendering.chromium._PLACES", ())


def no_playwright(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)


def no_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    pages.html_folder.cache_clear()
    pages.page_names.cache_clear()


def no_application(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(web_apps, "find_spec", lambda _: None)


MINIWOB = ("miniwob", {"tasks": ("miniwob/click-test", "miniwob/click-tab")})
WEB = ("mmbench-gui-l3", {"tasks": ("miniwob/click-test", "webapps/fava-add-note")})


@pytest.mark.parametrize(
    ("broken", "command", "kind", "words"),
    [
        pytest.param(no_program, MINIWOB, EnvironmentFailure, "SCREENMARK_CHROMIUM", id="path"),
        pytest.param(another_program, MINIWOB, EnvironmentFailure, "not start", id="program"),
        pytest.param(no_chromium, MINIWOB, EnvironmentFailure, "apt-get install", id="none"),
        pytest.param(no_playwright, MINIWOB, MissingExtra, r"screenmark\[env\]", id="playwright"),
        pytest.param(no_pages, MINIWOB, MissingExtra, r"screenmark\[env\]", id="miniwob"),
        pytest.param(no_application, WEB, EnvironmentFailure, r"screenmark\[webapps\]", id="app"),
    ],
)
def test_one_error_and_no_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    broken: Any,
    command: tuple[str, dict[str, Any]],
    kind: type[Exception],
    words: str,
) -> None:
    runs = tmp_path / "runs"
    benchmark, options = command
    try:
        with monkeypatch.context() as patched:
            broken(patched, tmp_path)
            for _ in range(2):
                with pytest.raises(kind, match=words) as caught:
                    screenmark.run(benchmark, adapter=OURS, runs_dir=runs, **options)
                assert caught.value.exit_code == 2  # type: ignore[attr-defined]
    finally:
        pages.html_folder.cache_clear()
        pages.page_names.cache_clear()
    assert not runs.exists()


def test_a_run_that_goes_on_keeps_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(registry.WORLDS):
        monkeypatch.delitem(registry.WORLDS, name)
    monkeypatch.setitem(registry.WORLDS, "toy", "tests.support.toy_world:Toy")
    tasks = ("toy/click-1", "toy/click-2")
    options: dict[str, Any] = {"model": "random", "tasks": tasks, "runs_dir": tmp_path}
    first = screenmark.run("mmbench-gui-l3", **options)
    records = first.folder.records
    records.write_bytes(records.read_bytes().splitlines(keepends=True)[0])
    first.folder.results.unlink()

    async def broken(self: Toy) -> None:
        raise EnvironmentFailure("there is no world")

    with monkeypatch.context() as patched:
        patched.setattr(Toy, "start", broken)
        with pytest.raises(EnvironmentFailure, match="no world"):
            screenmark.run("mmbench-gui-l3", **options)
    again = screenmark.run("mmbench-gui-l3", **options)
    assert (again.folder.path, again.resumed) == (first.folder.path, 1)
    assert again.results["outcomes"] == {"ok": 2}
