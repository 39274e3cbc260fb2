"""An agent that wants out: of the page, of the application, of the episode's folder."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from screenmark.answers.actions.schema import Goto, NewTab, Wait
from screenmark.environments.web_apps import WebAppEnvironment, WebApps
from screenmark.environments.web_apps.server import AppServer
from screenmark.environments.web_apps.states import first_state, put


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


def test_a_browser_reaches_its_application_alone() -> None:
    async def go() -> None:
        world = WebApps()
        await world.start()
        try:
            with listener() as (port, called):
                await leave_the_page(await begin(world, "sqlite-web-add-book"), port)
                assert called == []
        finally:
            await world.close()

    asyncio.run(go())


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


@contextmanager
def served(app: str, state: str | None = None) -> Iterator[AppServer]:
    """An application without a browser before it."""
    with asyncio.Runner() as runner:
        server = AppServer(app)
        put(app, state or first_state(app), server.folder)
        try:
            runner.run(server.start())
            yield server
        finally:
            runner.run(server.close())


def call(url: str, data: bytes | None = None, method: str | None = None) -> str:
    kind = "application/json" if method else "application/x-www-form-urlencoded"
    request = urllib.request.Request(url, data, {"Content-Type": kind}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return str(answer.read().decode("utf-8"))
    except urllib.error.HTTPError as error:
        with error:
            return error.read().decode("utf-8")


def test_sql_writes_no_other_file(tmp_path: Path) -> None:
    with served("sqlite-web") as server:
        for sql in (
            f"ATTACH '{tmp_path}/new.db' AS other",
            f"VACUUM INTO '{tmp_path}/copy.db'",
            "SELECT load_extension('x')",
        ):
            form = urllib.parse.urlencode({"sql": sql}).encode()
            shown = call(f"{server.origin}/books/query/", form)
            assert re.search("not authorized|authorization denied", shown), sql
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_loads_no_plugin(tmp_path: Path) -> None:
    with served("fava") as server:
        assert "data" in save(server, 'plugin "this"\n')
        assert "plugins are switched off" in call(f"{server.origin}/household/api/errors")


@pytest.mark.parametrize("pattern", ["diary", "*"])
def test_a_ledger_includes_nothing_from_elsewhere(tmp_path: Path, pattern: str) -> None:
    other = tmp_path / "diary"
    other.write_text("2024-01-01 open Assets:Mine\n", encoding="utf-8")
    with served("fava") as server:
        save(server, f'include "{tmp_path}/{pattern}"\n')
        api = f"{server.origin}/household/api"
        assert "include" in (server.folder / "household.beancount").read_text(encoding="utf-8")
        assert "Assets:Mine" not in call(f"{api}/ledger_data")
        stolen = call(f"{api}/source?{urllib.parse.urlencode({'filename': str(other)})}")
        assert "Assets:Mine" not in stolen
    assert other.read_text(encoding="utf-8") == "2024-01-01 open Assets:Mine\n"


def test_a_ledger_that_is_hostile_from_the_start(tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'got')!r}, 'w').close()\n__plugins__ = ()\n"
    secret = tmp_path / "Assets" / "2024-01-01.secret.txt"
    secret.parent.mkdir()
    secret.write_text("secret words", encoding="utf-8")
    lines = (
        'option "insert_pythonpath" "TRUE"\nplugin "mine"\n'
        f'include "{tmp_path}/other.beancount"\n2024-01-02 document Assets "{secret}"\n'
    )
    with served("fava", lines + first_state("fava")) as server:
        (server.folder / "mine.py").write_text(code, encoding="utf-8")
        api = f"{server.origin}/household/api"
        assert "plugins are switched off" in call(f"{api}/errors")
        query = urllib.parse.urlencode({"filename": str(secret)})
        assert "secret words" not in call(f"{server.origin}/household/document/?{query}")
    assert not (tmp_path / "got").exists()
    looks = f'option "documents" "{tmp_path}"\n'
    with served("fava", looks + first_state("fava")) as server:
        assert "secret" not in call(f"{server.origin}/household/api/ledger_data")


def save(server: AppServer, lines: str) -> dict[str, Any]:
    """Write lines at the top of the ledger, as its editor does."""
    file = str(server.folder / "household.beancount")
    api = f"{server.origin}/household/api/source"
    before = json.loads(call(f"{api}?{urllib.parse.urlencode({'filename': file})}"))["data"]
    change = {"file_path": file, "source": lines + before["source"]}
    change["sha256sum"] = before["sha256sum"]
    answer: dict[str, Any] = json.loads(call(api, json.dumps(change).encode(), "PUT"))
    return answer
