"""Playwright's driver, and what is said when it ends before us."""

from __future__ import annotations

import asyncio
import gc
import os
import signal

import pytest
from psutil import Process

from screenmark.rendering.chromium import need_chromium
from screenmark.rendering.driver import SIGNALS_ARE_OURS, start_driver
from screenmark.rendering.processes import tree


def tree_of_us() -> list[Process]:
    """This process and all below it."""
    return tree(os.getpid())


def test_nothing_is_printed_of_a_driver_that_a_signal_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def go() -> None:
        me = {process.pid for process in tree_of_us()}
        playwright = await start_driver()
        driver = next(process for process in tree_of_us() if process.pid not in me)
        lost = asyncio.ensure_future(playwright.request.new_context())
        driver.send_signal(signal.SIGTERM)
        await asyncio.wait([lost], timeout=30)
        assert lost.exception() is not None
        await playwright.stop()

    asyncio.run(go())
    gc.collect()
    assert "driver" not in caplog.text


def test_a_browser_lives_on_when_everybody_is_interrupted() -> None:
    async def go() -> bool:
        me = {process.pid for process in tree_of_us()}
        playwright = await start_driver()
        browser = await playwright.chromium.launch(
            executable_path=str(need_chromium()), **SIGNALS_ARE_OURS
        )
        driver = next(process for process in tree_of_us() if process.pid not in me)
        driver.send_signal(signal.SIGINT)  # as Ctrl-C in a terminal does to all of a group
        page = await browser.new_page()
        answer = await page.evaluate("1 + 1")
        await browser.close()
        await playwright.stop()
        return bool(answer == 2)

    assert asyncio.run(go())
