"""A page that is open in a browser."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from screenmark.rendering.errors import PageLostError, RenderingError
from screenmark.rendering.picture import measure
from screenmark.rendering.readiness import take_picture, wait_until_ready
from screenmark.rendering.record import PageRecord, Readiness

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from playwright.async_api import Frame, Page

    from screenmark.rendering.interception import Interception
    from screenmark.rendering.options import RenderOptions
    from screenmark.rendering.slot import Slot

_FRAME_S = 2.0


class FrameValue(msgspec.Struct, frozen=True, kw_only=True):
    """What one frame of a page answered.

    Attributes:
        url: the frame's address; ``about:srcdoc`` for one written into an attribute.
        name: its name, "" for most.
        depth: 0 for the page itself, 1 for a frame in it, …
        value: what the script gave, as JSON.
        error: why there is no value; "" if there is one.
    """

    url: str
    name: str
    depth: int
    value: Any = None
    error: str = ""


class LivePage:
    """A page that is open; made by `Renderer.open`.

    Attributes:
        record: what has happened so far.
        page: Playwright's page, for what this class does not offer. Calls on it have no time
            limit but the page's own.
    """

    def __init__(
        self,
        page: Page,
        slot: Slot,
        interception: Interception,
        record: PageRecord,
        options: RenderOptions,
    ) -> None:
        self.page = page
        self.record = record
        self._slot = slot
        self._interception = interception
        self._options = options
        self._started = time.monotonic()
        self._settled: bytes | None = None
        page.on("crash", lambda _: self._crashed())

    async def load(self, url: str) -> None:
        """Begin to load the page; `Renderer.open` does this."""
        self._started = time.monotonic()
        await self._guard(
            self.page.goto(url, wait_until="commit", timeout=self._options.page_s * 1000),
            self._options.page_s,
        )

    async def ready(self) -> Readiness:
        """Wait as the option ``wait`` says; never longer than ``settle_s`` for ``ready``.

        Returns:
            How it went; also in the record.

        Raises:
            PageLostError: the page crashed or was ended.
        """
        found: Readiness
        found, png = await self._guard(
            wait_until_ready(self.page, self._interception, self._options, self._started),
            self._options.page_s,
        )
        self._settled = png
        self.record.readiness = found
        return found

    async def screenshot(self) -> bytes:
        """The page as a PNG of ``width`` x ``height`` pixels; what it shows goes into the record.

        After `ready`, the picture that was found to be at rest, the first time.

        Raises:
            PageLostError: the page does not answer, crashed or was ended.
        """
        png, self._settled = self._settled, None
        if png is None:
            png = await self._guard(
                take_picture(self.page, self._options.call_s), self._options.page_s
            )
        self.record.picture = measure(png)
        return png

    async def evaluate(self, script: str, argument: Any = None) -> Any:
        """Run JavaScript in the page and give what it returns.

        Args:
            script: an expression, or a function, which is called with ``argument``.
            argument: anything that JSON can hold.

        Raises:
            PageLostError: no answer within ``call_s``, or the page is gone.
            RenderingError: the script raised an error.
        """
        return await self._evaluate(self.page.main_frame, script, argument)

    async def evaluate_frames(self, script: str, argument: Any = None) -> list[FrameValue]:
        """Run JavaScript in the page and in every frame of it, the page first.

        Raises:
            PageLostError: no answer within ``call_s``, or the page is gone.
        """
        values = []
        for frame in self.page.frames:
            value, error = None, ""
            try:
                if frame is not self.page.main_frame and not await _answers(frame):
                    error = "the frame does not answer"
                else:
                    value = await self._evaluate(frame, script, argument)
            except PageLostError:
                raise
            except RenderingError as problem:
                error = str(problem)
            values.append(
                FrameValue(
                    url=frame.url, name=frame.name, depth=_depth(frame), value=value, error=error
                )
            )
        return values

    async def _evaluate(self, frame: Frame, script: str, argument: Any) -> Any:
        from playwright.async_api import Error

        try:
            return await self._guard(frame.evaluate(script, argument), self._options.call_s)
        except Error as error:
            raise RenderingError(f"in the page: {str(error).strip().splitlines()[0]}") from None
        except PageLostError:
            raise
        except Exception as error:  # Playwright reads what a page may have made of its answer.
            raise RenderingError(f"in the page: the answer cannot be read ({error!r})") from None

    async def _guard(self, work: Awaitable[Any], seconds: float) -> Any:
        """Wait for something that the page has a hand in, but not endlessly."""
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        try:
            async with asyncio.timeout(seconds):
                return await work
        except (TimeoutError, PlaywrightTimeout):
            self._slot.end("hung")
            raise self._gone() from None
        except Error:
            if self._is_gone():
                raise self._gone() from None
            raise
        finally:
            self.record.seconds = round(time.monotonic() - self._started, 3)

    def _is_gone(self) -> bool:
        if self._slot.lost is None and self.page.is_closed():
            self._slot.end("browser")
        return self._slot.lost is not None

    def _gone(self) -> PageLostError:
        self.record.lost = self._slot.lost or "browser"
        text = f"{self.record.page}: {self.record.warnings[0]}"
        return PageLostError(text, self.record)

    def _crashed(self) -> None:
        self._slot.end("crashed")


async def _answers(frame: Frame) -> bool:
    """Whether a script can be run in a frame; in one that could not be loaded it cannot."""
    with suppress(Exception):
        async with asyncio.timeout(_FRAME_S):
            await frame.evaluate("0")
            return True
    return False


def _depth(frame: Frame) -> int:
    depth, parent = 0, frame.parent_frame
    while parent is not None:
        depth, parent = depth + 1, parent.parent_frame
    return depth
