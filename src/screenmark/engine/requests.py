"""From a sample to the request that is sent, and the hash that tells two requests apart."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import msgspec

from screenmark.benchmarks import Benchmark, Sample
from screenmark.benchmarks.dataset_names import dataset_name
from screenmark.errors import ImageError
from screenmark.models import ModelOptions
from screenmark.profile_files import find_profile
from screenmark.types import Image, Message, Record, Request

_SINCE = {
    "image_limits": None,
    "image_detail": "high",
    "generate_cfg": None,
    "dataset": "",
    "keep_special": False,
    "schema": None,
    "model": "",
}
"""Fields that came later, with the value that changes nothing."""


def make_request(benchmark: Benchmark[Any, Any], sample: Sample, options: ModelOptions) -> Request:
    """What the model is asked about a sample under these options."""
    return Request(
        messages=benchmark.build_prompt(sample),
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        sample_id=sample.id,
        image_limits=benchmark.image_limits,
        image_detail=options.image_detail,
        generate_cfg=options.generate_cfg,
        dataset=dataset_name(benchmark),
        keep_special=_keeps_special(benchmark.profile),
        schema=None if options.structured == "off" else benchmark.answer_schema(sample),
        model=benchmark.asked_of(sample),
    )


@functools.cache
def _keeps_special(profile: str | None) -> bool:
    return profile is not None and find_profile(profile).special


def request_hash(request: Request) -> str:
    """Hash of everything that is sent but the images' content.

    An image's path is left out: moving a data set does not change what a model sees. The
    hash of its content stands in the record's reply. The limits that images are scaled down
    to are part of it.
    """
    messages = tuple(
        Message(m.role, tuple(Image("") if isinstance(p, Image) else p for p in m.parts))
        for m in request.messages
    )
    plain = msgspec.to_builtins(
        msgspec.structs.replace(request, messages=messages, sample_id="", dataset="")
    )
    for name, default in _SINCE.items():
        if plain[name] == default:
            del plain[name]  # as before there was any
    limits = plain.get("image_limits")
    if limits is not None and limits["max_edge"] is None:
        del limits["max_edge"]
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:16]


def still_holds(record: Record, request: Request) -> bool:
    """Whether an old record answers this request: same words, options and image content."""
    from screenmark.images import encode

    if record.reply is None or record.request_hash != request_hash(request):
        return False
    hashes = [image.sha256 for image in record.reply.images]
    if not hashes:
        return True
    try:
        return [encode(path).sha256 for path in request.images] == hashes
    except ImageError:
        return False
