"""Secrets that functions of the user's own may see, kept out of what is written of them.

An adapter keeps its own key to itself (see `hosted`). A function that a user puts in a stage's
place sees more: its keyword arguments, and the environment. What it says when it fails goes
into records, so every secret that is known is taken out of that first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from screenmark.models.base import ModelOptions
from screenmark.models.redaction import Redactor
from screenmark.options import holds_hidden, is_secret_name, without_secrets

_VARIABLE = re.compile(r"(?:API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
_SHORTEST = 8
"""A shorter value may well be a word of a message."""


class Secrets:
    """Takes the secrets that a run knows of out of messages.

    Args:
        options: hold the key, and the keyword arguments of the user's functions.
    """

    def __init__(self, options: ModelOptions) -> None:
        values = {options.api_key or "", *_of_arguments(options.model_kwargs or {})}
        values |= {value for name, value in os.environ.items() if _VARIABLE.search(name)}
        self._redactors = [Redactor(value) for value in sorted(values) if len(value) >= _SHORTEST]

    def out_of(self, text: str) -> str:
        """A message without them."""
        for redactor in self._redactors:
            text = redactor.message(text)
        return text


def _of_arguments(value: Any, *, secret: bool = False) -> Iterator[str]:
    """Every text that a run folder would not show."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _of_arguments(inner, secret=secret or is_secret_name(str(name)))
    elif isinstance(value, list):
        for inner in value:
            yield from _of_arguments(inner, secret=secret)
    elif isinstance(value, str) and (secret or holds_hidden(without_secrets({"": value}))):
        yield value
