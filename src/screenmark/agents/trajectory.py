"""Trajectories: one folder an episode, with a record a step and every screen once.

    <episode>/episode.json      the task, and how it ended; written last
    <episode>/steps.jsonl       one line a turn
    <episode>/screens/<hash>.png

A folder without ``episode.json`` is of an episode that was broken off; it is begun anew.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from screenmark.agents.base import Decision
from screenmark.agents.episode import Episode
from screenmark.answers.actions import actions_to_json
from screenmark.environments import Observation
from screenmark.errors import DataError, EnvironmentFailure
from screenmark.jsonfile import dump_json, write_atomically
from screenmark.types import Json, Usage

_DIGITS: Final = 16


class StepRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One turn: what was shown, what the agent did, what came of it.

    Attributes:
        step: 1 for the first.
        screen: hash of the picture that the agent was shown, the name of a file in ``screens``.
        actions: as plain JSON.
        error: what was wrong with the turn, as the agent was told.
        after: hash of the picture after the last turn; None otherwise.
    """

    step: int
    screen: str
    width: int
    height: int
    actions: list[Json]
    thought: str = ""
    text: str = ""
    error: str | None = None
    notes: tuple[str, ...] = ()
    tab: int = 0
    seconds: float = 0.0
    usage: Usage | None = None
    after: str | None = None


class Recorder:
    """Writes one trajectory.

    What writes raises EnvironmentFailure if the folder cannot be written: a disk that is full is
    no fault of the agent's.

    Args:
        folder: of the episode; what an earlier try left there is removed.

    Attributes:
        turns: how many are written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.turns = 0
        with self._written():
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "screens").mkdir(parents=True)
            self._steps = (folder / "steps.jsonl").open("wb")

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why = error.strerror or error
            raise EnvironmentFailure(f"{self.folder}: cannot be written ({why})") from None

    def save_screen(self, png: bytes) -> Path:
        """Keep a picture under its hash; where it is."""
        path = self.folder / "screens" / f"{screen_hash(png)}.png"
        with self._written():
            if not path.exists():
                path.write_bytes(png)
        return path

    def add(
        self,
        shown: Observation,
        decision: Decision,
        after: Observation,
        *,
        last: bool,
        seconds: float,
    ) -> None:
        """Write the record of a turn."""
        self.save_screen(shown.screenshot)
        if last:
            self.save_screen(after.screenshot)
        record = StepRecord(
            step=after.step,
            screen=screen_hash(shown.screenshot),
            width=shown.size.width,
            height=shown.size.height,
            actions=actions_to_json(decision.actions),
            thought=decision.thought,
            text=decision.text,
            error=after.error,
            notes=after.notes,
            tab=shown.tab,
            seconds=round(seconds, 3),
            usage=decision.usage,
            after=screen_hash(after.screenshot) if last else None,
        )
        with self._written():
            self._steps.write(msgspec.json.encode(record) + b"\n")
            self._steps.flush()
        self.turns += 1

    def finish(self, episode: Episode) -> None:
        """Write how it ended; from now on the trajectory counts."""
        text = dump_json(msgspec.to_builtins(episode)) + "\n"
        with self._written():
            self._steps.close()
            write_atomically(self.folder / "episode.json", text)

    def abandon(self) -> None:
        """Stop writing; the folder stays unfinished."""
        with suppress(OSError):
            self._steps.close()


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """A finished trajectory, read back."""

    folder: Path
    episode: Episode
    steps: tuple[StepRecord, ...]

    def screen(self, digest: str) -> Path:
        """The file of a picture."""
        return self.folder / "screens" / f"{digest}.png"


def read_trajectory(folder: Path) -> Trajectory:
    """Read the trajectory in a folder.

    Raises:
        DataError: there is no finished one, or a file is damaged.
    """
    try:
        episode = msgspec.json.decode((folder / "episode.json").read_bytes(), type=Episode)
        lines = (folder / "steps.jsonl").read_bytes().splitlines()
    except FileNotFoundError:
        raise DataError("holds no finished episode", file=folder) from None
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"cannot be read: {error}", file=folder / "episode.json") from None
    try:
        steps = tuple(msgspec.json.decode(line, type=StepRecord) for line in lines)
    except msgspec.DecodeError as error:
        raise DataError(f"is damaged: {error}", file=folder / "steps.jsonl") from None
    return Trajectory(folder=folder, episode=episode, steps=steps)


def trajectory_folders(artifacts: Path) -> Iterator[Path]:
    """Folders of finished episodes of a run, by name."""
    for path in sorted((artifacts / "episodes").glob("*/episode.json")):
        yield path.parent


def episode_name(task: str, seed: int, number: int) -> str:
    """Name of an episode's folder; ``number`` counts the repetitions of one task and seed."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", task).strip("-").lower()[:80]
    return f"{slug}-{seed}" + (f"-{number + 1}" if number else "")


def screen_hash(png: bytes) -> str:
    """The name of a picture."""
    return hashlib.sha256(png).hexdigest()[:_DIGITS]
