"""Replies of the cache where the driver, not a runner, asks for them."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks import Benchmark
from screenmark.engine.cache import RunCache
from screenmark.engine.requests import make_request, request_hash
from screenmark.engine.runner import Work, new_record
from screenmark.errors import ImageError
from screenmark.models import ModelOptions
from screenmark.types import Record


class CachedAnswers:
    """The cache on the driver's machine: workers need not share a file system that locks."""

    def __init__(
        self, benchmark: Benchmark[Any, Any], options: ModelOptions, cache: RunCache
    ) -> None:
        self._benchmark = benchmark
        self._options = options
        self._cache = cache

    def answer(self, work: Work) -> Record | None:
        """The finished record of a sample whose reply is there; None if a worker has to ask."""
        if work.sample.problem is not None:
            return None
        try:
            request = make_request(self._benchmark, work.sample, self._options)
        except ImageError:
            return None
        record = new_record(work)
        record.request_hash = request_hash(request)
        if not self._cache.answer(request, record) or record.reply is None:
            return None
        record.answer = self._benchmark.parse(record.reply, work.sample)
        record.outcome = record.answer.outcome
        record.score = self._benchmark.score(work.sample, record.answer)
        return record

    def keep(self, record: Record) -> None:
        """Keep a worker's reply if it is worth it."""
        self._cache.keep(record)
