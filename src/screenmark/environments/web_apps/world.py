"""Web applications as a world: each episode has a server, a state and a browser context its own."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlsplit

from screenmark.environments.base import (
    DEFAULT_BUDGET,
    Environment,
    Suite,
    Task,
    Turns,
    Verdict,
    World,
)
from screenmark.environments.browser import Browser
from screenmark.environments.browser_environment import Breakdowns, BrowserEnvironment
from screenmark.environments.page_reader import PageReader
from screenmark.environments.web_apps.clock import NOW
from screenmark.environments.web_apps.judging import judge
from screenmark.environments.web_apps.own import SUFFIX, TaskSet, bundled, read_task_set
from screenmark.environments.web_apps.script import play
from screenmark.environments.web_apps.server import AppServer
from screenmark.environments.web_apps.states import put
from screenmark.environments.web_apps.tasks import TaskText, filled
from screenmark.errors import EnvironmentFailure
from screenmark.geometry import Size

if TYPE_CHECKING:
    from playwright.async_api import Page

VIEWPORT: Final = Size(1280, 800)
"""CSS pixels, and those of the screenshot."""

_MODULES: Final = {"fava": "fava", "sqlite-web": "sqlite_web"}
_QUIET_SECONDS: Final = 0.12
_MOST_SECONDS: Final = 4.0


class WebAppEnvironment(BrowserEnvironment):
    """One application, and one task in it. Its files decide, not its pages."""

    def __init__(self, browser: Browser, budget: int, tasks: TaskSet) -> None:
        super().__init__(browser, budget, size=VIEWPORT)
        self._tasks = tasks
        self._server: AppServer | None = None
        self._written: TaskText
        self._before = ""
        self._loading: set[Any] = set()
        self._last_load = 0.0

    async def _begin(self, task: Task, seed: int) -> str:
        id = _own_id(task)
        text = self._written = self._tasks.tasks[id]
        values = text.variant(seed)
        _need(text.app)
        self._before = self._tasks.states[id]
        server = AppServer(text.app)
        try:
            await asyncio.to_thread(put, text.app, self._before, server.folder)
            await server.start()
            page = await self._open([server.origin])
        except BaseException:
            await server.close()
            raise
        self._server = server  # after `_open`, which closes the episode before
        self._apps = {text.app: server.origin}
        with Breakdowns():
            self._watch(page)
            await page.clock.set_fixed_time(NOW)
            await self._load_first(page, server.origin + filled(text.page, values))
        return str(filled(text.instruction, values))

    async def _load_first(self, page: Page, url: str) -> None:
        """Load the first page of a task, which has to be there."""
        response = await page.goto(url)
        if response is not None and response.status >= HTTPStatus.BAD_REQUEST:
            raise EnvironmentFailure(
                f"task {self._written.id}: page: the application answers "
                f"{urlsplit(url).path} with {response.status} {response.status_text}"
            )

    def _watch(self, page: Page) -> None:
        """Know what the pages of this context are loading."""
        context = page.context
        self._loading.clear()
        context.on("request", self._load)
        context.on("requestfinished", self._loaded)
        context.on("requestfailed", self._loaded)

    def _load(self, request: Any) -> None:
        self._loading.add(request)

    def _loaded(self, request: Any) -> None:
        self._loading.discard(request)
        self._last_load = asyncio.get_running_loop().time()

    async def _settle(self) -> None:
        """Pages fetch what they show after they are loaded: wait until that is over."""
        await self.page.wait_for_load_state("load")
        loop = asyncio.get_running_loop()
        end = loop.time() + _MOST_SECONDS
        quiet = loop.time()
        while loop.time() < end:
            if self._loading:
                quiet = loop.time()
            elif loop.time() - max(quiet, self._last_load) >= _QUIET_SECONDS:
                return
            await asyncio.sleep(_QUIET_SECONDS / 4)

    async def _verdict(self, *, final: bool) -> Verdict:
        folder = self.server.folder
        if not final:
            return Verdict()
        text = self._written
        expect = filled(text.expect, text.variant(self.seed))
        right, why = await asyncio.to_thread(
            judge, text.app, self._before, folder, expect, self.said
        )
        return Verdict(success=float(right), reason=why)

    async def close(self) -> None:
        await super().close()
        server, self._server = self._server, None
        if server is not None:
            await server.close()

    @property
    def server(self) -> AppServer:
        """The application of the running episode.

        Raises:
            EnvironmentFailure: there is none, or it ended.
        """
        if self._server is None or not self._server.alive:
            raise EnvironmentFailure("the application ended")
        return self._server

    def oracle(self) -> Turns | None:
        return self._script(self.seed) if self._written.oracle else None

    def mistake(self) -> Turns:
        """The same for another variant: done well, and not what was asked."""
        return self._script(self.seed + 1) if self._written.oracle else super().mistake()

    def _script(self, seed: int) -> Turns:
        text = self._written
        moves = filled(text.oracle, text.variant(seed))
        return play(moves, PageReader(lambda: self.page, VIEWPORT))


def _own_id(task: Task) -> str:
    """A task's id without the name of its world."""
    return task.id[len(task.world) + 1 :]


def _need(app: str) -> None:
    if find_spec(_MODULES[app]) is None:
        raise EnvironmentFailure(
            f"the application {app} is not installed: pip install 'screenmark[webapps]'"
        )


class WebApps(World):
    """Real applications on loopback: a ledger (Fava) and a database (sqlite-web)."""

    name: ClassVar[str] = "webapps"
    memory: ClassVar[int] = 280

    def __init__(self) -> None:
        self._browser = Browser()
        self._set: TaskSet | None = None

    def _read(self) -> TaskSet:
        if self._set is None:
            own = self.name.endswith(SUFFIX)
            self._set = read_task_set(Path(self.name)) if own else bundled()
        return self._set

    def tasks(self) -> Mapping[str, Task]:
        made = [
            Task(
                id=self._full_id(text),
                world=self.name,
                apps=(text.app,),
                instruction=filled(text.instruction, text.variant(0)),
                answer=bool(text.expect.answer),
                version=self._version(text),
            )
            for text in self._read().tasks.values()
        ]
        return {task.id: task for task in made}

    def written(self, task: Task) -> tuple[TaskText, str]:
        """A task as it is written down, and the text of its first state."""
        id = _own_id(task)
        return self._read().tasks[id], self._read().states[id]

    def _full_id(self, text: TaskText) -> str:
        return f"{self.name}{':' if self.name.endswith(SUFFIX) else '/'}{text.id}"

    def _version(self, text: TaskText) -> str:
        """What tells a changed task of one's own from what it was; ours change with releases."""
        if not self.name.endswith(SUFFIX):
            return ""
        written = repr(text) + self._read().states[text.id]
        return hashlib.sha256(written.encode("utf-8")).hexdigest()[:16]

    def suite(self, name: Suite) -> tuple[str, ...]:
        own = self.name.endswith(SUFFIX)
        wanted = [t for t in self._read().tasks.values() if t.lite or own or name == "full"]
        return tuple(self._full_id(text) for text in wanted)

    def need(self, tasks: Sequence[Task]) -> None:
        for app in dict.fromkeys(app for task in tasks for app in task.apps):
            _need(app)

    async def start(self) -> None:
        await self._browser.start()

    async def close(self) -> None:
        await self._browser.close()

    def environment(self, budget: int = DEFAULT_BUDGET) -> Environment:
        return WebAppEnvironment(self._browser, budget, self._read())


def own_world(file: str) -> type[WebApps]:
    """The world of a file of tasks; its name is the file's path, and an id ``FILE:TASK``."""
    return type("OwnWebApps", (WebApps,), {"name": file})
