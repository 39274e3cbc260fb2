"""``screenmark replay``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screenmark.cli.shared import AsJson, Format, RunPath, RunsDir, chosen_format, open_run

if TYPE_CHECKING:
    from screenmark.agents.replay import Replay
    from screenmark.agents.trajectory import Trajectory
    from screenmark.environments import World

_SHOWN = 5

HELP = """\b
Examples:
  screenmark replay
  screenmark replay runs/miniwob-oracle-0123456789 \\
      --episode miniwob-click-test-0

Does the recorded actions of a run's episodes again and compares every screen with the recorded
one. The exit code is 1 if a verdict is another one than recorded, or if an episode cannot be
played again. Episodes that were broken off hold no finished record and are left out.
"""


def command(
    run: RunPath = None,
    episode: Annotated[
        str | None, typer.Option(help="Only this episode: its folder's name, or its sample's id.")
    ] = None,
    runs_dir: RunsDir = Path("runs"),
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    import msgspec

    from screenmark.agents.trajectory import read_trajectory, trajectory_folders
    from screenmark.cli.episodes import as_recorded, find_episode, recorded_episodes
    from screenmark.engine import Run
    from screenmark.errors import UsageError
    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    opened = Run(*open_run(run, runs_dir))
    if episode is not None:
        trajectories = [find_episode(opened, episode)]
    else:
        folders = trajectory_folders(opened.folder.artifacts)
        read = [read_trajectory(folder) for folder in folders]
        trajectories = as_recorded(read, recorded_episodes(opened))
        _tell_of_unfinished(opened.folder.artifacts)
    if not trajectories:
        raise UsageError(f"{opened.folder}: this run has no finished episodes to replay")
    found = asyncio.run(_replay_all(trajectories))
    data = [msgspec.to_builtins(one) for one in found]
    typer.echo(render([_table(found)], data, shape), nl=False)
    if any(one.success != one.recorded for one in found):
        raise typer.Exit(1)


def _tell_of_unfinished(artifacts: Path) -> None:
    """Say on standard error which episodes' folders hold no finished record."""
    folders = (path for path in (artifacts / "episodes").glob("*") if path.is_dir())
    names = sorted(path.name for path in folders if not (path / "episode.json").exists())
    if names:
        shown = ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")
        typer.echo(f"broken off, not played again: {len(names)} ({shown})", err=True)


async def _replay_all(trajectories: list[Trajectory]) -> list[Replay]:
    from screenmark.agents.replay import not_played
    from screenmark.errors import DataError, EnvironmentFailure, UsageError

    worlds: dict[str, World] = {}
    found = []
    try:
        for trajectory in trajectories:
            try:
                found.append(await _replay_one(trajectory, worlds))
            except (DataError, EnvironmentFailure, UsageError) as error:
                if len(trajectories) == 1:
                    raise
                found.append(not_played(trajectory, str(error)))
    finally:
        for world in worlds.values():
            await world.close()
    return found


async def _replay_one(trajectory: Trajectory, worlds: dict[str, World]) -> Replay:
    from screenmark.agents.replay import replay
    from screenmark.environments import world_class
    from screenmark.environments.registry import world_of

    name = world_of(trajectory.episode.task)
    if name not in worlds:
        world = world_class(name)()
        await world.start()
        worlds[name] = world
    return await replay(trajectory, worlds[name])


def _table(found: list[Replay]) -> Any:
    from screenmark.types import Table

    rows: list[tuple[str | int | float | None, ...]] = []
    troubles = any(one.trouble for one in found)
    columns = ("episode", "steps", "differs at", "pixels %", "was", "now")
    for one in found:
        where = "" if one.differs_at is None else f"step {one.differs_at}"
        now = "" if one.success is None else f"{one.success:g}"
        row = (one.episode, one.steps, where, one.changed, f"{one.recorded:g}", now)
        rows.append((*row, one.trouble) if troubles else row)
    same = sum(one.differs_at is None and one.success is not None for one in found)
    return Table(
        title=f"Replay · {same} of {len(found)} episodes show the same screens throughout",
        columns=(*columns, "what is wrong") if troubles else columns,
        rows=tuple(rows),
    )
