"""A stand-in for vLLM with the signatures that its documentation gives; it answers on script.

What ``LLM`` is made with and asked goes to ``LLM.made`` and ``LLM.calls``. A prompt that says
``too long`` is refused, ``dies`` kills the engine, which fails from then on.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec
from PIL import Image

from vllm.lora.request import LoRARequest

_KNOWN = {
    "model", "tokenizer", "trust_remote_code", "tensor_parallel_size", "dtype", "seed",
    "gpu_memory_utilization", "max_model_len", "limit_mm_per_prompt", "mm_processor_kwargs",
    "enable_lora", "max_lora_rank", "max_num_seqs", "enforce_eager",
}  # fmt: skip


class EngineDeadError(Exception):
    """As in ``vllm.v1.engine.exceptions``."""


class SamplingParams(msgspec.Struct, kw_only=True):
    """The fields that are asked for here."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    max_tokens: int | None = 16
    stop: list[str] | None = None
    seed: int | None = None
    skip_special_tokens: bool = True

    def __post_init__(self) -> None:
        if self.temperature < 0:
            raise ValueError(f"temperature must be non-negative, got {self.temperature}.")


class CompletionOutput(NamedTuple):
    text: str
    token_ids: list[int]
    finish_reason: str | None


class RequestOutput(NamedTuple):
    prompt_token_ids: list[int] | None
    outputs: list[CompletionOutput]


class LLM:
    made: ClassVar[list[dict[str, Any]]] = []
    calls: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, model: str, **kwargs: Any) -> None:
        unknown = set(kwargs) - _KNOWN
        if unknown:
            raise TypeError(f"EngineArgs.__init__() got an unexpected keyword argument {unknown}")
        if kwargs.get("gpu_memory_utilization", 0.9) > 1:
            raise ValueError("No available memory for the cache blocks.")
        self.made.append({"model": model, **kwargs})
        self._dead = False

    def get_default_sampling_params(self) -> SamplingParams:
        return SamplingParams(repetition_penalty=1.05, top_k=1, top_p=0.001)

    def chat(
        self,
        messages: Sequence[list[dict[str, Any]]],
        sampling_params: SamplingParams | Sequence[SamplingParams] | None = None,
        use_tqdm: bool = True,
        lora_request: LoRARequest | None = None,
        chat_template: str | None = None,
    ) -> list[RequestOutput]:
        params = sampling_params
        assert isinstance(params, Sequence)
        assert len(params) == len(messages)
        self.calls.append(
            {"messages": messages, "params": list(params), "lora": lora_request, "tqdm": use_tqdm}
        )
        if any("dies" in _text(conversation) for conversation in messages):
            self._dead = True
        if self._dead:
            raise EngineDeadError("EngineCore encountered an issue.")
        if any("too long" in _text(conversation) for conversation in messages):
            raise ValueError("The decoder prompt (length 99999) is longer than the maximum")
        return [_answer(c, p) for c, p in zip(messages, params, strict=True)]


def _answer(conversation: list[dict[str, Any]], params: SamplingParams) -> RequestOutput:
    sizes = [
        "{}x{}".format(*Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size)
        for message in conversation
        for part in message["content"]
        if part["type"] == "image_url"
        for url in [part["image_url"]["url"]]
    ]
    words = f"{_text(conversation)} {' '.join(sizes)}".split()
    most = params.max_tokens or 16
    reason = "length" if len(words) > most else "stop"
    said = CompletionOutput(" ".join(words[:most]), list(range(len(words[:most]))), reason)
    return RequestOutput(list(range(len(words))), [said])


def _text(conversation: list[dict[str, Any]]) -> str:
    parts = [part for message in conversation for part in message["content"]]
    return " ".join(part["text"] for part in parts if part["type"] == "text")
