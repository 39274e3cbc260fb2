"""One browser process for many episodes: each has a context of its own and reaches no network."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from screenmark.errors import EnvironmentFailure, MissingExtra
from screenmark.geometry import Size
from screenmark.rendering.chromium import need_chromium
from screenmark.rendering.driver import SIGNALS_ARE_OURS, start_driver
from screenmark.rendering.errors import RenderingError
from screenmark.rendering.scratch import Scratch

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext, Playwright

# Names do not resolve, so nothing that the filter of requests does not see (a web socket, a
# prefetch) leaves the machine either.
_FLAGS: Final = (
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    *("--disable-default-apps", "--disable-domain-reliability", "--dns-prefetch-disable"),
    *("--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb"),
    *("--font-render-hinting=none", "--webrtc-ip-handling-policy=disable_non_proxied_udp"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
# Web sockets and beacons pass by the filter of requests; a proxy that nobody runs takes them.
_NOWHERE: Final = "http://127.0.0.1:1"
_START_SECONDS: Final = 60.0


class Browser:
    """The system's Chromium, started when first used and again if it died."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._browser: PlaywrightBrowser | None = None
        self._scratch: Scratch | None = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Bring it up, if it is not.

        Raises:
            MissingExtra: Playwright is not installed.
            EnvironmentFailure: there is no Chromium, or it does not come up.
        """
        async with self._lock:
            if self._browser is not None and self._browser.is_connected():
                return
            try:
                from playwright.async_api import Error
            except ModuleNotFoundError:
                raise MissingExtra("a browser as environment", "env") from None
            await self._drop_scratch()
            try:
                async with asyncio.timeout(_START_SECONDS):
                    if self._playwright is None:
                        self._playwright = await start_driver()
                    program = need_chromium()
                    self._scratch = await asyncio.to_thread(Scratch)
                    self._browser = await self._playwright.chromium.launch(
                        executable_path=program,
                        args=list(_FLAGS),
                        env=self._scratch.environment,
                        **SIGNALS_ARE_OURS,
                    )
            except RenderingError as error:
                raise EnvironmentFailure(str(error)) from None
            except (Error, TimeoutError) as error:
                raise EnvironmentFailure(
                    f"the browser does not start ({_first_line(error)})"
                ) from None

    async def context(
        self, size: Size, scale: float = 1.0, origins: Sequence[str] = ()
    ) -> BrowserContext:
        """A context for one episode.

        Args:
            size: of its pages in CSS pixels.
            scale: pixels of a screenshot for one CSS pixel.
            origins: what it reaches, as ``http://127.0.0.1:8000``; nothing else, whatever
                asks for it.

        Raises:
            EnvironmentFailure: the browser is not there.
        """
        from playwright.async_api import Error

        await self.start()
        assert self._browser is not None  # noqa: S101 - started above
        try:
            context = await self._browser.new_context(
                viewport={"width": size.width, "height": size.height},
                device_scale_factor=scale,
                accept_downloads=False,
                service_workers="block",
                locale="en-US",
                timezone_id="UTC",
                reduced_motion="reduce",
                color_scheme="light",
                proxy={"server": _NOWHERE, "bypass": _hosts(origins)},
            )
            await context.route(elsewhere(origins), _abort)
        except Error as error:
            raise EnvironmentFailure(
                f"the browser gives no new context ({_first_line(error)})"
            ) from None
        return context

    async def close(self) -> None:
        """End the process."""
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        if browser is not None:
            await browser.close()
        if playwright is not None:
            await playwright.stop()
        await self._drop_scratch()

    async def _drop_scratch(self) -> None:
        scratch, self._scratch = self._scratch, None
        if scratch is not None:
            await asyncio.to_thread(scratch.close)


def _hosts(origins: Sequence[str]) -> str:
    """Hosts with their ports, as a browser's list of what goes by no proxy."""
    return ",".join(origin.partition("://")[2].rstrip("/") for origin in origins)


def elsewhere(origins: Sequence[str]) -> re.Pattern[str]:
    """Every address but those of ``origins`` and what a page holds itself."""
    own = [re.escape(origin.rstrip("/")) + r"(?:[/?#]|$)" for origin in origins]
    return re.compile(rf"^(?!(?:data:|blob:|about:blank|about:srcdoc|{'|'.join(own) or '$^'}))")


async def _abort(route: object) -> None:
    from playwright.async_api import Error, Route

    assert isinstance(route, Route)  # noqa: S101 - what Playwright hands over
    try:
        await route.abort("blockedbyclient")
    except Error:
        return  # the page went away meanwhile


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
