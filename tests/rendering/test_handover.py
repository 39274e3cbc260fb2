"""Large bodies go round the pipe to Playwright's driver, and nobody else gets them."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Route

from screenmark.rendering import Renderer, RenderOptions
from screenmark.rendering.driver import start_driver
from screenmark.rendering.handover import LARGE, handed_over

BODY = bytes(range(256)) * (LARGE // 256 + 1)


class Asking:
    """In the place of the driver; asks for another address first."""

    def __init__(self) -> None:
        self.refused = False
        self.disposed = 0

    async def get(self, url: str, **_: Any) -> Asking:
        try:
            await asyncio.to_thread(urllib.request.urlopen, url[:-1])
        except (OSError, urllib.error.URLError):
            self.refused = True
        self.url = url
        return self

    async def dispose(self) -> None:
        self.disposed += 1


def test_a_body_is_given_to_the_driver_whole() -> None:
    async def go() -> bytes:
        playwright = await start_driver()
        requests = await playwright.request.new_context()
        async with handed_over(BODY, requests) as response:
            assert response is not None
            body: bytes = await response.body()
        await playwright.stop()
        return body

    assert asyncio.run(go()) == BODY


def test_it_is_given_to_nobody_who_does_not_know_the_address_and_not_for_long() -> None:
    async def go() -> Asking:
        asking = Asking()
        async with handed_over(BODY, asking):
            with pytest.raises((OSError, urllib.error.URLError)):
                await asyncio.to_thread(urllib.request.urlopen, asking.url)
        return asking

    asking = asyncio.run(go())
    assert asking.refused
    assert asking.disposed == 1


def test_a_machine_without_sockets_uses_the_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(*_: object) -> None:
        raise OSError("no sockets")

    async def go() -> object:
        async with handed_over(BODY, Asking()) as response:
            return response

    monkeypatch.setattr(asyncio, "start_server", none)
    assert asyncio.run(go()) is None


def test_a_large_page_and_its_data_do_not_go_through_the_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    fulfill = Route.fulfill

    async def noted(self: Route, **how: Any) -> None:
        sent.append(len(how.get("body", b"")))
        await fulfill(self, **how)

    monkeypatch.setattr(Route, "fulfill", noted)
    (tmp_path / "big.js").write_text("window.big = 1;" + " " * LARGE, encoding="utf-8")
    page = tmp_path / "1.html"
    page.write_text(
        "<!doctype html><title>한국</title><script src='big.js'></script>"
        f"<!--{'x' * LARGE}--><script>window.after = 2</script>",
        encoding="utf-8",
    )

    async def go() -> Any:
        async with Renderer(RenderOptions(pages=1)) as renderer, renderer.open(page) as live:
            await live.ready()
            return await live.evaluate("[document.title, big, after]")

    assert asyncio.run(go()) == ["한국", 1, 2]
    assert max(sent) < LARGE
