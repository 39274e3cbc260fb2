"""A rule of a benchmark in a model's place, or an encoder by way of one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from screenmark.benchmarks import Benchmark, Sample
from screenmark.benchmarks.rules import Rule
from screenmark.errors import RejectedError, UsageError
from screenmark.models.base import AsyncAdapter, ModelOptions
from screenmark.models.encoders import Encoder
from screenmark.models.registry import own_encoder
from screenmark.types import Reply, Request

ADAPTER = "rule"
"""What manifests call it."""

_TOGETHER: Final = 128
"""Samples that are answered at once by a rule that looks at each alone."""


class RuleAdapter(AsyncAdapter):
    """Answers from the samples and not from what a model would be shown of them.

    A rule that needs all of the data sees them as the benchmark loads them, whichever part of
    them is asked.
    """

    concurrency = 64

    def __init__(self, name: str, rule: Rule, benchmark: Benchmark[Any, Any]) -> None:
        self.name = name
        self._rule = rule
        self._benchmark = benchmark
        benchmark.draws = False
        self._samples: Sequence[Sample] = ()
        self._places: dict[str, int] = {}
        self._replies: dict[str, str] = {}
        self._answering = asyncio.Lock()

    async def start(self) -> None:
        self._samples = self._benchmark.load().samples
        self._places = {sample.id: place for place, sample in enumerate(self._samples)}

    async def generate(self, request: Request) -> Reply:
        id = request.sample_id
        if id not in self._places:
            raise RejectedError(f"the rule {self.name} knows no sample {id}")
        async with self._answering:
            if id not in self._replies:
                part = self._part(self._places[id])
                # Aside, as an encoder may take a while.
                replies = await asyncio.to_thread(self._rule.answer, part)
                self._replies |= {s.id: text for s, text in zip(part, replies, strict=True)}
        return Reply(text=self._replies[id])

    def _part(self, place: int) -> Sequence[Sample]:
        """The samples that are answered together with one of them."""
        if not self._rule.alone:
            return self._samples
        start = place - place % _TOGETHER
        return self._samples[start : start + _TOGETHER]


def rule_of(options: ModelOptions, benchmark: Benchmark[Any, Any]) -> RuleAdapter | None:
    """The rule that ``--model`` names, unless something else is said to be asked.

    Raises:
        UsageError: the rule makes no sense on the benchmark's data.
    """
    said = options.adapter or options.api_base or options.predictions or options.preset
    if said or options.model is None:
        return None
    rules = benchmark.rules()
    rule = rules.get(options.model)
    if rule is not None:
        return RuleAdapter(options.model, rule, benchmark)
    if (why := benchmark.lacking_rules().get(options.model)) is not None:
        raise UsageError(
            f"--model {options.model} makes no sense on {benchmark.info.id}: {why}; there are "
            f"{', '.join(rules)}"
        )
    return None


def encoder_of(options: ModelOptions, benchmark: Benchmark[Any, Any]) -> RuleAdapter | None:
    """The encoder that ``--adapter`` names, as the benchmark lets it answer; None if it is none.

    Raises:
        UsageError: the class cannot be found or made, or the benchmark takes no encoder.
    """
    encoder = own_encoder(options)
    return None if encoder is None else encoder_adapter(encoder, benchmark)


def encoder_adapter(encoder: Encoder, benchmark: Benchmark[Any, Any]) -> RuleAdapter:
    """An encoder in a model's place, for ``screenmark.run(..., adapter_object=...)``.

    Raises:
        UsageError: the benchmark takes no encoder.
    """
    adapter = RuleAdapter(encoder.name, benchmark.encoder_rule(encoder), benchmark)
    adapter.fingerprint = encoder.fingerprint
    return adapter
