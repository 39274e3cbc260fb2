"""A checkpoint on this machine through vLLM's offline engine."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

from screenmark.errors import UsageError
from screenmark.models.base import INFER_THREADS, AsyncAdapter, ModelOptions
from screenmark.models.local.batching import Batcher
from screenmark.models.local.checkpoint import check_reference
from screenmark.models.local.fleet import Fleet
from screenmark.models.local.layout import Layout, count_gpus
from screenmark.models.local.vllm_engine import Job, VllmEngine, check_folder, serve_command
from screenmark.models.local.weights import weights_fingerprint
from screenmark.models.sent import encode_images
from screenmark.needs import Needs
from screenmark.types import Reply, Request


class VllmAdapter(AsyncAdapter):
    """A checkpoint in ``vllm.LLM``, in this process or in one for each GPU.

    Requests are gathered while the engine is at work and handed over together; it finds the
    batches within by itself.
    """

    queues = True

    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model or ""
        self._options = options
        if options.lora is not None:
            check_folder(options.lora)
        if find_spec("vllm") is None:
            raise UsageError(
                "--adapter vllm: vLLM is not installed here. Start it where it is, "
                f"{serve_command(options)}, and ask it with --preset vllm --model "
                f"{'tuned' if options.lora else self.name} (and --api-base URL if it is on "
                "another machine)"
            )
        check_reference(self.name)
        self.fingerprint = weights_fingerprint(options)
        workers = options.workers or 1
        rows = options.batch_size or options.most_in_flight
        self._layout = Layout(workers, rows, count_gpus())
        if self._layout.gpus and workers > self._layout.gpus:
            raise UsageError(
                f"--workers {workers}: there are only {self._layout.gpus} GPUs, at least one for "
                "each process"
            )
        self.concurrency = self._layout.in_flight
        if self._layout.gpus:
            each = (options.engine_args or {}).get("tensor_parallel_size", 1)
            self.needs = Needs(gpus=float(each))  # type: ignore[misc]
        self._thread = ThreadPoolExecutor(1, INFER_THREADS)
        self._engine: VllmEngine | None = None
        self._batcher: Batcher[Job, Reply] | None = None
        self._fleet: Fleet | None = None

    async def start(self) -> None:
        # Its own words would write over our display, which is told what goes wrong anyway.
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
        if self._layout.workers > 1:
            self._fleet = Fleet(type(self), self._options, self._layout)
            await self._fleet.start()
            return
        loop = asyncio.get_running_loop()
        self._engine = await loop.run_in_executor(self._thread, VllmEngine, self._options)
        self._batcher = Batcher(self._engine.answer, lambda _: self._layout.rows, self._thread)

    async def close(self) -> None:
        if self._fleet is not None:
            await self._fleet.close()
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._engine is not None:
            self._engine.close()
            self._engine = self._batcher = None

    async def generate(self, request: Request) -> Reply:
        if self._fleet is not None:
            return await self._fleet.ask(request)
        if self._batcher is None:
            raise RuntimeError("start() was not called")
        return await self._batcher.ask(_get_ready(request))


async def _get_ready(request: Request) -> Job:
    return Job(request, await encode_images(request))
