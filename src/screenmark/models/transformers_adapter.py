"""A checkpoint on this machine, asked one request at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from screenmark.errors import ImageError, ModelError, StageError, UsageError
from screenmark.functions import FAULTS, load_function, said, takes
from screenmark.images import EncodedImage
from screenmark.message_rows import rows_of
from screenmark.models.base import INFER_THREADS, AsyncAdapter, ModelOptions
from screenmark.models.local.checkpoint import check_reference, free_memory, load
from screenmark.models.local.fingerprint import fingerprint
from screenmark.models.local.generation import (
    Deadline,
    Written,
    decoded,
    generation_options,
    written,
)
from screenmark.models.local.inputs import default_inputs, images_seen, on_device, prompt_length
from screenmark.models.local.wrapped import LocalModel
from screenmark.models.sent import encode_images
from screenmark.types import Reply, Request, Usage

_GENERATE = "generate"


class TransformersAdapter(AsyncAdapter):
    """A checkpoint loaded with Hugging Face's transformers.

    ``preprocess(message_rows, model, processor, **kwargs)`` may make the input, as a mapping
    that the model's method takes, and ``postprocess(outputs, model, processor, **kwargs)`` the
    text out of what it returns; ``generate_function`` names the method. What else they take of
    ``model_kwargs``, ``dataset_name`` and, in postprocess, ``prompt_length`` they are given.
    """

    concurrency = 1

    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model or ""
        self._options = options
        check_reference(self.name)
        folder = Path(self.name).expanduser()
        self.fingerprint = fingerprint(folder) if folder.is_dir() else None
        self._preprocess = self._function(options.preprocess, "--preprocess")
        self._postprocess = self._function(options.postprocess, "--postprocess")
        self._thread = ThreadPoolExecutor(1, INFER_THREADS)
        self._model: LocalModel | None = None

    def _function(self, reference: str | None, option: str) -> Callable[..., Any] | None:
        if reference is None:
            return None
        return load_function(reference, option, self._options.code_dir)

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._model = await loop.run_in_executor(self._thread, self._load)

    def _load(self) -> LocalModel:
        model = load(self.name, trust_remote_code=self._options.trust_remote_code)
        method = self._options.generate_function or _GENERATE
        if not callable(getattr(model, method, None)):
            raise UsageError(
                f"--generate-function: {type(model.model).__name__} has no method {method!r}"
            )
        return model

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._model is not None:
            self._model = None
            free_memory()  # for the next model of a configuration

    async def generate(self, request: Request) -> Reply:
        if self._model is None:
            raise RuntimeError("start() was not called")
        images = await encode_images(request)
        deadline = Deadline(self._options.timeout)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(
                self._thread, self._answer, self._model, request, images, deadline
            )
        except asyncio.CancelledError:
            deadline.dropped.set()  # else the next request waits for an answer nobody wants
            raise

    def _answer(
        self, model: LocalModel, request: Request, images: list[EncodedImage], deadline: Deadline
    ) -> Reply:
        import torch

        try:
            with torch.inference_mode():
                return self._ask(model, request, images, deadline)
        except (torch.OutOfMemoryError, MemoryError) as error:
            raise _out_of_memory(images, model) from error
        except RuntimeError as error:
            if "not enough memory" in str(error) or "can't allocate memory" in str(error):
                raise _out_of_memory(images, model) from error
            raise

    def _ask(
        self, model: LocalModel, request: Request, images: list[EncodedImage], deadline: Deadline
    ) -> Reply:
        kwargs = {**(self._options.model_kwargs or {}), "dataset_name": request.dataset}
        inputs = self._inputs(model, request, images, kwargs)
        name = self._options.generate_function or _GENERATE
        method = getattr(model, name)
        options = generation_options(request, method)
        stop = {"stopping_criteria": [deadline]} if name == _GENERATE else {}
        outputs = method(**{**inputs, **stop, **options})
        if deadline.passed:
            raise ModelError(
                f"no reply within {self._options.timeout:g} s; --timeout allows more, --max-tokens "
                "fewer tokens"
            )
        prompt = prompt_length(inputs)
        found = written(outputs, prompt, options, model)
        return Reply(
            text=self._text(model, request, outputs, found, {**kwargs, "prompt_length": prompt}),
            finish_reason=found.finish_reason,
            model=self.name,
            usage=None if found.tokens is None else Usage(prompt, len(found.tokens)),
            images=images_seen(images, inputs, model),
        )

    def _inputs(
        self,
        model: LocalModel,
        request: Request,
        images: list[EncodedImage],
        kwargs: Mapping[str, Any],
    ) -> dict[str, Any]:
        function = self._preprocess
        if function is None:
            return default_inputs(request.messages, images, model)
        name = str(self._options.preprocess)
        made = _call(function, name, rows_of(request.messages), model, kwargs)
        if not isinstance(made, Mapping):
            raise StageError(f"{name} returned {type(made).__name__}, expected a dict of inputs")
        return on_device(made, model)

    def _text(
        self,
        model: LocalModel,
        request: Request,
        outputs: Any,
        found: Written,
        kwargs: Mapping[str, Any],
    ) -> str:
        function = self._postprocess
        if function is None:
            return decoded(outputs, found, model, keep_special=request.keep_special)
        name = str(self._options.postprocess)
        text = _call(function, name, outputs, model, kwargs)
        if not isinstance(text, str):
            raise StageError(f"{name} returned {type(text).__name__}, expected a text")
        return text


def _call(
    function: Callable[..., Any],
    name: str,
    first: Any,
    model: LocalModel,
    kwargs: Mapping[str, Any],
) -> Any:
    import torch

    given = {key: value for key, value in kwargs.items() if takes(function, key)}
    try:
        return function(first, model, model.processor, **given)
    except (torch.OutOfMemoryError, MemoryError, ImageError):
        raise
    except FAULTS as error:
        raise StageError(f"{name} failed: {said(error)}") from error


def _out_of_memory(images: list[EncodedImage], model: LocalModel) -> ModelError:
    free_memory()
    sizes = ", ".join(f"{image.width}x{image.height}" for image in images) or "no image"
    return ModelError(
        f"out of memory on {model.device} ({sizes}); --max-image-pixels makes images smaller"
    )
