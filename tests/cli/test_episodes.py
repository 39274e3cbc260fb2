"""``show --episode`` and ``replay``, over a world of one number."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

import screenmark
from screenmark.cli.app import make_app
from screenmark.environments import registry
from screenmark.errors import UsageError
from tests.support.toy_world import Counter


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(registry.WORLDS):
        monkeypatch.delitem(registry.WORLDS, name)
    monkeypatch.setitem(registry.WORLDS, "toy", "tests.support.toy_world:Toy")
    return screenmark.run("mmbench-gui-l3", model="oracle", runs_dir=tmp_path).folder.path


def call(*words: Any) -> tuple[int, str]:
    result = CliRunner().invoke(make_app(str(words[0])), [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


@pytest.mark.parametrize("name", ["toy-click-2-0", "toy/click-2", "click-2#0"])
def test_an_episode_by_any_of_its_names(folder: Path, name: str) -> None:
    code, text = call("show", folder, "--episode", name)
    assert code == 0
    assert "click (0.500, 0.500)" in text
    assert "success 1 (2 clicks); ended by the agent, claimed done after 3 of 15" in text


def test_an_episode_as_json_and_as_a_picture(folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "sheet.png"
    _, text = call("show", folder, "--episode", "click-3", "--picture", picture, "--json")
    data = json.loads(text)
    assert data["episode"]["task"] == "toy/click-3"
    assert [step["step"] for step in data["steps"]] == [1, 2, 3, 4]
    with Image.open(picture) as sheet:
        assert sheet.width > 4 * 400


@pytest.mark.parametrize(("name", "words"), [("0", "could be"), ("none", "no such episode")])
def test_an_episode_that_is_not_one(folder: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        call("show", folder, "--episode", name)


def test_a_replay_shows_the_same_screens(folder: Path) -> None:
    code, text = call("replay", folder)
    assert code == 0
    assert "3 of 3 episodes show the same screens" in text


def test_a_replay_says_where_screens_differ(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = Counter._perform

    async def twice(self: Counter, action: Any) -> None:
        await look(self, action)
        await look(self, action)

    monkeypatch.setattr(Counter, "_perform", twice)
    code, text = call("replay", folder, "--episode", "click-2", "--json")
    (one,) = json.loads(text)
    assert code == 1
    assert (one["differs_at"], one["changed"], one["recorded"], one["success"]) == (
        2,
        1.0,
        1.0,
        0.0,
    )
