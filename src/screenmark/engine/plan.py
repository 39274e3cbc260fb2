"""From the options of a command to what will be done: benchmark, model, samples, identity."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from screenmark.benchmarks import Benchmark, Dataset, Sample, benchmark_class
from screenmark.benchmarks.sampling import choose
from screenmark.engine.limiter import AUTO_START, Limiter
from screenmark.engine.options import EngineOptions
from screenmark.engine.runner import Work
from screenmark.engine.stages import check_functions, install
from screenmark.errors import UsageError
from screenmark.models import BaseLLMAdapter, ModelOptions
from screenmark.models.predictions import PredictionsFile
from screenmark.models.presets import with_preset
from screenmark.models.registry import adapter_name, build_replicas
from screenmark.models.rule import ADAPTER as RULE
from screenmark.models.rule import RuleAdapter, encoder_of, rule_of
from screenmark.options import (
    build,
    declared,
    holds_hidden,
    unknown_option,
    without_secrets,
)
from screenmark.profile_files import find_profile
from screenmark.types import ImageLimits

S = TypeVar("S", bound=msgspec.Struct)

_DIGITS = 16  # of a hash, enough to tell contents apart.


class Plan:
    """One run before it starts.

    Args:
        benchmark_id: which benchmark.
        values: options by name, from a command line, a file or a call; what is left out
            has its default.
    """

    def __init__(self, benchmark_id: str, values: Mapping[str, Any]) -> None:
        kind = benchmark_class(benchmark_id)
        values = {**kind.defaults, **values}
        structs = (ModelOptions, kind.options_type, EngineOptions)
        known = [field.name for struct in structs for field in declared(struct)]
        for name in values:
            if name not in known:
                raise UsageError(f"{benchmark_id}: {unknown_option(name, known)}")
        self.benchmark_id = benchmark_id
        self._said = _part(ModelOptions, values)
        self.model = with_preset(self._said)
        self.engine = _part(EngineOptions, values)
        if holds_hidden(self.model.model_kwargs):
            raise UsageError("--model-kwargs: it holds secrets that no run folder keeps; give it")
        self.benchmark: Benchmark[Any, Any] = kind(_part(kind.options_type, values))
        if kind.local_only and self.engine.executor != "local":
            raise UsageError(
                f"--executor {self.engine.executor}: {benchmark_id} runs in one process"
            )
        check_functions(self.model)
        self._code = install(self.benchmark, self.model)

    @property
    def options(self) -> dict[str, Any]:
        """Every option as it was given, by name, as plain JSON, secrets left out."""
        values: dict[str, Any] = {}
        for struct in (self._said, self.benchmark.options, self.engine):
            for field in declared(type(struct)):
                if not field.info.secret:
                    values[field.name] = without_secrets(getattr(struct, field.name))
        plain: dict[str, Any] = msgspec.to_builtins(values, enc_hook=str)
        return plain

    def replicas(self) -> list[BaseLLMAdapter]:
        """The model, once for each address: a rule of the benchmark, an encoder, or a real one.

        Raises:
            UsageError, MissingExtra, DataError: as for `build_adapter`.
        """
        own = self.benchmark.adapters(self.model)
        if own:
            return own
        rule = rule_of(self._said, self.benchmark)
        rule = rule or encoder_of(self._said, self.benchmark)
        return build_replicas(self.model) if rule is None else [rule]

    def identity(self, dataset: Dataset[Any], model: BaseLLMAdapter) -> dict[str, Any]:
        """Everything that changes answers, by the name of the option that sets it."""
        values: dict[str, Any] = {"benchmark": self.benchmark_id}
        for struct in (self.model, self.benchmark.options, self.engine):
            for field in declared(type(struct)):
                if field.info.changes_answers:
                    values[field.name] = without_secrets(getattr(struct, field.name))
        values["annotation"] = dataset.data_hash
        values["prompt"] = _digest(self.benchmark.prompt_text.encode("utf-8"))
        values["profile"] = self._profile_with_content()
        values |= self._code
        limits = self.benchmark.image_limits or ImageLimits()
        values["max_image_pixels"] = limits.max_pixels
        values["max_image_bytes"] = limits.max_bytes
        values["max_image_edge"] = limits.max_edge
        values["model"] = model.name
        is_rule = isinstance(model, RuleAdapter) and not self.model.adapter
        named = RULE if is_rule else adapter_name(self.model, model)
        values["adapter"] = model.adapter_id or named
        if model.fingerprint is not None:
            values["weights"] = model.fingerprint
        if isinstance(model, PredictionsFile):
            values["predictions"] = model.sha256[:_DIGITS]
        # As it is read back from a manifest: lists, no tuples.
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(values, enc_hook=str))
        return plain

    def _profile_with_content(self) -> str | None:
        """The profile's name; with one out of a file, a digest of what that says."""
        name = self.benchmark.profile
        if name is None or ".toml" not in name.lower():
            return name
        return f"{name} {_digest(msgspec.json.encode(find_profile(name)))}"

    def choose(self, dataset: Dataset[Any]) -> Sequence[Sample]:
        """The samples that this run asks, in data order."""
        options = self.benchmark.options
        return choose(
            dataset.samples, options.max_samples, options.sample_seed, self.benchmark.group_of
        )

    def limiter(self, adapter: BaseLLMAdapter) -> Limiter:
        """The window of a replica."""
        wanted = adapter.concurrency if adapter.queues else self.model.concurrency
        start = AUTO_START if wanted == "auto" else wanted
        return Limiter(start, adapter.concurrency, self.engine.min_interval)

    def work(self, samples: Sequence[Sample], done: NDArray[np.bool_]) -> Iterator[Work]:
        """What is still to be asked; ``done`` has the shape (samples, repetitions)."""
        for repeat in range(self.engine.repeats):
            for position in range(len(samples)):
                if not done[position, repeat]:
                    yield Work(position, repeat, samples[position])


def differing_options(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """One line for each option that changes answers and has another value now."""
    lines = []
    for name in sorted({*old, *new}):
        was, now = old.get(name), new.get(name)
        if was != now:
            flag = "--model" if name == "weights" else "--" + name.replace("_", "-")
            if name in {"annotation", "prompt", "predictions", "weights"}:
                lines.append(f"{flag} (its content differs)")
            else:
                lines.append(f"{flag} (the run has {was}, the command says {now})")
    return lines


def _part(struct: type[S], values: Mapping[str, Any]) -> S:
    names = {field.name for field in declared(struct)}
    return build(struct, {name: value for name, value in values.items() if name in names})


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
