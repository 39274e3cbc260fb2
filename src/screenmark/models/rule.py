"""A rule of a benchmark in a model's place, or an encoder by way of one."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks import Benchmark
from screenmark.benchmarks.rules import Rule
from screenmark.errors import RejectedError, UsageError
from screenmark.models.base import AsyncAdapter, ModelOptions
from screenmark.models.encoders import Encoder
from screenmark.models.registry import own_encoder
from screenmark.types import Reply, Request

ADAPTER = "rule"
"""What manifests call it."""


class RuleAdapter(AsyncAdapter):
    """Answers from the samples and not from what a model would be shown of them.

    A rule may need all of the data, so it sees them as the benchmark loads them, whichever
    part of them is asked.
    """

    concurrency = 64

    def __init__(self, name: str, rule: Rule, benchmark: Benchmark[Any, Any]) -> None:
        self.name = name
        self._rule = rule
        self._benchmark = benchmark
        benchmark.draws = False
        self._replies: dict[str, str] = {}

    async def start(self) -> None:
        samples = self._benchmark.load().samples
        replies = self._rule.answer(samples)
        self._replies = {s.id: reply for s, reply in zip(samples, replies, strict=True)}

    async def generate(self, request: Request) -> Reply:
        text = self._replies.get(request.sample_id)
        if text is None:
            raise RejectedError(f"the rule {self.name} knows no sample {request.sample_id}")
        return Reply(text=text)


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
