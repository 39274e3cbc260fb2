"""What a page may reach: its own origin, and no other port of this machine by any way."""

from __future__ import annotations

import asyncio
import http.server
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from screenmark.environments.browser import Browser
from screenmark.geometry import Size

if TYPE_CHECKING:
    from playwright.async_api import Page


class Calls(list[str]):
    """Who called at a port that nobody may call, by TCP or UDP."""

    port = 0


@contextmanager
def forbidden() -> Iterator[Calls]:
    """One port of 127.0.0.1, listened at by TCP and UDP."""
    calls = Calls()
    with closing(socket.create_server(("127.0.0.1", 0))) as tcp:
        calls.port = tcp.getsockname()[1]
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as udp:
            udp.bind(("127.0.0.1", calls.port))
            threads = [threading.Thread(target=f, daemon=True) for f in _listeners(tcp, udp, calls)]
            for thread in threads:
                thread.start()
            yield calls
            with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as end:
                end.sendto(b"end", ("127.0.0.1", calls.port))
            tcp.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(5)


def _listeners(
    tcp: socket.socket, udp: socket.socket, calls: Calls
) -> tuple[Callable[[], None], Callable[[], None]]:
    def streams() -> None:
        while True:
            try:
                connection, _ = tcp.accept()
            except OSError:
                return
            connection.settimeout(1)
            with connection:
                try:
                    calls.append(f"TCP {connection.recv(200)!r}")
                except OSError:
                    calls.append("TCP")

    def datagrams() -> None:
        while (data := udp.recv(2000)) != b"end":
            calls.append(f"UDP {data[:40]!r}")

    return streams, datagrams


@contextmanager
def application(elsewhere: str) -> Iterator[str]:
    """An application that sends its visitors ``elsewhere`` by everything a server can say."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            headers, status = {"Content-Type": "text/html"}, 200
            match path:
                case "/302" | "/307" | "/308":
                    headers["Location"], status = elsewhere, int(path[1:])
                case "/refresh":
                    headers["Refresh"] = f"0;url={elsewhere}"
                case "/link":
                    headers["Link"] = (
                        f"<{elsewhere}a.css>; rel=preload; as=style, <{elsewhere}>; rel=preconnect,"
                        f" <{elsewhere}b>; rel=prefetch, <{elsewhere}c>; rel=dns-prefetch"
                    )
                case "/report":
                    headers["Content-Security-Policy"] = (
                        f"script-src 'none'; report-uri {elsewhere}; report-to out"
                    )
                    headers["Reporting-Endpoints"] = f'out="{elsewhere}"'
                    headers["NEL"] = '{"report_to": "out", "max_age": 99, "success_fraction": 1}'
                case "/worker.js":
                    headers["Content-Type"] = "text/javascript"
                case "/file":
                    headers["Content-Disposition"] = "attachment; filename=x.bin"
            body = self.body(path).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def body(self, path: str) -> str:
            if path == "/worker.js":
                return f"fetch('{elsewhere}').catch(() => {{}}); onfetch = () => {{}}"
            return (
                f"<title>own</title><link rel=icon href='{elsewhere}i.png'>"
                f"<link rel=manifest href='{elsewhere}m'><script>1</script>"
                f"<link rel=prefetch href='{elsewhere}p'><link rel=preconnect href='{elsewhere}'>"
                if path in {"/", "/report"}
                else "<title>own</title>"
            )

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


BY_SCRIPT = """async to => {
  const url = `http://${to}/`, quietly = async f => { try { await f(); } catch {} };
  const form = (method, type) => {
    const made = document.createElement('form');
    Object.assign(made, {action: url, method, target: '_blank', enctype: type});
    document.body.append(made);
    made.submit();
  };
  const element = (name, fields) => document.body.append(
    Object.assign(document.createElement(name), fields));
  await quietly(() => fetch(url, {mode: 'no-cors'}));
  await quietly(() => fetch(url, {method: 'POST', mode: 'no-cors', keepalive: true, body: 'x'}));
  for (const code of [302, 307, 308]) await quietly(() => fetch(`/${code}`, {mode: 'no-cors'}));
  await quietly(() => navigator.sendBeacon(url, 'x'));
  await quietly(() => navigator.sendBeacon('/307', 'x'));
  await quietly(() => new WebSocket(`ws://${to}/`));
  await quietly(() => new EventSource(url));
  await quietly(() => new EventSource('/302'));
  await quietly(() => new Image().src = url);
  await quietly(() => new Image().src = '/302?image');
  await quietly(() => new WebTransport(`https://${to}/`));
  await quietly(() => { const x = new XMLHttpRequest(); x.open('GET', url); x.send(); });
  await quietly(() => import(url));
  await quietly(() => new Worker('/worker.js'));
  await quietly(() => new SharedWorker('/worker.js'));
  await quietly(() => new Worker(URL.createObjectURL(new Blob([`fetch('${url}')`]))));
  await quietly(() => navigator.serviceWorker.register('/worker.js'));
  element('iframe', {src: url});
  element('iframe', {src: '/302?frame'});
  element('iframe', {srcdoc: `<img src="${url}"><meta http-equiv=refresh content="0;url=${url}">`});
  element('script', {src: url});
  element('link', {rel: 'stylesheet', href: url});
  element('video', {src: url, preload: 'auto'});
  element('object', {data: url});
  element('embed', {src: url});
  element('a', {href: '/', ping: url, id: 'pinged', textContent: 'x', target: '_blank'});
  element('style', {textContent: `@import '${url}'; body { background: url(${url}z) }
    @font-face { font-family: f; src: url(${url}f) } body { font-family: f }`});
  document.getElementById('pinged').click();
  form('post', 'text/plain');
  form('get', '');
  open(url); open('/302?open'); open('/refresh'); open('/link'); open('/report');
  await quietly(async () => {
    const servers = [`stun:${to}`, `turn:${to}?transport=tcp`, `turn:${to}?transport=udp`];
    const peer = new RTCPeerConnection({iceServers: servers.map(
      urls => ({urls, username: 'u', credential: 'p'}))});
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
  });
  await quietly(async () => {
    const peer = new RTCPeerConnection();
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
    const [host, port] = to.split(':');
    for (const kind of ['udp', 'tcp']) await peer.addIceCandidate({sdpMid: '0',
      candidate: `candidate:1 1 ${kind} 1 ${host} ${port} typ host tcptype passive`});
  });
  await new Promise(done => setTimeout(done, 800));
}"""


def visit(do: Callable[[Page, Calls, str], Awaitable[None]], *, guarded: bool = True) -> Calls:
    """Open the application's page in a context that reaches it alone; who called elsewhere."""

    async def go() -> None:
        browser = Browser()
        await browser.start()
        assert browser._browser is not None
        context = await (
            browser.context(Size(400, 300), origins=[origin])
            if guarded
            else browser._browser.new_context()
        )
        try:
            page = await context.new_page()
            await page.goto(f"{origin}/")
            await do(page, calls, origin)
        finally:
            await context.close()
            await browser.close()

    with forbidden() as calls, application(f"http://127.0.0.1:{calls.port}/") as origin:
        asyncio.run(go())
    return calls


def leave_for(*hosts: str) -> Callable[[Page, Calls, str], Awaitable[None]]:
    async def leave(page: Page, calls: Calls, origin: str) -> None:
        for host in hosts:
            await page.evaluate(BY_SCRIPT, f"{host}:{calls.port}")
            await page.goto(f"{origin}/")

    return leave


@pytest.mark.parametrize(
    "hosts",
    [
        ("127.0.0.1",),
        pytest.param(
            ("localhost", "127.1", "[::1]", "0.0.0.0", "127.0.0.2"),
            marks=pytest.mark.full,
        ),
    ],
    ids=["the address", "other names for it"],
)
def test_no_other_port_is_reached_by_any_way(hosts: tuple[str, ...]) -> None:
    assert visit(leave_for(*hosts)) == []


@pytest.mark.full
def test_these_ways_do_lead_elsewhere_where_nobody_guards() -> None:
    called = visit(leave_for("127.0.0.1"), guarded=False)
    assert len(called) >= 15
    for way in ("TCP b'GET /", "TCP b'POST /", "GET /i.png", "UDP"):
        assert any(way in call for call in called), way


def test_no_header_leads_elsewhere() -> None:
    from playwright.async_api import Error

    async def follow(page: Page, calls: Calls, origin: str) -> None:
        for path in ("/302", "/307", "/308"):
            with pytest.raises(Error, match="ERR_"):
                await page.goto(origin + path)
        for path in ("/refresh", "/link", "/report"):
            with suppress(Error):  # interrupted, if it is quick to lead to nowhere
                await page.goto(origin + path)
            await page.wait_for_timeout(200)

    assert visit(follow) == []


def test_nothing_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No service worker, no downloaded file, nothing read from the clipboard."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def downloads() -> list[Path]:
        return [*tmp_path.rglob("x.bin*"), *tmp_path.rglob("*artifacts*/*")]

    async def try_to(page: Page, calls: Calls, origin: str) -> None:
        ask = "navigator.serviceWorker.register('/worker.js').catch(() => null)"
        await page.evaluate(f"Promise.race([{ask}, new Promise(go => setTimeout(go, 300))])")
        assert await page.evaluate("navigator.serviceWorker.controller") is None
        await page.evaluate("location = '/file'")
        await page.wait_for_timeout(300)
        assert downloads() == []
        await page.click("body")
        read = "navigator.clipboard.readText().then(() => 'read', error => error.name)"
        timer = "new Promise(go => setTimeout(go, 500, 'nothing'))"
        assert await page.evaluate(f"Promise.race([{read}, {timer}])") != "read"

    visit(try_to)
    assert [path for path in tmp_path.iterdir() if not path.name.startswith(".")] == []
