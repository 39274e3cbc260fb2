"""Whether worlds come up at all, found out once instead of once an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from screenmark.environments import world_class


async def make_sure(wanted: Mapping[str, Sequence[str]]) -> None:
    """Bring every world up once, and down again.

    Args:
        wanted: ids of the tasks that will be played, by the name of their world.

    Raises:
        MissingExtra, EnvironmentFailure: a package or a program is missing, or does not come up.
    """
    worlds = [(world_class(name)(), ids) for name, ids in wanted.items()]
    for world, ids in worlds:
        tasks = world.tasks()
        world.need([tasks[id] for id in ids])
    for world, _ in worlds:
        try:
            await world.start()
        finally:
            await world.close()
