"""``screenmark serve``."""

from __future__ import annotations

from typing import Annotated

import typer

from screenmark.cli.messages import say

HELP = """\b
Listens on loopback only and answers under any model name.

\b
Examples:
  screenmark serve ocr --port 8000
  screenmark run gui-hallubench --model qwen-vl-max \\
      --api-base http://127.0.0.1:8000/v1
"""


def command(
    model: Annotated[str, typer.Argument(help="An embedded model; see: list models.")],
    port: Annotated[int, typer.Option(help="Port on loopback.", min=1, max=65535)] = 8000,
    adapter: Annotated[
        str | None, typer.Option(help="Adapter of the model, if it is not an embedded one.")
    ] = None,
) -> None:
    import asyncio
    import signal

    from screenmark.errors import UsageError
    from screenmark.models import ModelOptions, build_adapter, embedded_models
    from screenmark.models.server import serve

    if adapter is None and model not in embedded_models():
        raise UsageError(
            f"{model!r} is not an embedded model ({', '.join(embedded_models())}); "
            "name its --adapter"
        )
    served = build_adapter(ModelOptions(model=model, adapter=adapter))

    async def main() -> None:
        ready = asyncio.Event()
        server = asyncio.create_task(serve(served, port, ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({server, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        for number in (signal.SIGINT, signal.SIGTERM):
            # Also where a shell started it in the background and had Ctrl-C ignored.
            asyncio.get_running_loop().add_signal_handler(number, server.cancel)
        if ready.is_set():
            say(f"{model} answers at http://127.0.0.1:{port}/v1 (Ctrl-C ends it)")
        await server

    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        say("ended")
    except OSError as error:
        raise UsageError(f"--port {port}: cannot be used ({error.strerror})") from None
