"""An endpoint that answers every chat completion after a fixed time, in its own process.

Usage: ``python -m bench.endpoint SECONDS [short]``; prints its port; ends with its input.
"""

from __future__ import annotations

import asyncio
import sys

import orjson
from aiohttp import web

_ELEMENTS = [
    {
        "type": "text",
        "index": n,
        "description": f"Element number {n}",
        "coordinates": [10 + n, 20 * n, 200 + n, 20 * n + 18],
    }
    for n in range(40)
]


def make_app(seconds: float, content: str) -> web.Application:
    """Reads the whole request, waits, and answers."""
    answer = orjson.dumps(
        {
            "id": "bench",
            "object": "chat.completion",
            "model": "bench",
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": content,
                    },
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500},
        }
    )

    async def complete(request: web.Request) -> web.Response:
        await request.read()
        await asyncio.sleep(seconds)
        return web.Response(body=answer, content_type="application/json")

    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", complete)
    return app


async def main(seconds: float, short: bool) -> None:
    content = "(0.5, 0.5)" if short else orjson.dumps(_ELEMENTS).decode()
    runner = web.AppRunner(make_app(seconds, content), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), "short" in sys.argv[2:]))
