"""Worlds by name: ours, and those that other packages offer."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from screenmark.environments import registry
from screenmark.environments.registry import world_class, world_names, world_of
from screenmark.errors import UsageError
from tests.support.toy_world import Toy


def offer(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    point = EntryPoint(name, value, registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [point])


def test_a_world_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "toy", "tests.support.toy_world:Toy")
    assert world_class("toy") is Toy
    assert world_names() == ["miniwob", "webapps", "toy"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("toy", "tests.support.no_module:Toy", "cannot be loaded"),
        ("toy", "tests.support.toy_world:No", "cannot be loaded"),
        ("toy", "tests.support.toy_world:picture", "no subclass of World"),
        ("other", "tests.support.toy_world:Toy", "calls itself 'toy'"),
    ],
)
def test_what_is_no_world(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    offer(monkeypatch, name, value)
    with pytest.raises(UsageError, match=said):
        world_class(name)


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="did you mean 'miniwob'"):
        world_class("miniwop")


@pytest.mark.parametrize(
    ("id", "world"),
    [
        ("miniwob/click-test", "miniwob"),
        ("webapps", "webapps"),
        ("a/b.toml:fava-x", "a/b.toml"),
        ("a/b.toml", "a/b.toml"),
        ("b.toml:fava-x.toml", "b.toml"),
    ],
)
def test_the_world_of_a_task(id: str, world: str) -> None:
    assert world_of(id) == world
