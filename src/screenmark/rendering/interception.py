"""Everything that leaves or enters a page goes through here, and into its record."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from screenmark.rendering.handover import LARGE, handed_over
from screenmark.rendering.record import Blocked, PageRecord, ScriptError
from screenmark.rendering.routes import Answer, Asked, Routes

if TYPE_CHECKING:
    from playwright.async_api import Dialog, Page, Request, Route, WebSocketRoute

_HEADERS = {
    "access-control-allow-origin": "*",
    "timing-allow-origin": "*",
    "cache-control": "max-age=3600",
}
_MOST_REQUESTS = 5000
_STALE_S = 2.0
_MESSAGE = 500


class Interception:
    """Answers a page's requests from a route table and notes what it does.

    Args:
        routes: the route table.
        record: where everything is noted.
    """

    def __init__(self, routes: Routes, record: PageRecord) -> None:
        self._routes = routes
        self._record = record
        self._under_way: dict[Request, float] = {}
        self._requests = 0
        self._last_end = 0.0
        self._last_dialog: float | None = None
        self._page: Page | None = None
        self._driver: Any = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def attach(self, context: Any) -> Page:
        """Take over a fresh context (a ``BrowserContext``) and open its one page."""
        self._driver = context.request
        await context.route("**/*", self._route)
        await context.route_web_socket("**/*", self._web_socket)
        page: Page = await context.new_page()
        self._page = page
        context.on("page", self._popup)
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("pageerror", lambda error: self._error(str(error), uncaught=True))
        page.on("console", self._console)
        page.on("dialog", self._dialog)
        page.on("download", lambda download: self._refuse(download.url, "download"))
        return page

    @property
    def in_flight(self) -> list[str]:
        """Addresses that the page waits for. One that was answered long ago but never read
        (its worker has ended) is not waited for."""
        now = asyncio.get_running_loop().time()
        return [
            request.url
            for request, answered in self._under_way.items()
            if not answered or now - answered < _STALE_S
        ]

    @property
    def quiet_s(self) -> float:
        """Seconds since the last request ended."""
        return asyncio.get_running_loop().time() - self._last_end

    @property
    def dialogs(self) -> str:
        """What there is to say of dialogs, if the page was opening them a moment ago; else ""."""
        now = asyncio.get_running_loop().time()
        if self._last_dialog is None or now - self._last_dialog > _STALE_S:
            return ""
        return self._record.about_dialogs

    @property
    def has_failed(self) -> bool:
        """Whether an error has ended one of the page's scripts."""
        return any(error.uncaught for error in self._record.script_errors)

    def note_popups(self, urls: list[str]) -> None:
        """Windows that the page's scripts asked for and did not get."""
        for url in urls:
            self._refuse(url or "about:blank", "popup")

    async def _route(self, route: Route) -> None:
        request = route.request
        self._requests += 1
        with suppress(Exception):  # The page may be gone by the time that it is answered.
            if not request.url.startswith(("http://", "https://")):
                await route.abort("blockedbyclient")
                return
            answer = await self._answer(request)
            if isinstance(answer, Blocked):
                self._record.add(answer)
                await _refuse_route(route, asked_for_frame=_is_frame(request))
            else:
                self._note(answer)
                await self._fulfill(route, answer)
            if request in self._under_way:
                self._under_way[request] = asyncio.get_running_loop().time()

    async def _fulfill(self, route: Route, answer: Answer) -> None:
        about: dict[str, Any] = {
            "status": answer.status,
            "content_type": answer.content_type,
            "headers": {**_HEADERS, "content-type": answer.content_type},
        }
        if len(answer.body) >= LARGE:
            async with handed_over(answer.body, self._driver) as response:
                if response is not None:
                    await route.fulfill(response=response, **about)
                    return
        await route.fulfill(body=answer.body, **about)

    async def _answer(self, request: Request) -> Answer | Blocked:
        kind = request.resource_type
        if self._requests > _MOST_REQUESTS:
            reason = f"more than {_MOST_REQUESTS} requests"
            return Blocked(url=request.url[:500], kind=kind, reason=reason, matters=True)
        main = request.is_navigation_request() and not _is_frame(request)
        asked = Asked(request.url, kind, request.method, main)
        try:
            return await self._routes.answer(asked)
        except Exception as error:  # A fault of ours must not leave the page waiting.
            reason = f"could not be answered ({type(error).__name__}: {error})"
            return Blocked(url=request.url[:500], kind=kind, reason=reason, matters=True)

    def _note(self, answer: Answer) -> None:
        if answer.tile_of:
            self._record.count_tile(answer.tile_of)
        elif answer.served is not None:
            self._record.add(answer.served)

    def _begun(self, request: Request) -> None:
        if request.url.startswith(("http://", "https://")):
            self._under_way[request] = 0.0

    def _ended(self, request: Request) -> None:
        self._under_way.pop(request, None)
        self._last_end = asyncio.get_running_loop().time()

    async def _web_socket(self, socket: WebSocketRoute) -> None:
        self._refuse(socket.url, "websocket")
        await socket.close(code=1001, reason="no network")

    def _popup(self, page: Page) -> None:
        if page is not self._page:
            self._refuse(page.url, "popup")
            self._later(page.close())

    def _dialog(self, dialog: Dialog) -> None:
        self._last_dialog = asyncio.get_running_loop().time()
        self._record.add(Blocked(url=dialog.message[:_MESSAGE], kind="dialog", reason=dialog.type))
        self._later(dialog.dismiss())

    def _refuse(self, url: str, kind: str) -> None:
        self._record.add(Blocked(url=url[:500], kind=kind, reason="pages may not do this"))

    def _console(self, message: Any) -> None:
        # A refused request says so on the console too; it stands in the record already.
        if message.type == "error" and "net::ERR_" not in message.text:
            self._error(message.text, uncaught=False)

    def _error(self, text: str, *, uncaught: bool) -> None:
        self._record.add(ScriptError(message=text.strip()[:_MESSAGE], uncaught=uncaught))

    def _later(self, work: Any) -> None:
        async def run() -> None:
            with suppress(Exception):
                await work

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _is_frame(request: Request) -> bool:
    """Whether a request is for a document inside the page."""
    if not request.is_navigation_request():
        return False
    try:
        return request.frame.parent_frame is not None
    except Exception:  # The frame of a first navigation is not known yet.
        return False


async def _refuse_route(route: Route, *, asked_for_frame: bool) -> None:
    # A frame that could not be loaded at all has no place where a script could be run.
    if asked_for_frame:
        await route.fulfill(status=403, body="", content_type="text/html")
    else:
        await route.abort("blockedbyclient")
