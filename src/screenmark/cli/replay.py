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

HELP = """\b
Examples:
  screenmark replay
  screenmark replay runs/miniwob-oracle-0123456789 --episode miniwob-click-test-0

Does the recorded actions of a run's episodes again and compares every screen with the recorded
one. The exit code is 1 if a verdict is another one than recorded.
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
    from screenmark.cli.episodes import find_episode
    from screenmark.engine import Run
    from screenmark.errors import UsageError
    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    opened = Run(*open_run(run, runs_dir))
    if episode is not None:
        trajectories = [find_episode(opened, episode)]
    else:
        folders = trajectory_folders(opened.folder.artifacts)
        trajectories = [read_trajectory(folder) for folder in folders]
    if not trajectories:
        raise UsageError(f"{opened.folder}: this run has no finished episodes to replay")
    found = asyncio.run(_replay_all(trajectories))
    data = [msgspec.to_builtins(one) for one in found]
    typer.echo(render([_table(found)], data, shape), nl=False)
    if any(one.success != one.recorded for one in found):
        raise typer.Exit(1)


async def _replay_all(trajectories: list[Trajectory]) -> list[Replay]:
    from screenmark.agents.replay import replay
    from screenmark.environments import World, world_class

    worlds: dict[str, World] = {}
    found = []
    try:
        for trajectory in trajectories:
            name = trajectory.episode.task.partition("/")[0]
            if name not in worlds:
                worlds[name] = world_class(name)()
                await worlds[name].start()
            found.append(await replay(trajectory, worlds[name]))
    finally:
        for world in worlds.values():
            await world.close()
    return found


def _table(found: list[Replay]) -> Any:
    from screenmark.types import Table

    rows = []
    for one in found:
        where = "" if one.differs_at is None else f"step {one.differs_at}"
        was, now = f"{one.recorded:g}", f"{one.success:g}"
        rows.append((one.episode, one.steps, where, one.changed, was, now))
    same = sum(one.differs_at is None for one in found)
    return Table(
        title=f"Replay · {same} of {len(found)} episodes show the same screens throughout",
        columns=("episode", "steps", "differs at", "pixels %", "was", "now"),
        rows=tuple(rows),
    )
