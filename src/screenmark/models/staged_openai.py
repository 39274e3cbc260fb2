"""Chat completions whose messages a function of the user's own writes."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
from collections.abc import Iterator
from typing import Any

import orjson

from screenmark.errors import StageError, UsageError
from screenmark.functions import FAULTS, load_function, said, takes
from screenmark.images import EncodedImage, encode
from screenmark.message_rows import rows_of
from screenmark.models.base import ModelOptions
from screenmark.models.chat_ways import Ways
from screenmark.models.openai import OpenAIAdapter
from screenmark.types import Request, SentImage


class StagedOpenAIAdapter(OpenAIAdapter):
    """``preprocess(message_rows, None, None, **kwargs)`` returns the messages, sent as they are.

    ``kwargs`` are those of ``model_kwargs`` and ``dataset_name`` that the function takes. It is
    called in a thread of several, so it has to bear company.
    """

    def __init__(self, options: ModelOptions) -> None:
        super().__init__(options)
        self._fixed.add("responses")  # The function's messages are those of chat completions.
        if self._ways.responses:
            raise UsageError(f"--preprocess writes no Responses API, as --preset {options.preset}")
        self._reference = str(options.preprocess)
        self._function = load_function(self._reference, "--preprocess", options.code_dir)
        self._kwargs = options.model_kwargs or {}

    async def _content(
        self, request: Request, ways: Ways
    ) -> tuple[Any, list[EncodedImage], tuple[SentImage, ...]]:
        return await asyncio.to_thread(self._made, request)

    def _made(self, request: Request) -> tuple[Any, list[EncodedImage], tuple[SentImage, ...]]:
        # Read first: a broken image is not the function's fault, and the record names its hash.
        originals = [encode(path) for path in request.images]
        given = {**self._kwargs, "dataset_name": request.dataset}
        known = {name: value for name, value in given.items() if takes(self._function, name)}
        try:
            messages = self._function(rows_of(request.messages), None, None, **known)
        except FAULTS as error:
            raise StageError(f"{self._reference} failed: {said(error)}") from error
        if (
            not isinstance(messages, list)
            or not messages
            or not all(isinstance(message, dict) and "role" in message for message in messages)
        ):
            kind = type(messages).__name__
            raise StageError(f"{self._reference} returned {kind}, expected a list of messages")
        try:
            body = orjson.dumps(messages)
        except (TypeError, ValueError) as error:
            raise StageError(f"{self._reference} returned what JSON cannot hold: {error}") from None
        return orjson.Fragment(body), [], _facts(originals, list(_image_urls(messages)))


def _image_urls(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            image = part.get("image_url") if isinstance(part, dict) else None
            url = image.get("url") if isinstance(image, dict) else image
            if isinstance(url, str):
                yield url


def _facts(originals: list[EncodedImage], urls: list[str]) -> tuple[SentImage, ...]:
    """Which images went out, and how large, as far as the messages tell."""
    if len(originals) != len(urls):
        return tuple(_as_read(original) for original in originals)
    return tuple(_fact(image, url) for image, url in zip(originals, urls, strict=True))


def _as_read(original: EncodedImage, note: str = "sent by preprocess") -> SentImage:
    return SentImage(
        sha256=original.sha256,
        media_type=original.media_type,
        bytes=len(original.data),
        width=original.width,
        height=original.height,
        note=note,
    )


def _fact(original: EncodedImage, url: str) -> SentImage:
    from PIL import Image

    head, comma, data = url.partition(",")
    if not (head.startswith("data:") and comma and head.endswith(";base64")):
        return _as_read(original, "sent by preprocess as an address")
    try:
        content = base64.b64decode(data, validate=True)
        with Image.open(io.BytesIO(content)) as opened:
            size = opened.size
    except (binascii.Error, OSError, ValueError) as error:
        raise StageError(f"preprocess: one of its images is none ({error})") from None
    scaled = size != (original.width, original.height)
    return SentImage(
        sha256=original.sha256,
        media_type=head.removeprefix("data:").removesuffix(";base64"),
        bytes=len(content),
        width=size[0],
        height=size[1],
        note="sent by preprocess",
        original_width=original.width if scaled else None,
        original_height=original.height if scaled else None,
    )
