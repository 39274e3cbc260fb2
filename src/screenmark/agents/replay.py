"""Recorded actions once more against the environment, and where the screens first differ."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec

from screenmark.agents.patience import within_patience
from screenmark.agents.trajectory import Trajectory, screen_hash
from screenmark.answers.actions import actions_from_json
from screenmark.environments import World
from screenmark.errors import DataError


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a replay.

    Attributes:
        steps: turns that were done again.
        differs_at: the first step before which the screen is another one than was recorded, the
            number of steps plus 1 for the last screen; None if none differs.
        changed: share of the pixels that differ there; None if the sizes do.
        recorded: success as recorded; ``success`` as it is now, None if it was not played.
        trouble: why it could not be played, or what is wrong with the recorded screens; empty
            if nothing is.
    """

    episode: str
    task: str
    seed: int
    steps: int
    differs_at: int | None
    changed: float | None
    recorded: float
    success: float | None
    trouble: str = ""


def not_played(trajectory: Trajectory, why: str) -> Replay:
    """What there is to say of a trajectory that cannot be played again."""
    episode = trajectory.episode
    return Replay(
        episode=trajectory.folder.name,
        task=episode.task,
        seed=episode.seed,
        steps=0,
        differs_at=None,
        changed=None,
        recorded=episode.success,
        success=None,
        trouble=why,
    )


async def replay(trajectory: Trajectory, world: World) -> Replay:
    """Play a trajectory's actions in a started world.

    Raises:
        DataError: the world has no such task any more, or the record is damaged.
        EnvironmentFailure: the world broke down.
    """
    episode = trajectory.episode
    task = world.tasks().get(episode.task)
    if task is None:
        raise DataError(f"there is no task {episode.task!r} any more", file=trajectory.folder)
    environment = world.environment(episode.budget)
    differs: tuple[int, float | None] | None = None
    done, success = 0, 0.0
    try:
        observation = await environment.reset(task, episode.seed)
        for record in trajectory.steps:
            now = observation.screenshot
            if differs is None and screen_hash(now) != record.screen:
                differs = record.step, _changed(trajectory.screen(record.screen), now)
            try:
                actions = within_patience(actions_from_json(record.actions))
            except msgspec.ValidationError as error:
                raise DataError(
                    f"step {record.step}: {error}", file=trajectory.folder / "steps.jsonl"
                ) from None
            step = await environment.step(actions)
            observation, done = step.observation, done + 1
            if step.terminated or step.truncated:
                success = step.reward
                break
        last = trajectory.steps[-1].after if trajectory.steps else None
        if differs is None and last is not None and screen_hash(observation.screenshot) != last:
            differs = done + 1, _changed(trajectory.screen(last), observation.screenshot)
    finally:
        await environment.close()
    return Replay(
        episode=trajectory.folder.name,
        task=episode.task,
        seed=episode.seed,
        steps=done,
        differs_at=None if differs is None else differs[0],
        changed=None if differs is None else differs[1],
        recorded=episode.success,
        success=success,
        trouble=_damage(trajectory),
    )


def _damage(trajectory: Trajectory) -> str:
    """Which recorded screens are gone or are no longer what their names say."""
    named = [digest for step in trajectory.steps for digest in (step.screen, step.after) if digest]
    gone, changed = [], []
    for digest in dict.fromkeys(named):
        try:
            content = trajectory.screen(digest).read_bytes()
        except OSError:
            gone.append(digest)
        else:
            if screen_hash(content) != digest:
                changed.append(digest)
    parts = [f"{len(gone)} recorded screens are gone ({gone[0]}.png)"] if gone else []
    if changed:
        parts.append(f"{len(changed)} were changed since ({changed[0]}.png)")
    return "; ".join(parts)


def _changed(recorded: Path, now: bytes) -> float | None:
    """Share of the pixels that are not equal; None if there is nothing to compare with."""
    import numpy as np
    from PIL import Image

    try:
        content = recorded.read_bytes()
    except OSError:
        return None
    if screen_hash(content) != recorded.stem:
        return None
    with Image.open(io.BytesIO(content)) as one, Image.open(io.BytesIO(now)) as other:
        if one.size != other.size:
            return None
        pixels = [np.asarray(image.convert("RGB")) for image in (one, other)]
    return float((pixels[0] != pixels[1]).any(axis=2).mean())
