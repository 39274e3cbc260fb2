"""A checkpoint on this machine, in this process or in one for each GPU."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from screenmark.errors import UsageError
from screenmark.functions import load_function
from screenmark.models.base import INFER_THREADS, AsyncAdapter, ModelOptions
from screenmark.models.local.answering import GENERATE, Answering, Job
from screenmark.models.local.batching import Batcher
from screenmark.models.local.checkpoint import check_reference, free_memory, load
from screenmark.models.local.fleet import Fleet
from screenmark.models.local.layout import count_gpus, layout
from screenmark.models.local.lora import check_lora
from screenmark.models.local.memory import Room, cells_that_fit, plannable_bytes
from screenmark.models.local.weights import weights_fingerprint
from screenmark.models.local.wrapped import LocalModel
from screenmark.models.sent import encode_images
from screenmark.needs import Needs
from screenmark.types import Reply, Request


class TransformersAdapter(AsyncAdapter):
    """A checkpoint loaded with Hugging Face's transformers.

    ``preprocess(message_rows, model, processor, **kwargs)`` may make the input, as a mapping
    that the model's method takes, and ``postprocess(outputs, model, processor, **kwargs)`` the
    text out of what it returns; ``generate_function`` names the method. What else they take of
    ``model_kwargs``, ``dataset_name`` and, in postprocess, ``prompt_length`` they are given.
    With any of the three, samples are asked one at a time; else in batches of like size.
    """

    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model or ""
        self._options = options
        check_reference(self.name)
        if options.lora is not None:
            check_lora(options.lora)
        self.fingerprint = weights_fingerprint(options)
        self._preprocess = self._function(options.preprocess, "--preprocess")
        self._postprocess = self._function(options.postprocess, "--postprocess")
        own = options.preprocess or options.postprocess or options.generate_function
        self._layout = layout(options, count_gpus(), batches=own is None)
        self.concurrency = self._layout.in_flight
        self.queues = self._layout.rows > 1
        if self._layout.gpus:
            self.needs = Needs(gpus=1)  # type: ignore[misc]
        self._thread = ThreadPoolExecutor(1, INFER_THREADS)
        # Apart from the model's thread, so that the next batch is made ready meanwhile. A user's
        # functions and their model stay in one thread.
        self._side = self._thread if self._layout.rows == 1 else ThreadPoolExecutor(1)
        self._model: LocalModel | None = None
        self._answering: Answering | None = None
        self._batcher: Batcher[Job, Reply] | None = None
        self._fleet: Fleet | None = None

    def _function(self, reference: str | None, option: str) -> Callable[..., Any] | None:
        if reference is None:
            return None
        return load_function(reference, option, self._options.code_dir)

    async def start(self) -> None:
        if self._layout.workers > 1:
            self._fleet = Fleet(type(self), self._options, self._layout)
            await self._fleet.start()
            return
        loop = asyncio.get_running_loop()
        self._answering = await loop.run_in_executor(self._thread, self._load)
        self._batcher = Batcher(self._answering.answer, self._answering.rows, self._thread)

    def _load(self) -> Answering:
        model = load(self._options)
        method = self._options.generate_function or GENERATE
        if not callable(getattr(model, method, None)):
            raise UsageError(
                f"--generate-function: {type(model.model).__name__} has no method {method!r}"
            )
        self._model = model
        return Answering(
            model, self._options, self._room(model), self._preprocess, self._postprocess
        )

    def _room(self, model: LocalModel) -> Room:
        if getattr(model.config, "is_encoder_decoder", False):
            return Room(1)  # its encoder counts places from the left, padding and all
        if self._options.batch_size is not None:
            return Room(self._layout.rows)
        room = plannable_bytes(model.device.type)
        return Room(
            self._layout.rows, cells_that_fit(room, model.config, model.model.dtype.itemsize)
        )

    async def close(self) -> None:
        if self._fleet is not None:
            await self._fleet.close()
        for threads in (self._thread, self._side):
            threads.shutdown(wait=False, cancel_futures=True)
        if self._model is not None:
            self._model = self._answering = self._batcher = None
            free_memory()  # for the next model of a configuration

    async def generate(self, request: Request) -> Reply:
        if self._fleet is not None:
            return await self._fleet.ask(request)
        if self._batcher is None or self._answering is None:
            raise RuntimeError("start() was not called")
        return await self._batcher.ask(self._get_ready(self._answering, request))

    async def _get_ready(self, answering: Answering, request: Request) -> Job:
        images = await encode_images(request)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._side, answering.get_ready, request, images)
