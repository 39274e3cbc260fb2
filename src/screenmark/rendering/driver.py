"""Playwright's own process, from which browsers are driven, and who heeds signals."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.async_api import Playwright

SIGNALS_ARE_OURS: Final = {
    "handle_sigint": False,
    "handle_sigterm": False,
    "handle_sighup": False,
}
"""For launching browsers: Ctrl-C lets what is in flight be finished, so they have to live on."""

_GONE: Final = "Connection closed while reading from the driver"


async def start_driver() -> Playwright:
    """Start Playwright.

    A signal to the whole group of processes, as ``timeout`` sends it, ends the driver before us.
    asyncio would then print what nobody can use about each of its futures.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    from playwright.async_api import async_playwright

    logger = logging.getLogger("asyncio")
    if _is_worth_saying not in logger.filters:
        logger.addFilter(_is_worth_saying)
    return await async_playwright().start()


def _is_worth_saying(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return _GONE not in str(error)
