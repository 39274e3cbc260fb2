"""A loaded checkpoint at work: samples in, replies out, one batch at a time.

Everything in here runs in threads of the adapter's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from screenmark.errors import ImageError, ModelError, StageError
from screenmark.functions import FAULTS, said, takes
from screenmark.images import EncodedImage
from screenmark.message_rows import rows_of
from screenmark.models.base import ModelOptions
from screenmark.models.local.checkpoint import free_memory
from screenmark.models.local.collate import cells_of, collated, kind_of
from screenmark.models.local.generation import (
    Deadline,
    Deadlines,
    Written,
    decoded,
    generation_options,
    written,
)
from screenmark.models.local.inputs import default_inputs, images_seen, on_device, prompt_length
from screenmark.models.local.memory import OutOfMemory, Room, is_out_of_memory
from screenmark.models.local.wrapped import LocalModel
from screenmark.types import Reply, Request, Usage

Function = Callable[..., Any]

GENERATE = "generate"


@dataclass(eq=False)
class Job:
    """One sample, ready for the model.

    Attributes:
        inputs: keyword arguments of the model's method, a batch of one.
        options: more of them, for generation.
        kind, cells: what it can share a batch with, and its size.
        notes: what happened to it on the way.
    """

    request: Request
    images: list[EncodedImage]
    inputs: Mapping[str, Any]
    options: dict[str, Any]
    deadline: Deadline
    kind: Hashable | None
    cells: int
    notes: list[str] = field(default_factory=list)

    def drop(self) -> None:
        """Nobody waits for the answer any more: write no further."""
        self.deadline.dropped.set()


class Answering:
    """Asks one loaded checkpoint.

    Args:
        preprocess, postprocess: functions of the user's own in the place of ours.
        room: how many samples a batch may have; learns from what did not fit.
    """

    def __init__(
        self,
        model: LocalModel,
        options: ModelOptions,
        room: Room,
        preprocess: Function | None = None,
        postprocess: Function | None = None,
    ) -> None:
        self._model = model
        self._options = options
        self._room = room
        self._preprocess = preprocess
        self._postprocess = postprocess
        self._method = options.generate_function or GENERATE

    def rows(self, cells: int) -> int:
        """Most samples of a batch whose largest takes ``cells``."""
        return self._room.rows(cells)

    def get_ready(self, request: Request, images: list[EncodedImage]) -> Job:
        """The input of a request.

        Raises:
            ModelError, StageError, ImageError: there can be none.
        """
        problem = None
        try:
            inputs = self._inputs(request, images)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            problem = _too_large(images, self._model)
        if problem is not None:
            free_memory()
            raise problem
        options = generation_options(request, getattr(self._model, self._method))
        alone = self._method != GENERATE or "num_return_sequences" in options
        kind = None if alone else kind_of(inputs)
        new_tokens = options.get("max_new_tokens")
        return Job(
            request=request,
            images=images,
            inputs=inputs,
            options=options,
            deadline=Deadline(self._options.timeout),
            kind=kind and (kind, repr(sorted(options.items()))),
            cells=cells_of(inputs, new_tokens if isinstance(new_tokens, int) else 0),
        )

    def answer(self, jobs: Sequence[Job]) -> list[Reply | Exception]:
        """The reply to each, or what stands in its way.

        A batch that does not fit into memory is halved, and its size remembered. One that fails
        in another way is asked one by one, so that a bad sample is alone with it.
        """
        found = self._attempt(jobs)
        if not isinstance(found, Exception):
            return found
        if len(jobs) == 1:
            return [found]
        if isinstance(found, OutOfMemory):
            self._room.was_too_small(len(jobs), max(job.cells for job in jobs))
            for job in jobs:
                job.notes.append(f"asked again in a smaller batch: {len(jobs)} were out of memory")
            half = len(jobs) // 2
            return self.answer(jobs[:half]) + self.answer(jobs[half:])
        replies = [reply for job in jobs for reply in self.answer([job])]
        if not any(isinstance(reply, Exception) for reply in replies):
            self._room.one_at_a_time()  # it is the batch that the model cannot do
        return replies

    def _attempt(self, jobs: Sequence[Job]) -> list[Reply | Exception] | Exception:
        import torch

        try:
            with torch.inference_mode():
                return self._generate(jobs)
        except Exception as error:
            if not is_out_of_memory(error):
                return error
        # Out here the error is gone, and with it all that its frames held on to.
        free_memory()
        return _too_large([image for job in jobs for image in job.images], self._model)

    def _generate(self, jobs: Sequence[Job]) -> list[Reply | Exception]:
        method = getattr(self._model, self._method)
        # Only here: what waits for its turn takes no room on a GPU.
        inputs = on_device(
            collated([job.inputs for job in jobs], self._model.pad_token),
            self._model,
            like_weights=self._preprocess is None,
        )
        options = jobs[0].options
        stop = {}
        if self._method == GENERATE:
            stop = {"stopping_criteria": [Deadlines([job.deadline for job in jobs])]}
        for job in jobs:
            job.deadline.begin()
        outputs = method(**{**inputs, **stop, **options})
        late = [job for job in jobs if job.deadline.passed and len(jobs) > 1]
        if late:
            self._room.was_too_small(len(jobs), max(job.cells for job in jobs))
        prompt = prompt_length(inputs)
        replies: list[Reply | Exception] = []
        for row, job in enumerate(jobs):
            if job in late:
                # Alone it may be quick enough, and nobody shall lose by being in a batch.
                job.notes.append(f"asked again alone: too slow in a batch of {len(jobs)}")
                replies += self.answer([job])
                continue
            which = None if len(jobs) == 1 else row
            found = written(outputs, prompt, options, self._model, which)
            try:
                replies.append(self._reply(job, outputs, found))
            except (ModelError, StageError) as error:
                replies.append(error)
        return replies

    def _reply(self, job: Job, outputs: Any, found: Written) -> Reply:
        if job.deadline.passed:
            raise ModelError(
                f"no reply within {self._options.timeout:g} s; --timeout allows more, --max-tokens "
                "fewer tokens"
            )
        prompt = prompt_length(job.inputs)
        return Reply(
            text=self._text(job, outputs, found, prompt),
            finish_reason=found.finish_reason,
            model=self._options.model,
            usage=None if found.tokens is None else Usage(prompt, len(found.tokens)),
            images=images_seen(job.images, job.inputs, self._model),
            notes=tuple(job.notes),
        )

    def _inputs(self, request: Request, images: list[EncodedImage]) -> dict[str, Any]:
        function = self._preprocess
        if function is None:
            return default_inputs(request.messages, images, self._model)
        name = str(self._options.preprocess)
        rows = rows_of(request.messages)
        made = _call(function, name, rows, self._model, self._kwargs(request))
        if not isinstance(made, Mapping):
            raise StageError(f"{name} returned {type(made).__name__}, expected a dict of inputs")
        return dict(made)

    def _text(self, job: Job, outputs: Any, found: Written, prompt: int) -> str:
        function = self._postprocess
        if function is None:
            return decoded(outputs, found, self._model, keep_special=job.request.keep_special)
        name = str(self._options.postprocess)
        kwargs = {**self._kwargs(job.request), "prompt_length": prompt}
        text = _call(function, name, outputs, self._model, kwargs)
        if not isinstance(text, str):
            raise StageError(f"{name} returned {type(text).__name__}, expected a text")
        return text

    def _kwargs(self, request: Request) -> dict[str, Any]:
        return {**(self._options.model_kwargs or {}), "dataset_name": request.dataset}


def _call(
    function: Function, name: str, first: Any, model: LocalModel, kwargs: Mapping[str, Any]
) -> Any:
    given = {key: value for key, value in kwargs.items() if takes(function, key)}
    try:
        return function(first, model, model.processor, **given)
    except ImageError:
        raise
    except FAULTS as error:
        if is_out_of_memory(error):
            raise
        raise StageError(f"{name} failed: {said(error)}") from error


def _too_large(images: Sequence[EncodedImage], model: LocalModel) -> OutOfMemory:
    sizes = ", ".join(f"{image.width}x{image.height}" for image in images) or "no image"
    return OutOfMemory(
        f"out of memory on {model.device} ({sizes}); --max-image-pixels makes images smaller"
    )
