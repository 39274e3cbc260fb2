"""Options of generation, and from its output to text."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from screenmark.errors import StageError
from screenmark.functions import takes
from screenmark.models.local.wrapped import LocalModel
from screenmark.types import Request


def generation_options(request: Request, method: Callable[..., Any]) -> dict[str, Any]:
    """Keyword arguments of the model's method: ours where it takes them, then the user's.

    Greedy at temperature 0. ``generate_cfg`` wins; without a word about ``do_sample``, its
    temperature decides.
    """
    given = dict(request.generate_cfg or {})
    if "max_tokens" in given:  # the name that endpoints have for it
        given.setdefault("max_new_tokens", given.pop("max_tokens"))
    temperature = given.get("temperature", request.temperature)
    sample = given.get("do_sample", bool(temperature))
    ours: dict[str, Any] = {"max_new_tokens": request.max_tokens, "do_sample": sample}
    if sample:
        ours["temperature"] = temperature or 1.0
    else:
        # Else the checkpoint's own, which greedy decoding has no use for, is complained about.
        ours |= dict.fromkeys(("temperature", "top_p", "top_k"))
        given.pop("temperature", None)
    return {name: value for name, value in ours.items() if takes(method, name)} | given


class Deadline:
    """When an answer has to be there, counted from when the model turns to it.

    Attributes:
        passed: whether time was up before the answer was.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.passed = False
        self.dropped = threading.Event()
        self._end = float("inf")

    def begin(self) -> None:
        """The model turns to it, perhaps once more."""
        self._end = time.monotonic() + self.seconds
        self.passed = False

    @property
    def over(self) -> bool:
        """Whether to write no further: time is up, or nobody waits for the answer any more."""
        self.passed = self.passed or time.monotonic() > self._end
        return self.passed or self.dropped.is_set()


class Deadlines:
    """A stopping criterion: each sample of a batch stops at its own deadline."""

    def __init__(self, deadlines: Sequence[Deadline]) -> None:
        self._deadlines = deadlines

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        import torch

        over = [deadline.over for deadline in self._deadlines]
        flags = torch.tensor(over, dtype=torch.bool, device=input_ids.device)
        # With beams a sample has several rows in a row.
        return flags.repeat_interleave(max(1, input_ids.shape[0] // len(over)))


class Written(NamedTuple):
    """What a model wrote, as far as it can be told from its output.

    Attributes:
        tokens: of the reply alone, without the prompt; None if the output holds no tokens.
        finish_reason: ``stop`` or ``length``; None if unknown.
    """

    tokens: list[int] | None
    finish_reason: str | None


def written(
    outputs: Any, prompt: int, options: Mapping[str, Any], model: LocalModel, row: int | None = None
) -> Written:
    """The new tokens of one sample.

    Args:
        outputs: a tensor or list of shape (samples, tokens), or an object with such
            ``sequences``.
        prompt: tokens at its start that are the prompt's, padding included.
        row: which sample of a batch; None for the only one.
    """
    sequences = getattr(outputs, "sequences", outputs)
    if hasattr(sequences, "tolist"):
        sequences = sequences.tolist()
    found = sequences[row or 0] if isinstance(sequences, list) and sequences else None
    if not isinstance(found, list) or not all(type(token) is int for token in found):
        return Written(None, None)
    if not getattr(model.config, "is_encoder_decoder", False):
        found = found[prompt:]
    ends = _end_tokens(options, model)
    if row is not None:
        found = _without_padding(found, ends, model.pad_token)
    limit = options.get("max_new_tokens")
    ended = bool(found) and found[-1] in ends
    full = isinstance(limit, int) and len(found) >= limit and not ended
    return Written(found, "length" if full else "stop")


def _without_padding(tokens: list[int], ends: set[int], pad: int) -> list[int]:
    """What one sample of a batch wrote, without what follows until the longest is done."""
    for place, token in enumerate(tokens):
        if token in ends:
            return tokens[: place + 1]
    end = len(tokens)
    while end and tokens[end - 1] == pad:
        end -= 1
    return tokens[:end]


def _end_tokens(options: Mapping[str, Any], model: LocalModel) -> set[int]:
    own = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    ends = options.get("eos_token_id", own)
    return set(ends) if isinstance(ends, list | tuple) else {ends}


def decoded(outputs: Any, found: Written, model: LocalModel, *, keep_special: bool) -> str:
    """The reply as text.

    Raises:
        StageError: the model's method returned neither tokens nor text.
    """
    if found.tokens is not None:
        text: str = model.tokenizer.decode(
            found.tokens,
            skip_special_tokens=not keep_special,
            clean_up_tokenization_spaces=False,
        )
        return text
    if isinstance(outputs, list | tuple) and outputs:
        outputs = outputs[0]
    if isinstance(outputs, str):
        return outputs
    kind = type(outputs).__name__
    raise StageError(f"the model's method returned {kind}; --postprocess can make text of it")
