"""A file of predictions in place of a model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec

from screenmark.errors import DataError, RejectedError
from screenmark.jsonfile import TOP_LEVEL, read_bytes, read_json_items
from screenmark.models.base import AsyncAdapter
from screenmark.types import Reply, Request


class MissingPrediction(RejectedError):
    """The file says nothing about a sample."""


class PredictionsFile(AsyncAdapter):
    """Replies read from a JSON array, a JSON object or JSON Lines, keyed by sample id.

    Each item holds the sample's id under ``image_path`` or ``id`` (of both, ``id`` if it names
    a question about that image, ``home.png#1f2e3d4c``), and beside it either
    ``elements`` (or another JSON value under ``prediction``) or the raw text of a model
    under ``response``, ``reply`` or ``text``. The object form maps an id to the value.

    Attributes:
        path: the file, read once when this is made: it may be a pipe.
        sha256: hash of what was read.
    """

    def __init__(self, path: Path, model: str | None = None) -> None:
        self.name = model or path.stem
        self.path = path
        data = read_bytes(path)
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._replies = _load(path, data)

    @property
    def ids(self) -> list[str]:
        """Ids of all samples that the file answers, in file order."""
        return list(self._replies)

    async def generate(self, request: Request) -> Reply:
        text = self._replies.get(request.sample_id)
        if text is None:
            raise MissingPrediction(f"{self.path}: no prediction for {request.sample_id}")
        return Reply(text=text)


_ID_KEYS = ("image_path", "id", "sample_id")
_TEXT_KEYS = ("response", "reply", "text", "output")
_VALUE_KEYS = ("elements", "prediction", "pred")


def _load(path: Path, data: bytes) -> dict[str, str]:
    replies: dict[str, str] = {}
    for where, item in _items(path, data):
        key, reply = _pair(path, where, item)
        if key in replies:
            raise DataError("a second prediction for this sample", file=path, sample=key)
        replies[key] = reply
    return replies


def _items(path: Path, data: bytes) -> list[tuple[str, Any]]:
    items = read_json_items(path, data)
    where, only = items[0] if items else ("", {})
    maps_ids = where == TOP_LEVEL and isinstance(only, dict)
    if maps_ids and not any(key in only for key in _ID_KEYS):
        return [(f"key {key!r}", {"id": key, "prediction": only[key]}) for key in only]
    return items


def _pair(path: Path, where: str, item: Any) -> tuple[str, str]:
    if not isinstance(item, dict):
        kind = type(item).__name__
        raise DataError(
            f"expected an object with image_path, found {kind}", file=path, sample=where
        )
    given = [item[k] for k in _ID_KEYS if isinstance(item.get(k), str)]
    # Where one image has several questions, its path alone says less than an id that holds it.
    if not given:
        raise DataError("expected a string", file=path, sample=where, field="image_path")
    key = next((id for id in given if id.startswith(f"{given[0]}#")), given[0])
    for name in _TEXT_KEYS:
        if isinstance(item.get(name), str):
            return key, item[name]
    for name in _VALUE_KEYS:
        if name in item:
            value = item[name]
            return key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    for name in _TEXT_KEYS:
        if name in item:
            raise DataError(
                f"expected a text, found {msgspec.json.encode(item[name]).decode()[:40]}; leave "
                "the row out where there is no reply",
                file=path,
                sample=where,
                field=name,
            )
    expected = " or ".join((*_VALUE_KEYS[:2], *_TEXT_KEYS[:2]))
    raise DataError(f"expected one of the fields {expected}", file=path, sample=where)
