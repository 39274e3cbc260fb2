"""``screenmark env``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

if TYPE_CHECKING:
    from screenmark.environments import Task, World
    from screenmark.environments.checking import Check

HELP = """\b
Examples:
  screenmark env check
  screenmark env check miniwob/click-test miniwob/enter-text --seeds 1
  screenmark env check webapps
  screenmark env check --world miniwob --suite lite

Makes sure of the tasks that agents are given: the oracle solves them from every seed, doing
nothing and doing the wrong thing do not, and a second reset shows the same screen. The exit code
is 1 if a check fails.
"""

group = typer.Typer(no_args_is_help=True)


@group.callback()
def _group() -> None:
    pass


@group.command(help="Check tasks of the worlds that come with the package.")
def check(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(help="Tasks or worlds; else the suite of all worlds."),
    ] = None,
    world: Annotated[str | None, typer.Option(help="Only tasks of this world.")] = None,
    suite: Annotated[str, typer.Option(help="lite or full.")] = "full",
    seeds: Annotated[int, typer.Option(help="Seeds that the oracle is tried from.", min=1)] = 3,
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    import msgspec

    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    found = asyncio.run(_check_all(tasks or [], world, suite, seeds))
    data = [msgspec.to_builtins(one) for one in found]
    typer.echo(render([_table(found)], data, shape), nl=False)
    if any(one.passed is False for one in found):
        raise typer.Exit(1)


async def _check_all(named: list[str], only: str | None, suite: str, seeds: int) -> list[Check]:
    from screenmark.environments.checking import check_task

    found: list[Check] = []
    for world, tasks in _chosen(named, only, suite):
        try:
            await world.start()
            for task in tasks:
                found += await check_task(world, task, range(seeds))
        finally:
            await world.close()
    return found


def _chosen(named: list[str], only: str | None, suite: str) -> list[tuple[World, list[Task]]]:
    """The worlds and of each the tasks to check.

    Raises:
        UsageError: there is no such world, suite or task.
    """
    from screenmark.environments import world_class
    from screenmark.environments.registry import WORLDS
    from screenmark.errors import UsageError

    if suite not in {"lite", "full"}:
        raise UsageError(f"--suite {suite}: expected lite or full")
    worlds = [world_class(name)() for name in ([only] if only else WORLDS)]
    whole: Any = "lite" if suite == "lite" else "full"
    known = {id: world for world in worlds for id in world.tasks()}
    of_worlds = {world.name: world.suite(whole) for world in worlds}
    named = [id for name in named for id in of_worlds.get(name, (name,))]
    for id in named:
        if id not in known:
            raise UsageError(f"there is no task {id!r}; worlds: {', '.join(WORLDS)}")
    chosen = []
    for world in worlds:
        ids = of_worlds[world.name]
        wanted = [id for id in dict.fromkeys(named) if known[id] is world] if named else ids
        if wanted:
            chosen.append((world, [world.tasks()[id] for id in wanted]))
    return chosen


def _table(found: list[Check]) -> Any:
    from screenmark.types import Table

    tasks = list(dict.fromkeys(one.task for one in found))
    names = ("oracle", "idle", "mistake", "reset")
    rows: list[tuple[str | int, ...]] = []
    for task in tasks:
        cells = []
        for name in names:
            results = [one for one in found if one.task == task and one.check == name]
            passed = sum(one.passed is True for one in results)
            none = all(one.passed is None for one in results)
            cells.append("none" if none else f"{passed}/{len(results)}")
        wrong = [one for one in found if one.task == task and one.passed is False]
        said = "; ".join(f"{one.check}, seed {one.seed}: {one.detail}" for one in wrong[:2])
        rows.append((task, *cells, said))
    failed = sum(one.passed is False for one in found)
    return Table(
        title=f"Environments · {len(tasks)} tasks · {failed} of {len(found)} checks failed",
        columns=("task", *names, "what is wrong"),
        rows=tuple(rows),
    )
