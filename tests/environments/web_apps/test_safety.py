"""An agent that wants out: of the page, of the application, of the episode's folder."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Click, Goto, Key, NewTab, Type, Wait
from screenmark.environments.page_reader import PageReader
from screenmark.environments.web_apps import WebAppEnvironment, WebApps
from screenmark.environments.web_apps.world import VIEWPORT


@contextmanager
def listener() -> Iterator[tuple[int, list[str]]]:
    """A port of this machine that nobody may call, and who called."""
    called: list[str] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def wait() -> None:
            while True:
                try:
                    connection, address = server.accept()
                except OSError:
                    return
                called.append(str(address))
                connection.close()

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        yield server.getsockname()[1], called
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


async def begin(world: WebApps, task: str) -> WebAppEnvironment:
    environment = world.environment(40)
    assert isinstance(environment, WebAppEnvironment)
    await environment.reset(world.tasks()[f"webapps/{task}"], 0)
    return environment


def test_nothing_outside_of_the_episode_is_reached(tmp_path: Path) -> None:
    async def go() -> None:
        world = WebApps()
        await world.start()
        try:
            with listener() as (port, called):
                await leave_the_page(await begin(world, "sqlite-web-add-book"), port)
                await write_elsewhere(await begin(world, "sqlite-web-add-book"), tmp_path)
                await include_a_file(await begin(world, "fava-change-title"), tmp_path)
                assert called == []
        finally:
            await world.close()

    (tmp_path / "diary").write_text("2024-01-01 open Assets:Mine\n", encoding="utf-8")
    asyncio.run(go())
    assert [path.name for path in tmp_path.iterdir()] == ["diary"]
    assert (tmp_path / "diary").read_text(encoding="utf-8") == "2024-01-01 open Assets:Mine\n"


async def leave_the_page(environment: WebAppEnvironment, port: int) -> None:
    for url in (
        f"http://127.0.0.1:{port}/",
        f"http://localhost:{port}/",
        f"{environment.server.origin}@127.0.0.1:{port}/",
        "https://example.com/",
        "file:///etc/passwd",
        "view-source:file:///etc/passwd",
        "chrome://settings",
        f"javascript:fetch('http://127.0.0.1:{port}/')",
    ):
        step = await environment.step(Goto(url))
        assert step.observation.error is not None, url
        assert "root:" not in await environment.page.content()
    # What a page of the application itself would try, were it made to.
    await environment.page.evaluate(
        """port => {
          const to = `127.0.0.1:${port}`;
          fetch(`http://${to}/`, {mode: 'no-cors'}).catch(() => {});
          navigator.sendBeacon(`http://${to}/`, 'x');
          new Image().src = `http://${to}/`;
          new WebSocket(`ws://${to}/`);
          open(`http://${to}/`);
          const link = document.createElement('a');
          link.href = 'data:text/plain,x'; link.download = 'x'; link.click();
        }""",
        port,
    )
    step = await environment.step((Wait(0.5), NewTab()))
    notes = " ".join(step.observation.notes)
    assert "new tab" in notes
    assert "download was refused" in notes
    await environment.close()


async def write_elsewhere(environment: WebAppEnvironment, folder: Path) -> None:
    """SQL that would write files, by the form for queries."""
    page = PageReader(lambda: environment.page, VIEWPORT)
    for sql in (
        f"ATTACH '{folder}/new.db' AS other",
        f"VACUUM INTO '{folder}/copy.db'",
        "SELECT load_extension('x')",
    ):
        await environment.step(Goto(f"{environment.server.origin}/books/query/"))
        field = await page.place("textarea")
        turn: Sequence[Action] = (Click(field), Key(("ctrl", "a")), Type(sql))
        await environment.step(turn)
        step = await environment.step(Click(await page.place("button", "Execute")))
        assert step.observation.error is None
        assert re.search("not authorized|authorization denied", await environment.page.content())
    await environment.close()


async def include_a_file(environment: WebAppEnvironment, folder: Path) -> None:
    """A ledger that names other files, modules and folders."""
    page = PageReader(lambda: environment.page, VIEWPORT)
    await environment.step(Goto(f"{environment.server.origin}/household/editor/"))
    field = await page.place(".cm-content", at=(0.3, 0.9))
    await environment.step((Click(field), Key(("ctrl", "home"))))
    for line in (f'include "{folder}/diary"', 'plugin "antigravity"', 'include "/etc/passwd"'):
        await environment.step((Type(line), Key(("enter",))))
    await environment.step(Click(await page.place("article button[type=submit]", "Save")))
    written = environment.server.folder / "household.beancount"
    assert 'plugin "antigravity"' in written.read_text(encoding="utf-8")
    await environment.step((Wait(0.5), Goto(f"{environment.server.origin}/household/editor/")))
    shown = await environment.page.content()
    assert "root:" not in shown
    assert "Assets:Mine" not in shown
    await environment.close()
