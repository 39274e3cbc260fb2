"""When a page has come to rest.

A page is at rest when its load event is over, no request is in flight, no map engine, font,
image or finite animation is still busy in any frame, and two pictures taken a moment apart are
the same.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from screenmark.rendering.record import Readiness
from screenmark.rendering.scripts import script

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

    from screenmark.rendering.interception import Interception
    from screenmark.rendering.options import RenderOptions

_LOOK_S = 0.05
_BETWEEN_PICTURES_S = 0.15
_QUIET_S = 0.15
_FRAME_S = 2.0
_PICTURE_S = 10.0
_SHOWN = 3

NO_ANSWER = "the page does not answer"
_CHANGING = "the picture keeps changing"
_NOT_ASKED = "the page cannot be asked"
_DIALOGS = "dialogs hold it up"
_NOT_WATCHED = "the scripts that watch the page were not run"


async def wait_until_ready(
    page: Page, interception: Interception, options: RenderOptions, started: float
) -> tuple[Readiness, bytes | None]:
    """Wait by the rule of the options.

    Args:
        page: a page whose loading has begun.
        interception: knows what is in flight.
        options: the rule and its limits.
        started: ``time.monotonic()`` when loading began.

    Returns:
        How it went, and the picture that was found to be at rest, if one was.
    """
    fixed = options.fixed_wait
    if fixed is None:
        return await _settle(page, interception, options, started)
    reasons = () if await _loaded(page, options, started) else ("document loading",)
    await asyncio.sleep(fixed)
    seconds = round(time.monotonic() - started, 3)
    found = Readiness(rule=options.wait, seconds=seconds, capped=bool(reasons), reasons=reasons)
    return found, None


def needs_patience(reasons: Iterable[str]) -> bool:
    """Whether more time may help: a page did not answer, or was at work.

    A picture that changes for ever, a page that meddles with its watchers, and one that goes on
    opening dialogs stay so.

    Args:
        reasons: of a `Readiness`; empty if the page had settled.
    """
    reasons = list(reasons)
    if any(text.startswith(_DIALOGS) for text in reasons):
        return False
    return any(not text.startswith((_CHANGING, _NOT_ASKED, _NOT_WATCHED)) for text in reasons)


async def _loaded(page: Page, options: RenderOptions, started: float) -> bool:
    from playwright.async_api import TimeoutError as PlaywrightTimeout

    left = max(0.1, options.settle_s - (time.monotonic() - started))
    try:
        await page.wait_for_load_state("load", timeout=left * 1000)
    except PlaywrightTimeout:
        return False
    return True


async def _settle(
    page: Page, interception: Interception, options: RenderOptions, started: float
) -> tuple[Readiness, bytes | None]:
    end = started + options.settle_s
    before: bytes | None = None
    reasons = ["document loading"]
    while (left := end - time.monotonic()) > 0:
        reasons = await _going_on(page, interception, left)
        if reasons:
            before = None
            await asyncio.sleep(_LOOK_S)
            continue
        before_picture = time.monotonic()
        png = await _picture(page, min(left, _PICTURE_S))
        took = time.monotonic() - before_picture
        if png is None:
            reasons = ["no picture could be taken"]
        elif png == before:
            return _readiness(options, started), png
        else:
            before, reasons = png, [_CHANGING]
            # On a machine that is slow to draw, a page is slow to change.
            await asyncio.sleep(max(_BETWEEN_PICTURES_S, took / 2))
    if interception.dialogs:
        reasons = [f"{_DIALOGS}: {interception.dialogs}", *reasons]
    return _readiness(options, started, reasons), None


def _readiness(
    options: RenderOptions, started: float, reasons: list[str] | None = None
) -> Readiness:
    return Readiness(
        rule=options.wait,
        seconds=round(time.monotonic() - started, 3),
        capped=reasons is not None,
        reasons=tuple(reasons or ()),
    )


async def _picture(page: Page, seconds: float) -> bytes | None:
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as PlaywrightTimeout

    try:
        return await take_picture(page, seconds)
    except PlaywrightTimeout:
        return None
    except Error as error:
        # So it says while a window that the page opened is still being closed.
        if "Unable to capture" in str(error):
            return None
        raise


async def take_picture(page: Page, seconds: float) -> bytes:
    """A screenshot with every animation at its end, or, if it has none, at its start."""
    png: bytes = await page.screenshot(
        type="png", animations="disabled", caret="hide", timeout=seconds * 1000
    )
    return png


async def _going_on(page: Page, interception: Interception, seconds: float) -> list[str]:
    """What the page is still busy with, in words."""
    going: list[str] = []
    for frame in page.frames:
        patience = seconds if frame is page.main_frame else min(seconds, _FRAME_S)
        going += await _frame_going_on(frame, interception, patience)
    waiting = interception.in_flight
    going += [f"waiting for {url[:200]}" for url in waiting[:_SHOWN]]
    if not going and interception.quiet_s < _QUIET_S:
        going.append("data just arrived")
    return going


async def _frame_going_on(frame: Frame, interception: Interception, seconds: float) -> list[str]:
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(seconds):
            found = _busy(await frame.evaluate(script("busy.js"), interception.has_failed))
    except TimeoutError:
        # A frame that never came to be cannot be waited for; one that hangs takes the page along.
        return [NO_ANSWER] if frame.parent_frame is None else []
    except Error as error:
        if frame.page.is_closed():
            raise
        text = str(error).splitlines()[0]
        if frame.is_detached() or "navigat" in text or "destroyed" in text:
            return ["a frame is changing"]
        # A page that meddles with what we ask it is photographed when its time is over.
        return [f"{_NOT_ASKED} ({text[:120]})"]
    except Exception:  # Playwright reads what a page made of its answer, which may be anything.
        found = None
    if found is None:
        return []  # Nothing is known, so that the pictures decide.
    interception.note_popups(found.popups)
    if not found.hooked and frame.url.startswith("http"):
        return [_NOT_WATCHED]
    return found.going


class _Busy(msgspec.Struct, frozen=True):
    """What ``busy.js`` gives."""

    going: list[str]
    popups: list[str]
    hooked: bool


def _busy(answer: Any) -> _Busy | None:
    """The answer of ``busy.js``; None for anything else, since a page may have replaced it."""
    try:
        return msgspec.convert(answer, _Busy)
    except (msgspec.ValidationError, RecursionError):
        return None
