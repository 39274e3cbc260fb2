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
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.toy_world import SIZE, Counter, Toy, picture


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


def said(*words: Any) -> tuple[str, str]:
    """Standard output and standard error."""
    result = CliRunner().invoke(make_app(str(words[0])), [str(word) for word in words])
    assert result.exit_code == 0
    return result.stdout, result.stderr


@pytest.mark.parametrize("name", ["toy-click-2-0", "toy/click-2"])
@pytest.mark.parametrize("file", ["steps.jsonl", "episode.json"])
def test_a_damaged_episode_is_called_that(folder: Path, name: str, file: str) -> None:
    (folder / "artifacts" / "episodes" / "toy-click-2-0" / file).write_text("{oh", "utf-8")
    with pytest.raises(DataError, match=rf"toy-click-2-0/{file}: (is damaged|cannot be read)"):
        call("show", folder, "--episode", name)


def test_an_episode_that_was_broken_off(folder: Path) -> None:
    (folder / "artifacts" / "episodes" / "toy-click-2-0" / "episode.json").unlink()
    with pytest.raises(DataError, match="holds no finished episode"):
        call("show", folder, "--episode", "toy-click-2-0")


def test_the_record_is_the_truth(folder: Path) -> None:
    file = folder / "artifacts" / "episodes" / "toy-click-2-0" / "episode.json"
    data = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**data, "success": 0.25, "reason": "edited"}), "utf-8")
    out, err = said("show", folder, "--episode", "click-2")
    assert "success 1 (2 clicks)" in out
    assert "episode.json says success 0.25, the run's record 1.0; the record counts" in err
    assert "edited" in err
    out, err = said("replay", folder, "--json")
    assert [row["recorded"] for row in json.loads(out)] == [1.0, 1.0, 1.0]
    assert "the record counts" in err
    _, err = said("show", folder, "--episode", "click-3")
    assert err == ""


def test_turns_that_are_gone_are_remarked_on(folder: Path) -> None:
    file = folder / "artifacts" / "episodes" / "toy-click-2-0" / "steps.jsonl"
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join(lines[:2]) + "\n", "utf-8")
    _, err = said("show", folder, "--episode", "click-2")
    assert "steps.jsonl holds 2 turns, and 3 were recorded" in err


def test_of_repetitions_the_first_is_shown_and_the_others_are_named(
    folder: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    run = screenmark.run(
        "mmbench-gui-l3",
        model="oracle",
        runs_dir=again,
        tasks=("toy/click-2",),
        seeds=2,
        repeats=2,
        concurrency=1,
    )
    out, err = said("show", run.folder.path, "--episode", "toy/click-2")
    assert "toy/click-2 · seed 0" in out
    assert "this is toy-click-2-0 (seed 0, repeat 0); there are also " in err
    assert "toy-click-2-0-2 (seed 0, repeat 1), toy-click-2-1 (seed 1, repeat 0), " in err


def test_an_episode_without_a_reply_says_so(folder: Path, tmp_path: Path) -> None:
    with FakeEndpoint([Act(status=400)]) as endpoint:
        run = screenmark.run(
            "mmbench-gui-l3",
            model="m",
            api_base=(endpoint.url,),
            runs_dir=tmp_path / "refused",
            tasks=("toy/click-2",),
        )
    with pytest.raises(UsageError, match=r"toy/click-2#0 was broken off \(api_error: status 400"):
        call("show", run.folder.path, "--episode", "click-2")


def test_the_command_that_plays_again_is_named_whole(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counter, "broken", 2)
    run = screenmark.run(
        "mmbench-gui-l3", model="oracle", runs_dir=tmp_path / "b", concurrency=1
    ).folder.path
    out, err = said("show", run)
    assert "1 of 3 episodes broke down with their world" in out
    assert "--resume" not in out
    assert err == f"1 failed; ask again about those with: screenmark run --resume {run}\n"


def test_an_export_has_seconds_of_one_meaning(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    call("export", folder, "--to", "json", "--output", file)
    row, *_ = json.loads(file.read_text("utf-8"))
    assert row["seconds"] >= row["episode_seconds"]
    results = json.loads((folder / "results.json").read_text("utf-8"))
    assert results["per_sample"][0]["episode_seconds"] == row["episode_seconds"]
    assert "seconds" not in results["per_sample"][0]


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
    tasks = Toy.tasks
    monkeypatch.setattr(
        Toy, "tasks", lambda self: {id: t for id, t in tasks(self).items() if id != "toy/click-1"}
    )
    for screen in (episodes / "toy-click-2-0" / "screens").iterdir():
        screen.write_bytes(b"no picture")
    gone, *_ = sorted((episodes / "toy-click-3-0" / "screens").iterdir())
    gone.unlink()
    code, text = call("replay", folder, "--json")
    one, two, three = json.loads(text)
    assert code == 1
    assert (one["success"], "no task 'toy/click-1'" in one["trouble"]) == (None, True)
    assert (two["success"], two["trouble"][:20]) == (1.0, "3 were changed since")
    assert (three["success"], three["trouble"]) == (
        1.0,
        f"1 recorded screens are gone ({gone.name})",
    )
    _, text = call("replay", folder)
    assert "2 of 3 episodes show the same screens" in text
    assert "what is wrong" in text
    with pytest.raises(DataError, match="toy/click-1"):
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
