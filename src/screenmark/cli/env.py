"""``screenmark env``."""

from __future__ import annotations

import asyncio
from pathlib import Path
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
  screenmark env new-task my-tasks.toml --app fava
  screenmark env check my-tasks.toml
  screenmark env up my-tasks.toml:fava-my-purchase

check makes sure of the tasks that agents are given: the oracle solves them from every seed, doing
nothing and doing the wrong thing do not, and a second reset shows the same screen. The exit code
is 1 if a check fails. new-task begins a file of tasks of your own; up shows a task to you.
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
    # Outside of the event loop, which would put Ctrl-C off until the files of tasks are read.
    chosen = _chosen(tasks or [], world, suite)
    found = asyncio.run(_check_all(chosen, seeds))
    data = [msgspec.to_builtins(one) for one in found]
    typer.echo(render([_table(found)], data, shape), nl=False)
    if any(one.passed is False for one in found):
        raise typer.Exit(1)


async def _check_all(chosen: list[tuple[World, list[Task]]], seeds: int) -> list[Check]:
    from screenmark.environments.checking import check_task

    found: list[Check] = []
    total, done = sum(len(tasks) for _, tasks in chosen), 0
    for world, tasks in chosen:
        try:
            await world.start()
            for task in tasks:
                checks = await check_task(world, task, range(seeds))
                found, done = found + checks, done + 1
                typer.echo(f"{done}/{total} {task.id}: {_in_a_word(checks)}", err=True)
        finally:
            await world.close()
    return found


def _in_a_word(checks: list[Check]) -> str:
    if any(one.passed is False for one in checks):
        return "FAILED"
    if all(one.passed is None for one in checks if one.check == "oracle"):
        return "passed, but has no solution: whether it can be solved is not known"
    return "passed"


def _chosen(named: list[str], only: str | None, suite: str) -> list[tuple[World, list[Task]]]:
    """The worlds and of each the tasks to check.

    Raises:
        UsageError: there is no such world, suite or task.
        DataError: a file of tasks is wrong.
    """
    from screenmark.environments import world_class
    from screenmark.environments.registry import WORLDS, world_names, world_of
    from screenmark.errors import UsageError

    if suite not in {"lite", "full"}:
        raise UsageError(f"--suite {suite}: expected lite or full")
    whole: Any = "lite" if suite == "lite" else "full"
    names = [only] if only else [*WORLDS, *map(world_of, named)]
    known = world_names()
    for id, name in zip(named, map(world_of, named), strict=True):
        if name not in known and not name.endswith(".toml"):
            raise UsageError(f"there is no task {id!r}; worlds: {', '.join(known)}")
    chosen = []
    for name in dict.fromkeys(names):
        mine = [id for id in named if world_of(id) == name]
        if named and not mine:
            continue
        world = world_class(name)()
        tasks, every = world.tasks(), world.suite(whole)
        wanted = [id for one in mine for id in (every if one == name else (one,))] or every
        for id in wanted:
            if id not in tasks:
                raise UsageError(f"there is no task {id!r}; {name} has tasks like {every[0]}")
        chosen.append((world, [tasks[id] for id in dict.fromkeys(wanted)]))
    if named and not chosen:
        raise UsageError(f"--world {only}: none of the named tasks is of this world")
    return chosen


@group.command(name="new-task", help="Begin a file of tasks of your own.")
def new_task(
    file: Annotated[Path, typer.Argument(help="TOML file to write.")] = Path("my-tasks.toml"),
    app: Annotated[str, typer.Option(help="fava or sqlite-web.")] = "sqlite-web",
    force: Annotated[bool, typer.Option("--force", help="Write over a file.")] = False,
) -> None:
    from screenmark.environments.web_apps.template import write_template

    write_template(app, file, force=force)
    typer.echo(
        f"{file}: two tasks that work; every line is explained there. Next:\n"
        f"  screenmark env check {file}\n"
        f"  screenmark run mmbench-gui-l3 --model oracle --tasks {file}"
    )


@group.command(help="Bring a task's application up for a person, and judge what they did.")
def up(
    task: Annotated[str, typer.Argument(help="Task in a web application, by id.")],
    seed: Annotated[int, typer.Option(help="Chooses the variant.", min=0)] = 0,
) -> None:
    from screenmark.environments.web_apps.hosting import host

    verdict = host(task, seed, typer.echo, _wait_for_words)
    typer.echo(f"{'solved' if verdict.success else 'not solved'}: {verdict.reason}")
    if not verdict.success:
        raise typer.Exit(1)


def _wait_for_words() -> str:
    return str(typer.prompt("Your answer, or only Enter", default="", show_default=False))


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
