"""Renders pages, several at a time, and outlives whatever they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from screenmark.errors import MissingExtra
from screenmark.rendering.chromium import need_chromium
from screenmark.rendering.driver import start_driver
from screenmark.rendering.errors import PageLostError, RenderingError
from screenmark.rendering.interception import Interception
from screenmark.rendering.live import LivePage
from screenmark.rendering.options import RenderOptions
from screenmark.rendering.record import PageRecord
from screenmark.rendering.routes import Routes, Source
from screenmark.rendering.scripts import script
from screenmark.rendering.site import Site
from screenmark.rendering.slot import Slot
from screenmark.rendering.sources import make_sources

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

_TRIES = 2


class Rendering(msgspec.Struct, frozen=True):
    """A finished page.

    Attributes:
        png: the picture; None if the page was lost before one could be taken.
        record: what happened.
    """

    png: bytes | None
    record: PageRecord


class Renderer:
    """Browsers to render pages in; an asynchronous context manager.

    ``open`` may be called from several tasks: as many pages are open as the option ``pages``
    says, the others wait for their turn.

    Args:
        options: how to render.

    Raises:
        MissingExtra: on entering, the extra ``render`` is not installed.
        RenderingError: on entering, there is no browser.
    """

    def __init__(self, options: RenderOptions | None = None) -> None:
        self.options = options or RenderOptions()
        self._playwright: Any = None
        self._slots: list[Slot] = []
        self._free: asyncio.LifoQueue[Slot] = asyncio.LifoQueue()
        self._sources: Sequence[Source] = ()

    async def __aenter__(self) -> Self:
        program = need_chromium(self.options.browser)
        self._sources = make_sources(self.options)
        try:
            self._playwright = await start_driver()
        except ModuleNotFoundError:
            raise MissingExtra("rendering pages", "render") from None
        for _ in range(self.options.pages):
            slot = Slot(self._playwright, program, self.options)
            self._slots.append(slot)
            self._free.put_nowait(slot)
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*(slot.close() for slot in self._slots))
        with suppress(Exception):
            await self._playwright.stop()

    @asynccontextmanager
    async def open(
        self, page: str | Path, *, init_scripts: Sequence[str] = ()
    ) -> AsyncIterator[LivePage]:
        """Open a page; its loading has begun when the block is entered.

        Args:
            page: path of an HTML file, or HTML text (anything with a ``<`` in it).
            init_scripts: JavaScript to run in the page and in every frame of it before their
                own scripts. ``__screenmark.maps`` and ``__screenmark.onLibrary`` are there
                already, see ``scripts/engines.js``.

        Raises:
            DataError: there is no such file.
            RenderingError: the browser cannot be started.
            PageLostError: the page hung, crashed or went over a limit.
        """
        site = Site(page)
        slot = await self._free.get()
        try:
            async with self._opened(site, slot, init_scripts) as live:
                yield live
        finally:
            self._free.put_nowait(slot)

    @asynccontextmanager
    async def _opened(
        self, site: Site, slot: Slot, init_scripts: Sequence[str]
    ) -> AsyncIterator[LivePage]:
        options = self.options
        record = PageRecord(
            page=site.name,
            network=options.network,
            wait=options.wait,
            integrity_removed=site.integrity_removed,
        )
        browser = await slot.browser()
        record.browser = slot.version
        context: BrowserContext = await browser.new_context(
            viewport={"width": options.width, "height": options.height},
            device_scale_factor=1,
            locale=options.locale,
            timezone_id=options.timezone,
            reduced_motion="reduce",
            color_scheme="light",
            service_workers="block",
            accept_downloads=False,
        )
        watch = asyncio.ensure_future(slot.watch())
        try:
            own = script("determinism.js") + script("engines.js")
            for text in (own, *init_scripts):
                await context.add_init_script(text)
            interception = Interception(Routes(site, self._sources, options.network), record)
            page = await interception.attach(context)
            live = LivePage(page, slot, interception, record, options)
            await live.load(site.url)
            yield live
        finally:
            watch.cancel()
            await slot.close_page(context)

    async def render(self, page: str | Path) -> Rendering:
        """Wait for a page and photograph it; a page that is lost is a result, not an error.

        A page whose browser died for a reason that is not known is tried once more.

        Raises:
            DataError: there is no such file.
            RenderingError: the browser cannot be started.
        """
        for attempt in range(_TRIES):
            try:
                async with self.open(page) as live:
                    await live.ready()
                    return Rendering(await live.screenshot(), live.record)
            except PageLostError as error:
                record = error.record
                if record is None:
                    raise RenderingError(str(error)) from error
                if record.lost != "browser" or attempt + 1 == _TRIES:
                    return Rendering(None, record)
        raise AssertionError("unreachable")
