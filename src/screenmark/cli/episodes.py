"""Episodes of a run by the names that people give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screenmark.agents.trajectory import Trajectory
    from screenmark.engine import Run


def find_episode(run: Run, wanted: str) -> Trajectory:
    """The trajectory in the folder ``wanted``, or of the sample whose id ends in it.

    Raises:
        UsageError: there is none, or it could be several.
    """
    from screenmark.agents.trajectory import read_trajectory
    from screenmark.errors import DataError, UsageError

    root = run.folder.artifacts / "episodes"
    names = sorted(path.parent.name for path in root.glob("*/episode.json"))
    if wanted in names:
        return read_trajectory(root / wanted)
    found: list[Trajectory] = []
    for name in names:
        try:
            trajectory = read_trajectory(root / name)
        except DataError:
            continue
        episode = trajectory.episode
        if f"{episode.task}#{episode.seed}".endswith(wanted) or episode.task.endswith(wanted):
            found.append(trajectory)
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(one.folder.name for one in found[:5])
        raise UsageError(f"--episode {wanted}: could be {listed}{'…' if len(found) > 5 else ''}")
    known = ", ".join(names[:5]) or "none"
    raise UsageError(f"--episode {wanted}: no such episode in this run; there are {known}")
