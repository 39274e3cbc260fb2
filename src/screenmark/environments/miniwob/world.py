"""MiniWoB++ as a world: one page a task, with its clock lifted and its score hidden."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Click, Done
from screenmark.environments.base import (
    DEFAULT_BUDGET,
    Environment,
    ImpossibleAction,
    Suite,
    Task,
    Turns,
    Verdict,
    World,
)
from screenmark.environments.browser import Browser
from screenmark.environments.browser_environment import Breakdowns, BrowserEnvironment
from screenmark.environments.miniwob.oracles import ORACLES
from screenmark.environments.miniwob.pages import UNSTEADY, PageServer, page_names
from screenmark.environments.miniwob.suites import LITE, SUBSET
from screenmark.environments.page_reader import PageReader
from screenmark.geometry import Size

if TYPE_CHECKING:
    from playwright.async_api import Page

VIEWPORT: Final = Size(332, 330)
"""CSS pixels. The pages are 160 x 210; dialogs of jQuery UI need room around that."""
SCALE: Final = 2.0
"""The pages' letters are 10 CSS pixels high."""

# A page would end the episode after 7 to 30 s, which is one or two turns of a slow model.
# Its timers take at most 2**31 ms; this is eleven days. Animations end at once, so that a
# screenshot shows what an action led to.
_START = """([seed]) => {
  core.EPISODE_MAX_TIME = 1e9;
  if (window.jQuery) jQuery.fx.off = true;
  window.screenmarkBegan = true;
  Math.seedrandom(seed);
  core.startEpisodeReal();
}"""
# A page that writes today's date looks the same on every day; time goes on as it does.
_DATE = """(() => {
  const Real = Date, ahead = Real.UTC(2017, 0, 16, 9) - Real.now();
  window.Date = new Proxy(Real, {
    construct: (_, given) => given.length ? new Real(...given) : new Real(Real.now() + ahead),
    apply: () => new Real(Real.now() + ahead).toString(),
    get: (_, name) => name === 'now' ? () => Real.now() + ahead : Real[name],
  });
})()"""
_ASKED = (
    """() => { const u = core.getUtterance(); return typeof u === 'string' ? u : u.utterance; }"""
)
# Loaded anew, a page would begin an episode of another seed.
_STATE = """() => window.screenmarkBegan
  ? [WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL, WOB_REWARD_REASON]
  : [true, -1, 'the page was left or loaded anew']"""

# The display tells the score, a click on the cover would start another episode, and the canvas
# beside the page fades the places of earlier clicks out by the clock.
_HIDDEN = "#reward-display, #sync-task-cover, #click-canvas { display: none !important; }"

_UNSTEADY: Final = (
    "the page moves by the clock, so one seed gives several first screens and no two agents the "
    "same task; no option brings it back"
)

_CORNER: Final = (0.98, 0.98)
"""Outside every page's own area."""


class MiniWobEnvironment(BrowserEnvironment):
    """One page of MiniWoB++. Success is a raw reward of 1, as the page gives it."""

    def __init__(self, browser: Browser, server: PageServer, budget: int) -> None:
        super().__init__(browser, budget, size=VIEWPORT, scale=SCALE)
        self._server = server
        self._own: Page | None = None

    async def _begin(self, task: Task, seed: int) -> str:
        page = self._own = await self._open([self._server.origin])
        with Breakdowns():
            name = task.id.removeprefix("miniwob/")
            await page.add_init_script(_DATE)
            await page.goto(f"{self._server.origin}/miniwob/{name}.html")
            await page.wait_for_selector("#sync-task-cover", state="attached")
            await page.add_style_tag(content=_HIDDEN)
            await page.evaluate(_START, [str(seed)])
            await page.wait_for_function("WOB_TASK_READY === true")
            return str(await page.evaluate(_ASKED))

    async def _verdict(self, *, final: bool) -> Verdict:
        with Breakdowns():
            if self._own is None or self._own.is_closed():
                return Verdict(over=True, reason="the page was closed")
            done, raw, reason = await self._own.evaluate(_STATE)
        if not done:
            return Verdict(reason="the page has not ended the task")
        words = f"raw reward {raw:g}" + (f", {reason}" if reason else "")
        return Verdict(over=True, success=float(raw == 1), reason=words)

    async def _go(self, url: str) -> None:
        raise ImpossibleAction("this address cannot be reached from here")

    def oracle(self) -> Turns | None:
        solve = ORACLES.get(self.task.id.removeprefix("miniwob/"))
        if solve is None:
            return None
        return solve(PageReader(lambda: self.page, VIEWPORT), self._instruction)

    def mistake(self) -> Turns:
        return _miss()


async def _miss() -> AsyncIterator[Sequence[Action]]:
    yield (Click(_CORNER),)
    yield (Done(),)


class MiniWob(World):
    """The pages of MiniWoB++ but for the few that look at the clock."""

    name: ClassVar[str] = "miniwob"
    memory: ClassVar[int] = 170

    def __init__(self) -> None:
        self._browser = Browser()
        self._server = PageServer()

    def tasks(self) -> Mapping[str, Task]:
        names = [name for name in page_names() if name not in UNSTEADY]
        made = [Task(id=f"miniwob/{n}", world=self.name, apps=("browser",)) for n in names]
        return {task.id: task for task in made}

    def left_out(self) -> Mapping[str, str]:
        return {f"{self.name}/{page}": _UNSTEADY for page in UNSTEADY}

    def suite(self, name: Suite) -> tuple[str, ...]:
        return tuple(f"miniwob/{page}" for page in (LITE if name == "lite" else SUBSET))

    async def start(self) -> None:
        await self._server.start()
        await self._browser.start()

    async def close(self) -> None:
        await self._browser.close()
        await self._server.close()

    def environment(self, budget: int = DEFAULT_BUDGET) -> Environment:
        return MiniWobEnvironment(self._browser, self._server, budget)
