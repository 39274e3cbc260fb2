"""``show --episode`` and ``replay``, over a world of one number."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

import screenmark
from screenmark.cli.app import make_app
from screenmark.environments import View, registry
from screenmark.errors import DataError, UsageError
from tests.support.toy_world import SIZE, Counter, picture


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


def test_a_replay_of_what_is_no_longer_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that is gone, a screen that was painted over, one that is gone."""
    episodes = folder / "artifacts" / "episodes"
    file = episodes / "toy-click-1-0" / "episode.json"
    file.write_text(file.read_text("utf-8").replace("toy/click-1", "toy/click-9"), "utf-8")
    for screen in (episodes / "toy-click-2-0" / "screens").iterdir():
        screen.write_bytes(b"no picture")
    gone, *_ = sorted((episodes / "toy-click-3-0" / "screens").iterdir())
    gone.unlink()
    code, text = call("replay", folder, "--json")
    one, two, three = json.loads(text)
    assert code == 1
    assert (one["success"], "no task 'toy/click-9'" in one["trouble"]) == (None, True)
    assert (two["success"], two["trouble"][:20]) == (1.0, "3 were changed since")
    assert (three["success"], three["trouble"]) == (
        1.0,
        f"1 recorded screens are gone ({gone.name})",
    )
    _, text = call("replay", folder)
    assert "2 of 3 episodes show the same screens" in text
    assert "what is wrong" in text
    with pytest.raises(DataError, match="toy/click-9"):
        call("replay", folder, "--episode", "toy-click-1-0")
    monkeypatch.setattr(Counter, "_look", another_screen)
    _, text = call("replay", folder, "--episode", "toy-click-2-0", "--json")
    assert [(row["differs_at"], row["changed"]) for row in json.loads(text)] == [(1, None)]


def test_a_replay_says_what_was_broken_off(folder: Path) -> None:
    (folder / "artifacts" / "episodes" / "toy-click-8-0").mkdir()
    result = CliRunner().invoke(make_app("replay"), ["replay", str(folder)])
    assert result.exit_code == 0
    assert "broken off, not played again: 1 (toy-click-8-0)" in result.stderr


def test_a_replay_of_a_world_that_is_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(registry.WORLDS, "toy")
    code, text = call("replay", folder)
    assert code == 1
    assert text.count("unknown world 'toy'") == 3


async def another_screen(self: Counter) -> View:
    return View(screenshot=picture(self.clicks + 3), size=SIZE)
