"""What functions of a user's own are handed as ``model``."""

from __future__ import annotations

from typing import Any


class LocalModel:
    """A loaded model with its processor; every other attribute is the model's own.

    Attributes:
        model: the transformers model.
        processor: what prepares its input and decodes its output.
        attention: the implementation of attention that it was loaded with.
        notes: why faster ones were not.
    """

    def __init__(
        self, model: Any, processor: Any, *, attention: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        self.model = model
        self.processor = processor
        self.attention = attention
        self.notes = notes

    @property
    def device(self) -> Any:
        """Where its input has to be."""
        return self.model.device

    @property
    def tokenizer(self) -> Any:
        """The processor's tokenizer; the processor of a text model is one itself."""
        return getattr(self.processor, "tokenizer", self.processor)

    @property
    def pad_token(self) -> int:
        """What stands before a shorter prompt and after a shorter reply of a batch."""
        settings = getattr(self.model, "generation_config", None)
        found = getattr(settings, "pad_token_id", None)
        if found is None:
            found = getattr(self.tokenizer, "pad_token_id", None)
        if found is None:
            ends = getattr(settings, "eos_token_id", None)
            found = ends[0] if isinstance(ends, list) and ends else ends
        return found if isinstance(found, int) else 0

    def __getattr__(self, name: str) -> Any:
        if name in {"model", "processor"}:  # not set yet, as while a copy is made
            raise AttributeError(name)
        return getattr(self.model, name)
