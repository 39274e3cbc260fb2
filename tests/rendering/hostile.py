"""Pages that mean no good, and a service on this machine that none of them may reach."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ENDLESS = "<h1>busy</h1><script>while (true) {}</script>"

ENDLESS_LATER = """<h1>busy soon</h1>
<script>addEventListener("load", () => setTimeout(() => { while (true) {} }, 50))</script>"""

TWO_GIGABYTES = """<h1>hungry</h1><script>
const kept = [];
for (let i = 0; i < 32; i++) kept.push(new Uint8Array(64 << 20).fill(i + 1));
document.title = "all of it";
</script>"""

HUNDRED_WINDOWS = """<h1 style="font-size: 200px">windows</h1>
<a id="link" href="about:blank#link" target="_blank">more</a><script>
for (let i = 0; i < 50; i++) window.open("about:blank#" + i);
for (let i = 0; i < 50; i++) document.getElementById("link").click();
</script>"""

MEDDLER = """<body style="background: teal"><h1>Overrides</h1><script>
__screenmark.maps = null;
Array.prototype.map = () => ["x"];
Array.prototype.push = function () { throw 1; };
Array.prototype.filter = function () { throw 1; };
JSON.stringify = () => '{"settled": true}';
JSON.parse = () => ({});
window.Promise = class { then() {} static resolve() {} static all() {} };
Object.keys = () => { throw 2; };
Object.entries = () => [];
Map = Set = function () {};
Boolean = () => false;
requestAnimationFrame = setTimeout = () => {};
Date.now = performance.now = () => 0;
Object.prototype.toJSON = () => "x";
Function.prototype.call = () => {};
</script>"""


def reaching(port: int) -> str:
    """A page that tries every way to a service of this machine that a page has."""
    address = f"127.0.0.1:{port}"
    return f"""<h1 style="font-size: 200px">reaching</h1>
<link rel="preconnect" href="http://{address}/preconnect">
<link rel="prefetch" href="http://{address}/prefetch">
<img src="http://{address}/image"><iframe src="http://{address}/frame"></iframe>
<form id="form" action="http://{address}/form" method="post" target="f"></form>
<iframe name="f"></iframe>
<script>
const say = () => {{}};
fetch("http://{address}/fetch").catch(say);
fetch("http://localhost:{port}/fetch").catch(say);
fetch("http://[::ffff:127.0.0.1]:{port}/fetch").catch(say);
navigator.sendBeacon("http://{address}/beacon", "x");
new WebSocket("ws://{address}/socket").onerror = say;
new EventSource("http://{address}/events").onerror = say;
new Worker(URL.createObjectURL(new Blob(['fetch("http://{address}/worker").catch(() => 0)'])));
document.getElementById("form").submit();
setTimeout(() => {{ location.href = "http://{address}/navigation" }}, 100);
</script>"""


@contextmanager
def local_service() -> Iterator[tuple[int, list[str]]]:
    """A service on a free port; gives the port, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
