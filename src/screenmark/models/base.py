"""What a model is: something that answers a request.

Subclass `BaseLLMAdapter` to plug in your own. Implement ``infer(image_path, prompt)``
and it runs in threads; override ``generate`` instead if your client is asynchronous.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from screenmark.images import encode
from screenmark.models.sent import sent_image
from screenmark.needs import Needs
from screenmark.options import option
from screenmark.types import ImageLimits, Reply, Request

INFER_THREADS = "screenmark-infer"
"""Start of the names of threads in which a user's own model may hang."""


AUTO_MOST = 1024
"""Most requests in flight under ``--concurrency auto``."""


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked, where, and how it decodes."""

    model: Annotated[
        str | None,
        option(
            "Name at the endpoint, or an embedded model (see: list models).",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    adapter: Annotated[
        str | None,
        option(
            "Adapter name or package.module:Class. An explicit one wins; else an embedded "
            "model selects itself; else openai.",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    predictions: Annotated[
        Path | None,
        option(
            "Score the predictions in this file (JSON or JSONL) instead of asking a model.",
            changes_answers=True,
            metavar="FILE",
        ),
    ] = None
    api_base: Annotated[
        tuple[str, ...],
        option("Base URL of the endpoint; several are replicas of one model.", metavar="URL"),
    ] = ()
    api_key: Annotated[
        str | None,
        option(
            "Key of the endpoint; better set in the vendor's environment variable.",
            secret=True,
            metavar="KEY",
        ),
    ] = None
    preset: Annotated[
        str | None,
        option(
            "Provider whose adapter, address, variable of the key, limits of images and dialect "
            "hold where you say nothing else (see: list presets).",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    temperature: Annotated[
        float, option("Sampling temperature.", changes_answers=True, minimum=0, maximum=2)
    ] = 0.0
    max_tokens: Annotated[
        int, option("Most tokens in a reply.", changes_answers=True, minimum=1)
    ] = 4096
    system_prompt: Annotated[
        str | None,
        option("Text of a system message before the prompt.", changes_answers=True, metavar="TEXT"),
    ] = None
    image_detail: Annotated[
        Literal["high", "low", "auto"],
        option("How closely the endpoint looks at images.", changes_answers=True),
    ] = "high"
    generate_cfg: Annotated[
        dict[str, Any] | None,
        option(
            "More options of generation as a JSON object, passed on as they are.",
            changes_answers=True,
            metavar="JSON",
        ),
    ] = None
    structured: Annotated[
        Literal["auto", "on", "off"],
        option(
            "Hold the model to a JSON schema of the answer: auto where the endpoint takes one, on "
            "or not at all.",
            changes_answers=True,
        ),
    ] = "off"
    preprocess: Annotated[
        str | None,
        option(
            "Function of your own before the model: module.function(message, model, processor, "
            "**kwargs).",
            changes_answers=True,
            metavar="NAME",
        ),
    ] = None
    generate_function: Annotated[
        str | None,
        option(
            "Method of a local model in place of generate.", changes_answers=True, metavar="NAME"
        ),
    ] = None
    postprocess: Annotated[
        str | None,
        option(
            "Function of your own after the model: module.function(outputs, model, processor, "
            "**kwargs).",
            metavar="NAME",
        ),
    ] = None
    model_kwargs: Annotated[
        dict[str, Any] | None,
        option(
            "Keyword arguments of preprocess and postprocess as a JSON object.",
            changes_answers=True,
            metavar="JSON",
        ),
    ] = None
    trust_remote_code: Annotated[
        bool,
        option("Run the Python code that comes with a local checkpoint.", changes_answers=True),
    ] = False
    lora: Annotated[
        str | None,
        option(
            "LoRA adapter on top of a local checkpoint: a folder, or an id at the hub.",
            changes_answers=True,
            metavar="DIR",
        ),
    ] = None
    dtype: Annotated[
        Literal["auto", "float32", "float16", "bfloat16"],
        option(
            "Type of a local checkpoint's numbers; auto is the one it was saved in.",
            changes_answers=True,
        ),
    ] = "auto"
    attention: Annotated[
        Literal["auto", "flash_attention_2", "sdpa", "eager"],
        option(
            "How a local checkpoint attends; auto is the fastest that is there.",
            changes_answers=True,
        ),
    ] = "auto"
    min_pixels: Annotated[
        int | None,
        option(
            "Fewest pixels to which a local model's own processor brings an image.",
            changes_answers=True,
            minimum=1,
            metavar="N",
        ),
    ] = None
    max_pixels: Annotated[
        int | None,
        option(
            "Most pixels to which a local model's own processor brings an image.",
            changes_answers=True,
            minimum=1,
            metavar="N",
        ),
    ] = None
    device_map: Annotated[
        str | None,
        option(
            "Where a local checkpoint goes: auto spreads it over all GPUs, or a device as cuda:1.",
            metavar="NAME",
        ),
    ] = None
    engine_args: Annotated[
        dict[str, Any] | None,
        option(
            "With --adapter vllm: more arguments of vllm.LLM as a JSON object.",
            changes_answers=True,
            metavar="JSON",
        ),
    ] = None
    batch_size: Annotated[
        int | None,
        option(
            "Most requests that a local model answers at once; left out, what memory allows, up to "
            "16 on a GPU and 4 on a CPU.",
            minimum=1,
            maximum=1024,
            metavar="N",
        ),
    ] = None
    workers: Annotated[
        int | None,
        option(
            "Processes that a local model runs in; left out, one for each GPU.",
            minimum=1,
            maximum=256,
            metavar="N",
        ),
    ] = None
    code_dir: Annotated[
        Path | None, option("Folder that your own functions are imported from.", metavar="DIR")
    ] = None
    timeout: Annotated[float, option("Seconds that one request may take.", minimum=0.001)] = 120.0
    concurrency: Annotated[
        int | Literal["auto"],
        option(
            "Requests in flight at each endpoint; auto starts at 32 and grows while that helps.",
            minimum=1,
            maximum=4096,
            metavar="N",
        ),
    ] = 32

    max_image_pixels: Annotated[
        int | None,
        option(
            "Scale images with more pixels (width times height) down before sending.",
            changes_answers=True,
            minimum=1,
            metavar="N",
        ),
    ] = None
    max_image_edge: Annotated[
        int | None,
        option(
            "Scale images whose longer side has more pixels down before sending.",
            changes_answers=True,
            minimum=1,
            metavar="N",
        ),
    ] = None
    max_image_bytes: Annotated[
        int | None,
        option(
            "Scale images down whose file has more bytes; base64 makes a third more of them.",
            changes_answers=True,
            minimum=1,
            metavar="N",
        ),
    ] = None

    @property
    def most_in_flight(self) -> int:
        """Requests in flight that an endpoint may ever have."""
        return AUTO_MOST if self.concurrency == "auto" else self.concurrency


class BaseLLMAdapter(ABC):
    """A model behind one method.

    Attributes:
        name: shown in tables and part of the run folder's name.
        concurrency: most requests in flight; set it in your class if your model can take
            fewer than ``--concurrency`` says.
        fixed_space: the coordinate space of its boxes where the model leaves no choice.
        image_limits: what its provider takes, if ``generate`` sends images within the
            request's ``image_limits``; None if images reach the model as they are.
        fingerprint: tells two models of one name apart; a run goes on only with the same one.
        adapter_id: what a run folder calls the adapter where no option names it.
        queues: whether requests wait inside it: it says itself how many are in flight, whatever
            ``--concurrency`` says, and ``--timeout`` counts from when the model turns to one.
        looks_once: whether the first question about an image takes nearly all the time, since
            others are answered from what was seen; the time left is counted in images then.
        takes_schema: whether it holds the model to a request's ``schema`` where the endpoint can.
        needs: what one copy of it needs of a machine, as ``Needs(gpus=1)``; an executor with
            several machines looks for one that has it.
    """

    name: str = "custom"
    fixed_space: ClassVar[str | None] = None
    queues: bool = False
    looks_once: ClassVar[bool] = False
    takes_schema: ClassVar[bool] = False
    needs: ClassVar[Needs] = Needs()
    image_limits: ImageLimits | None = None
    fingerprint: str | None = None
    adapter_id: str | None = None

    _threads: ThreadPoolExecutor | None = None

    @abstractmethod
    def infer(self, image_path: str, prompt: str) -> str:
        """Answer ``prompt`` about the image at ``image_path`` with the model's text.

        Called from several threads at once. Raise `screenmark.errors.TransientError` for a
        fault worth another try; any other exception is final for the sample.
        """

    async def generate(self, request: Request) -> Reply:
        """Answer a request. The default runs `infer` in a thread."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.concurrency, INFER_THREADS)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _infer, self, request)

    concurrency: int = 32

    async def start(self) -> None:  # noqa: B027 - most adapters have nothing to get ready
        """Get ready; called once before the first request."""

    def take_retries(self, retries: int) -> bool:
        """Take over asking again, up to ``retries`` times, where it can; whether it does.

        Then a fault that may pass is final when it comes out.
        """
        return False

    def stop_waiting(self) -> None:  # noqa: B027 - most wait for nothing between two tries
        """The run stops: drop requests that wait inside for another try, and try none again."""

    def doing(self) -> str:
        """What it is at, in words, for a person who waits; empty where its requests say it."""
        return ""

    async def close(self) -> None:
        """Let go of connections, processes and threads; called once at the end."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None


def _infer(adapter: BaseLLMAdapter, request: Request) -> Reply:
    # Read first: a broken image is not the model's fault, and the record names its hash.
    images = tuple(sent_image(encode(path)) for path in request.images)
    text = adapter.infer(request.images[0] if request.images else "", request.text)
    if not isinstance(text, str):
        raise TypeError(f"{type(adapter).__name__}.infer returned {type(text).__name__}, not str")
    return Reply(text=text, images=images)


class AsyncAdapter(BaseLLMAdapter):
    """Base of adapters whose own interface is ``generate``."""

    @abstractmethod
    async def generate(self, request: Request) -> Reply:
        """Answer a request; raise a `ModelError` or an `ImageError` if that cannot be done."""

    def infer(self, image_path: str, prompt: str) -> str:
        """Answer one question from synchronous code, outside a running event loop."""
        from screenmark.types import Image, Message, Text

        async def once() -> str:
            await self.start()
            try:
                parts = (Image(image_path), Text(prompt))
                asked = Request((Message("user", parts),), image_limits=self.image_limits)
                reply = await self.generate(asked)
            finally:
                await self.close()
            return reply.text

        return asyncio.run(once())
