"""A task for a person: the application in their own browser, and the verdict on what they did."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from screenmark.answers.actions.schema import GiveAnswer
from screenmark.environments.base import Verdict
from screenmark.environments.registry import world_class, world_of
from screenmark.environments.web_apps.judging import judge
from screenmark.environments.web_apps.server import AppServer
from screenmark.environments.web_apps.states import put
from screenmark.environments.web_apps.tasks import filled
from screenmark.environments.web_apps.world import WebApps
from screenmark.errors import UsageError


def host(id: str, seed: int, say: Callable[[str], object], words: Callable[[], str]) -> Verdict:
    """Serve a task's application until the person is done.

    Args:
        id: of the task.
        say: shows instruction and address.
        words: waits for the person, and gives what they answer; empty for no answer.

    Raises:
        UsageError: there is no such task, or its world has no application to serve.
        DataError: the file of tasks is wrong.
        EnvironmentFailure: the application is not installed, or does not come up.
    """
    world = world_class(world_of(id))()
    if not isinstance(world, WebApps):
        raise UsageError(f"{id}: only tasks in web applications can be brought up")
    tasks = world.tasks()
    if id not in tasks:
        raise UsageError(f"there is no task {id!r}; they are called like {next(iter(tasks))}")
    world.need([tasks[id]])
    text, before = world.written(tasks[id])
    values = text.variant(seed)
    server = AppServer(text.app)
    with asyncio.Runner() as runner:
        try:
            put(text.app, before, server.folder)
            runner.run(server.start())
            say(filled(text.instruction, values))
            say(f"{server.origin}{filled(text.page, values)}")
            said = words()  # outside of the loop, so that Ctrl-C ends it
            expect = filled(text.expect, values)
            answer = GiveAnswer(said) if said else None
            right, why = judge(text.app, before, server.folder, expect, answer)
        finally:
            runner.run(server.close())
    return Verdict(over=True, success=float(right), reason=why)
