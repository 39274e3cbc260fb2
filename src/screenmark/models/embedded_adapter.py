"""Embedded models: no key, no network, one process a core."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

from screenmark.errors import MissingExtra, ModelError
from screenmark.images import encode_async
from screenmark.models.base import AsyncAdapter, ModelOptions
from screenmark.models.sent import sent_image
from screenmark.models.workers import WorkerPool
from screenmark.types import Reply, Request


class EmbeddedModel(NamedTuple):
    """A model that ships with the package.

    Attributes:
        target: ``module:Class`` of a model whose ``look(image)`` takes an RGB Pillow image and
            returns what it keeps of it, as plain JSON, and whose ``answer(prompt, seen, size)``
            answers a prompt about that with text; coordinates are pixels of ``size``.
        what: one line for people.
        needs: modules that the extra ``ocr`` installs.
    """

    target: str
    what: str
    needs: tuple[str, ...]


EMBEDDED = {
    "ocr": EmbeddedModel(
        "screenmark.models.embedded.ocr:OcrParser",
        "a baseline: PP-OCR text lines plus classical detection of controls and icons; lists "
        "elements, says where to click, chooses options by the words it reads",
        ("rapidocr", "onnxruntime", "cv2"),
    )
}
"""Embedded models by name."""

_MOST_SEEN = 256
"""Images of which is kept what a model saw on them, some 20 KB each."""


class EmbeddedAdapter(AsyncAdapter):
    """A model that ships with the package; it answers in pixels of the image.

    Each image is looked at once, by whichever worker is free. Other questions about it wait for
    that, or come later, and are answered from what was seen.
    """

    fixed_space: ClassVar[str | None] = "pixel"
    looks_once: ClassVar[bool] = True

    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model or ""
        model = EMBEDDED[self.name]
        if any(find_spec(name) is None for name in model.needs):
            raise MissingExtra(f"the embedded model {self.name!r}", "ocr")
        workers = max(1, min(os.cpu_count() or 1, options.most_in_flight))
        # As many again as can be at work: those that wait for an image that is being looked at
        # must leave no worker without another image. More would only count as the model's time.
        self.concurrency = 2 * workers
        self._pool = WorkerPool(model.target, workers)
        self._seen: OrderedDict[str, str] = OrderedDict()
        self._looking: dict[str, asyncio.Event] = {}

    async def start(self) -> None:
        await self._pool.start()

    async def close(self) -> None:
        await self._pool.close()

    async def generate(self, request: Request) -> Reply:
        if not request.images:
            raise ModelError(f"{self.name} answers about images only, and there is none")
        path = request.images[0]
        image = sent_image(await encode_async(path))
        task = {"image": path, "prompt": request.text, "size": [image.width, image.height]}
        text = await self._answer(image.sha256, task)
        return Reply(text, finish_reason="stop", model=self.name, images=(image,))

    async def _answer(self, sha256: str, task: dict[str, Any]) -> str:
        while sha256 in self._looking:
            await self._looking[sha256].wait()
        if sha256 in self._seen:
            answer = await self._pool.run({**task, "seen": self._seen[sha256]})
        else:
            looked = self._looking[sha256] = asyncio.Event()
            try:
                answer = await self._pool.run(task)
                self._keep(sha256, answer["seen"])
            finally:
                del self._looking[sha256]
                looked.set()
        text: str = answer["text"]
        return text

    def _keep(self, sha256: str, seen: str) -> None:
        self._seen[sha256] = seen
        self._seen.move_to_end(sha256)
        while len(self._seen) > _MOST_SEEN:
            self._seen.popitem(last=False)
