"""An environment that is a browser: tabs, screenshots, and what happens beside the page."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import (
    CloseTab,
    CursorPosition,
    Goto,
    NewTab,
    OpenApp,
    Place,
    Screenshot,
    SwitchTab,
    System,
    Zoom,
)
from screenmark.environments.base import DEFAULT_BUDGET, Environment, ImpossibleAction, View
from screenmark.environments.browser import Browser, elsewhere
from screenmark.environments.page_actions import Hand
from screenmark.errors import EnvironmentFailure
from screenmark.geometry import Size

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Dialog, Page

_MOST_TABS: Final = 12
_PAGE_SECONDS: Final = 30.0
_Region: TypeAlias = tuple[float, float, float, float]

# After what an action has set going at once: the title, and the options of a list that is open,
# which is drawn outside the page. Taking the picture draws the next frame.
_SETTLED = """() => new Promise(settled => setTimeout(() => {
  const list = document.activeElement;
  const open = list?.tagName === 'SELECT' && list.size < 2 && !list.multiple;
  settled([document.title, open ? [...list.options].map(option => option.label.trim()) : null]);
}))"""

# A caret blinks by the clock. What the browser pastes by itself, such as by a middle click, is of
# whichever episode copied last; `Hand` has a clipboard for each.
_IN_EVERY_PAGE = """(() => {
  addEventListener('paste', event => {
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { caret-color: transparent !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
})()"""


class BrowserEnvironment(Environment):
    """Tabs of one browser context in the agent's hands.

    Subclasses bring up a page with `_open` in ``_begin`` and judge in ``_verdict``.

    Args:
        browser: the process that contexts come from.
        size: of the page in CSS pixels.
        scale: pixels of the screenshot for one CSS pixel.
    """

    def __init__(
        self,
        browser: Browser,
        budget: int = DEFAULT_BUDGET,
        *,
        size: Size,
        scale: float = 1.0,
    ) -> None:
        super().__init__(budget)
        self._browser = browser
        self._size = size
        self._scale = scale
        self._context: BrowserContext | None = None
        self._page: Page | None = None
        self._origins: Sequence[str] = ()
        self._hand = Hand(size)
        self._apps: Mapping[str, str] = {}
        self._notes: list[str] = []
        self._close_up: _Region | None = None
        self._asked_pointer = False
        self._crashed = False
        self._sessions: dict[Page, CDPSession] = {}

    async def _open(self, origins: Sequence[str]) -> Page:
        """A fresh context that reaches ``origins`` alone, and its first tab.

        Raises:
            EnvironmentFailure: the browser is not there.
        """
        await self.close()
        self._origins = origins
        self._hand = Hand(self._size)
        self._notes, self._close_up, self._asked_pointer = [], None, False
        self._crashed = False
        self._sessions = {}
        self._context = await self._browser.context(self._size, self._scale, origins)
        self._context.set_default_timeout(_PAGE_SECONDS * 1000)
        self._context.on("page", self._new_page)
        self._context.on("dialog", self._answer_dialog)
        with Breakdowns():
            await self._context.add_init_script(_IN_EVERY_PAGE)
            self._page = await self._context.new_page()
        return self._page

    @property
    def page(self) -> Page:
        """The tab in front.

        Raises:
            EnvironmentFailure: there is none.
        """
        if self._crashed or self._page is None:
            raise EnvironmentFailure("the browser's page is gone")
        return self._page

    async def close(self) -> None:
        context, self._context, self._page = self._context, None, None
        if context is not None:
            from playwright.async_api import Error

            with suppress(Error):
                await context.close()

    def _new_page(self, page: Page) -> None:
        page.on("crash", self._page_crashed)
        page.on("download", lambda _: self._notes.append("a download was refused"))
        if self._page is None:
            return
        if len(page.context.pages) > _MOST_TABS:
            self._notes.append("a new tab was closed at once: there are too many")
            self._keep = asyncio.ensure_future(_close_quietly(page))
        else:
            self._notes.append("a new tab opened; switch_tab goes there")

    def _page_crashed(self, page: Page) -> None:
        self._crashed = True

    async def _answer_dialog(self, dialog: Dialog) -> None:
        """A dialog stops the page and is in no screenshot: it is confirmed, and told."""
        from playwright.async_api import Error

        self._notes.append(f"the page said {dialog.message[:200]!r}; that was confirmed")
        with suppress(Error):
            await dialog.accept()

    async def _perform(self, action: Action) -> None:
        with Breakdowns():
            match action:
                case Screenshot():
                    pass
                case CursorPosition():
                    self._asked_pointer = True
                case Zoom(region=region):
                    self._close_up = region
                case Goto(url=url):
                    await self._go(url)
                case System(button="back"):
                    await self.page.go_back()
                case System(button="forward"):
                    await self.page.go_forward()
                case SwitchTab() | NewTab() | CloseTab():
                    await self._change_tab(action)
                case OpenApp(name=name):
                    await self._open_app(name)
                case _:
                    await self._hand.perform(self.page, action)

    async def _go(self, url: str) -> None:
        url = url.strip()
        if "://" not in url and not url.startswith("about:"):
            url = f"http://{url}"
        if elsewhere(self._origins).match(url) or url.startswith(("data:", "blob:")):
            raise ImpossibleAction("this address cannot be reached from here")
        from playwright.async_api import Error

        try:
            await self.page.goto(url)
        except Error as error:
            if "net::ERR_" not in str(error):
                raise
            raise ImpossibleAction("this address cannot be loaded") from None

    async def _open_app(self, name: str) -> None:
        url = next((u for n, u in self._apps.items() if n.lower() == name.strip().lower()), None)
        if url is None:
            known = ", ".join(self._apps) or "none"
            raise ImpossibleAction(f"there is no application {name[:60]!r}; there are: {known}")
        await self._to_new_tab()
        await self.page.goto(url)

    async def _to_new_tab(self) -> None:
        assert self._context is not None  # noqa: S101 - an episode is running
        if len(self._context.pages) >= _MOST_TABS:
            raise ImpossibleAction("there are too many tabs")
        front, self._page = self._page, None  # a tab that the agent opens is no pop-up
        try:
            self._page = await self._context.new_page()
        finally:
            self._page = self._page or front

    async def _change_tab(self, action: SwitchTab | NewTab | CloseTab) -> None:
        if isinstance(action, NewTab):
            await self._to_new_tab()
            return
        pages = self._pages()
        if isinstance(action, SwitchTab):
            if not 0 <= action.index < len(pages):
                raise ImpossibleAction(f"there are {len(pages)} tabs; the first is 0")
            self._page = pages[action.index]
        else:
            if len(pages) < 2:
                raise ImpossibleAction("the last tab stays open")
            closing, self._page = self.page, next(p for p in pages if p is not self._page)
            await closing.close()
        await self.page.bring_to_front()

    def _pages(self) -> list[Page]:
        return [] if self._context is None else self._context.pages

    async def _settle(self) -> None:
        """Wait until the screen shows what the last action did."""
        await self.page.wait_for_load_state("load")

    async def _look(self) -> View:
        if self._page is not None and self._page.is_closed() and self._pages():
            self._page = self._pages()[-1]  # it closed itself
        with Breakdowns():
            title = await self._settled_title()
            picture = await self._picture()
            pages = self._pages()
            titles = [title if page is self._page else await page.title() for page in pages]
            return View(
                screenshot=picture,
                size=_size_of(picture),
                scale=self._scale,
                text=await self._text(),
                tree=await self._tree(),
                tabs=tuple(titles),
                tab=pages.index(self.page),
                notes=self._take_notes(),
                pointer=self._take_pointer(),
                closeup=self._take_closeup(picture),
            )

    async def _picture(self) -> bytes:
        """PNG of the page in front; asked for directly, which takes two thirds of the time."""
        page = self.page
        session = self._sessions.get(page)
        if session is None:
            session = self._sessions[page] = await page.context.new_cdp_session(page)
        seen = (await session.send("Page.getLayoutMetrics"))["cssVisualViewport"]
        clip = {"x": seen["pageX"], "y": seen["pageY"], "scale": self._scale}
        clip |= {"width": self._size.width, "height": self._size.height}
        answer = await session.send("Page.captureScreenshot", {"clip": clip})
        return base64.b64decode(answer["data"])

    async def _settled_title(self) -> str:
        """Wait for the page to settle; its title. An open list is noted."""
        from playwright.async_api import Error

        try:
            await self._settle()
            title, options = await self.page.evaluate(_SETTLED)
        except Error:
            if self.page.is_closed():
                raise
            return ""  # a page that loads anew has no frames for a moment
        if options:
            self._note_list(options)
        return str(title)

    def _note_list(self, options: Sequence[str]) -> None:
        self._notes.append(
            "the list in focus opens outside the picture; choose by select_option or the arrow "
            f"keys: {', '.join(repr(option) for option in options[:40])}"
        )

    async def _text(self) -> str | None:
        return await self.page.inner_text("body") if self.with_text else None

    async def _tree(self) -> Any:
        return await self.page.locator("body").aria_snapshot() if self.with_tree else None

    def _take_notes(self) -> tuple[str, ...]:
        notes, self._notes = tuple(dict.fromkeys(self._notes)), []
        return notes

    def _take_pointer(self) -> Place | None:
        asked, self._asked_pointer = self._asked_pointer, False
        return self._hand.at if asked else None

    def _take_closeup(self, picture: bytes) -> bytes | None:
        region, self._close_up = self._close_up, None
        return None if region is None else close_up(picture, region)


def close_up(picture: bytes, region: _Region) -> bytes:
    """A region of a picture, as wide as the whole; ``region`` is in fractions."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        width, height = image.size
        x1, y1, x2, y2 = region
        left, top = int(x1 * width), int(y1 * height)
        right, bottom = max(left + 1, round(x2 * width)), max(top + 1, round(y2 * height))
        part = image.convert("RGB").crop((left, top, right, bottom))
        factor = min(width / part.width, height / part.height)
        size = (max(1, round(part.width * factor)), max(1, round(part.height * factor)))
        out = io.BytesIO()
        part.resize(size, Image.Resampling.LANCZOS).save(out, "PNG")
    return out.getvalue()


def _size_of(png: bytes) -> Size:
    """Width and height out of a PNG's header."""
    return Size(int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big"))


async def _close_quietly(page: Page) -> None:
    from playwright.async_api import Error

    with suppress(Error):
        await page.close()


class Breakdowns:
    """What Playwright cannot do any more is a fault of the world and not the agent's."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: Any) -> None:
        from playwright.async_api import Error

        if isinstance(error, Error):
            first = str(error).strip().splitlines()[0]
            raise EnvironmentFailure(f"the browser broke down ({first})") from None
