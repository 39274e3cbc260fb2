"""Checks of tasks, on a world of one number that can be made to cheat."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from screenmark.cli.app import make_app
from screenmark.environments import Verdict, registry
from screenmark.environments.checking import Check, check_task
from screenmark.errors import UsageError
from tests.support.toy_world import Counter, Toy, picture


def checks() -> list[Check]:
    world = Toy()
    return asyncio.run(check_task(world, world.tasks()["toy/click-2"], range(2)))


def test_a_good_task_passes() -> None:
    found = checks()
    assert [one.check for one in found] == ["oracle", "oracle", "idle", "mistake", "reset"]
    assert all(one.passed for one in found)
    assert found[0].steps == 3


async def _always(self: Counter, *, final: bool) -> Verdict:
    return Verdict(success=1.0, reason="a gift")


async def _never(self: Counter, *, final: bool) -> Verdict:
    return Verdict(reason="never")


def _another_screen() -> Any:
    count = iter(range(1000))
    look = Counter._look

    async def drift(self: Counter) -> Any:
        return msgspec.structs.replace(await look(self), screenshot=picture(next(count)))

    return drift


@pytest.mark.parametrize(
    ("method", "fault", "failed"),
    [
        ("_verdict", lambda: _always, {"idle", "mistake"}),
        ("_verdict", lambda: _never, {"oracle"}),
        ("_look", _another_screen, {"reset"}),
    ],
    ids=["for-free", "impossible", "drifts"],
)
def test_a_bad_task_fails(
    monkeypatch: pytest.MonkeyPatch, method: str, fault: Callable[[], Any], failed: set[str]
) -> None:
    monkeypatch.setattr(Counter, method, fault())
    assert {one.check for one in checks() if one.passed is False} == failed


def test_a_world_that_breaks_down_has_not_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "broken", 1)
    first, *rest = checks()
    assert (first.passed, first.detail) == (False, "the browser broke down")
    assert all(one.passed for one in rest)


@pytest.fixture
def toy_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(registry.WORLDS):
        monkeypatch.delitem(registry.WORLDS, name)
    monkeypatch.setitem(registry.WORLDS, "toy", "tests.support.toy_world:Toy")


@pytest.mark.usefixtures("toy_only")
def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(make_app("env"), ["env", "check"])
    assert done.exit_code == 0
    assert "3 tasks · 0 of 18 checks failed" in done.stdout
    assert done.stderr.splitlines()[-1] == "3/3 toy/click-3: passed"
    monkeypatch.setattr(Counter, "_verdict", _never)
    bad = CliRunner().invoke(make_app("env"), ["env", "check", "toy/click-1", "--json"])
    assert bad.exit_code == 1
    assert [one["passed"] for one in json.loads(bad.stdout)][:3] == [False] * 3


@pytest.mark.usefixtures("toy_only")
def test_a_task_that_there_is_not() -> None:
    done = CliRunner().invoke(make_app("env"), ["env", "check", "toy/none"])
    assert isinstance(done.exception, UsageError)
