"""Embedded models: no key, no network, one process a core."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import ClassVar, NamedTuple

import msgspec

from screenmark.errors import MissingExtra, ModelError
from screenmark.models.base import AsyncAdapter, ModelOptions
from screenmark.models.workers import WorkerPool
from screenmark.types import Reply, Request, SentImage


class EmbeddedModel(NamedTuple):
    """A model that ships with the package.

    Attributes:
        target: ``module:Class`` of a parser whose ``parse(image)`` takes an RGB Pillow image
            and returns a list of elements.
        what: one line for people.
        needs: modules that the extra ``ocr`` installs.
    """

    target: str
    what: str
    needs: tuple[str, ...]


EMBEDDED = {
    "ocr": EmbeddedModel(
        "screenmark.models.embedded.ocr:OcrParser",
        "a baseline: PP-OCR text lines plus classical detection of controls and icons",
        ("rapidocr", "onnxruntime", "cv2"),
    )
}
"""Embedded models by name."""


class EmbeddedAdapter(AsyncAdapter):
    """A model that ships with the package.

    It looks at the image only, never at the prompt, and answers in pixels of that image.
    """

    fixed_space: ClassVar[str | None] = "pixel"

    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model or ""
        model = EMBEDDED[self.name]
        if any(find_spec(name) is None for name in model.needs):
            raise MissingExtra(f"the embedded model {self.name!r}", "ocr")
        workers = max(1, min(os.cpu_count() or 1, options.most_in_flight))
        # No more than can be at work: time in a queue would count as the model's.
        self.concurrency = workers
        self._pool = WorkerPool(model.target, workers)

    async def start(self) -> None:
        await self._pool.start()

    async def close(self) -> None:
        await self._pool.close()

    async def generate(self, request: Request) -> Reply:
        if not request.images:
            raise ModelError(f"{self.name} answers about images only, and there is none")
        answer = await self._pool.run({"image": request.images[0]})
        image = msgspec.convert(answer["image"], SentImage)
        return Reply(answer["text"], finish_reason="stop", model=self.name, images=(image,))
