"""vLLM's offline engine at work: requests in, replies out, as many at once as come."""

from __future__ import annotations

import json
import shlex
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from screenmark.answers.profiles import profile_of_model
from screenmark.errors import ModelError, TransientError, UsageError
from screenmark.geometry import Size, SpaceError, smart_resize
from screenmark.images import EncodedImage
from screenmark.models.base import ModelOptions
from screenmark.models.local.lora import check_lora
from screenmark.models.sent import sent_image
from screenmark.types import Image, Message, Reply, Request, SentImage, Usage

_MOST_IMAGES: Final = 4
"""Images in one prompt that vLLM keeps room for, unless ``--engine-args`` says otherwise."""

_RANKS: Final = (8, 16, 32, 64, 128, 256, 320, 512)
"""Ranks of LoRA adapters that vLLM can be built for."""

_OWN_NAMES: Final = {"max_new_tokens": "max_tokens"}


@dataclass(eq=False)
class Job:
    """One request with its images; vLLM takes any of them together."""

    request: Request
    images: list[EncodedImage]
    kind: Hashable | None = ""
    cells: int = 1

    def drop(self) -> None:
        """What runs cannot be stopped: vLLM's offline interface has no way to."""


class Resize(msgspec.Struct, frozen=True):
    """The resize of a family of Qwen's kind: sides are multiples of ``factor``."""

    factor: int
    min_pixels: int
    max_pixels: int


def resize_of(options: ModelOptions) -> Resize | None:
    """The resize that vLLM is to do: the profile's, with the user's limits in place of its own.

    Replies in ``resized`` spaces are read by it, so the model has to see the same.
    """
    profile = profile_of_model(options.model or "")
    if profile is None or profile.coordinates.kind != "resized":
        return None
    factor, low, high = map(int, profile.coordinates.numbers)
    return Resize(factor, options.min_pixels or low, options.max_pixels or high)


def engine_arguments(options: ModelOptions) -> dict[str, Any]:
    """Keyword arguments of ``vllm.LLM``; ``--engine-args`` wins.

    Raises:
        UsageError: the LoRA adapter's rank is none that vLLM takes.
    """
    found: dict[str, Any] = {
        "model": options.model,
        "trust_remote_code": options.trust_remote_code,
        "dtype": options.dtype,
        "limit_mm_per_prompt": {"image": _MOST_IMAGES},
    }
    limits = pixel_limits(options)
    if limits:
        found["mm_processor_kwargs"] = limits
    if options.lora is not None:
        found |= {"enable_lora": True, "max_lora_rank": _lora_rank(options.lora)}
    return found | (options.engine_args or {})


def pixel_limits(options: ModelOptions) -> dict[str, int]:
    """Limits of the processor's resize, by the names that vLLM hands on."""
    resize = resize_of(options)
    if resize is not None:
        return {"min_pixels": resize.min_pixels, "max_pixels": resize.max_pixels}
    given = {"min_pixels": options.min_pixels, "max_pixels": options.max_pixels}
    return {name: value for name, value in given.items() if value is not None}


def serve_command(options: ModelOptions) -> str:
    """The same model as a server, which needs no vLLM in this environment."""
    words = ["vllm", "serve", str(options.model)]
    words += ["--limit-mm-per-prompt", json.dumps({"image": _MOST_IMAGES})]
    limits = pixel_limits(options)
    if limits:
        words += ["--mm-processor-kwargs", json.dumps(limits)]
    if options.dtype != "auto":
        words += ["--dtype", options.dtype]
    if options.trust_remote_code:
        words.append("--trust-remote-code")
    if options.lora is not None:
        words += ["--enable-lora", "--max-lora-rank", str(_lora_rank(options.lora))]
        words += ["--lora-modules", f"tuned={options.lora}"]
    return shlex.join(words)


def _lora_rank(reference: str) -> int:
    folder = check_folder(reference)
    settings = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    rank = settings.get("r")
    fits = [size for size in _RANKS if isinstance(rank, int) and size >= rank]
    if not fits:
        raise UsageError(f"--lora {reference}: its rank is {rank}; vLLM takes at most {_RANKS[-1]}")
    return fits[0]


def check_folder(reference: str) -> Path:
    """The adapter's folder; vLLM is not handed a hub's id, whose rank nobody knows yet.

    Raises:
        UsageError: it is no folder with an adapter in it.
    """
    folder = check_lora(reference, needs_peft=False)
    if folder is None:
        raise UsageError(f"--lora {reference}: download it first; vLLM is handed a folder")
    return folder


class VllmEngine:
    """Asks ``vllm.LLM``.

    An engine that dies is made anew before the next batch.

    Raises:
        UsageError: it cannot be started; says what vLLM said.
    """

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self._resize = resize_of(options)
        self._llm: Any = None
        self._start()

    def _start(self) -> None:
        import vllm

        try:
            self._llm = vllm.LLM(**engine_arguments(self._options))
        except Exception as error:  # whatever vLLM, PyTorch and the driver raise
            said = " ".join(str(error).split())[:600]
            raise UsageError(
                f"--model {self._options.model}: vLLM cannot start, {type(error).__name__}: "
                f"{said}; "
                """--engine-args '{"max_model_len": 16384, "gpu_memory_utilization": 0.8}' """
                "takes less memory"
            ) from error

    def answer(self, jobs: Sequence[Job]) -> list[Reply | Exception]:
        """The reply to each, or what stands in its way; a bad request is alone with it."""
        try:
            if self._llm is None:
                self._start()
        except UsageError as error:
            return [TransientError(str(error)) for _ in jobs]
        try:
            return self._chat(jobs)
        except Exception as error:
            if any(kind.__name__ == "EngineDeadError" for kind in type(error).__mro__):
                self._llm = None
                died = f"vLLM's engine died: {' '.join(str(error).split())[:300]}"
                return [TransientError(died) for _ in jobs]
            if len(jobs) == 1:
                if isinstance(error, ModelError):
                    return [error]
                return [ModelError(f"vLLM: {type(error).__name__}: {error}")]
        return [reply for job in jobs for reply in self.answer([job])]

    def close(self) -> None:
        """Let go of the engine and its memory."""
        self._llm = None

    def _chat(self, jobs: Sequence[Job]) -> list[Reply | Exception]:
        outputs = self._llm.chat(
            messages=[_conversation(job) for job in jobs],
            sampling_params=[self._sampling(job.request) for job in jobs],
            use_tqdm=False,
            lora_request=self._lora(),
        )
        return [self._reply(job, output) for job, output in zip(jobs, outputs, strict=True)]

    def _sampling(self, request: Request) -> Any:
        from vllm import SamplingParams

        own = dict(request.generate_cfg or {})
        given = {_OWN_NAMES.get(name, name): value for name, value in own.items()}
        temperature = given.pop("temperature", request.temperature)
        if given.pop("do_sample", None) is False:
            temperature = 0.0
        # As `vllm serve` does: what the checkpoint itself sets holds where nobody says otherwise.
        defaults = self._llm.get_default_sampling_params()
        names = ["repetition_penalty"] + (["top_p", "top_k", "min_p"] if temperature else [])
        settings = {
            **{name: getattr(defaults, name) for name in names},
            "temperature": temperature,
            "max_tokens": request.max_tokens,
            "skip_special_tokens": not request.keep_special,
        }
        try:
            return SamplingParams(**(settings | given))
        except (TypeError, ValueError) as error:
            raise ModelError(f"--generate-cfg: vLLM's SamplingParams says: {error}") from None

    def _lora(self) -> Any:
        if self._options.lora is None:
            return None
        from vllm.lora.request import LoRARequest

        return LoRARequest("tuned", 1, str(check_folder(self._options.lora)))

    def _reply(self, job: Job, output: Any) -> Reply:
        said = output.outputs[0]
        return Reply(
            text=said.text,
            finish_reason=said.finish_reason,
            model=self._options.model,
            usage=Usage(len(output.prompt_token_ids or ()), len(said.token_ids)),
            images=tuple(self._seen(image) for image in job.images),
        )

    def _seen(self, image: EncodedImage) -> SentImage:
        """The facts about an image, the resize that vLLM was told to do among them."""
        sent = sent_image(image)
        arguments = self._options.engine_args or {}
        if self._resize is None or "mm_processor_kwargs" in arguments:
            return sent
        resize = self._resize
        size = Size(image.width, image.height)
        try:
            seen = smart_resize(size, resize.factor, resize.min_pixels, resize.max_pixels)
        except SpaceError:
            return sent
        return msgspec.structs.replace(sent, seen_width=seen.width, seen_height=seen.height)


def _conversation(job: Job) -> list[dict[str, Any]]:
    images = iter(job.images)
    return [_message(message, images) for message in job.request.messages]


def _message(message: Message, images: Any) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, Image):
            url = b"".join(next(images).data_url()).decode("ascii")
            content.append({"type": "image_url", "image_url": {"url": url}})
        else:
            content.append({"type": "text", "text": part.text})
    return {"role": message.role, "content": content}
