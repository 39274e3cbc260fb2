"""Stages of a benchmark replaced by functions of the user's own.

``build_prompt(line, dataset)``, ``postprocess(outputs, model, processor, **kwargs)`` and
``parse(response, meta)`` are MMBench-GUI's contracts. They take the place of the benchmark's own
verbs on the one object that a run has; nothing else needs to know.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from screenmark.answers.ending import ending_of
from screenmark.answers.thinking import strip_thinking
from screenmark.benchmarks import Benchmark, Sample
from screenmark.benchmarks.base import DataOptions
from screenmark.benchmarks.dataset_names import dataset_name
from screenmark.benchmarks.unanswered import PARSE_FAILED, POSTPROCESS_FAILED
from screenmark.errors import StageError, UsageError
from screenmark.functions import FAULTS, code_digest, load_function, said, takes, with_second
from screenmark.message_rows import Line, messages_of
from screenmark.models import ModelOptions
from screenmark.models.secrets import Secrets
from screenmark.types import Answer, Json, Message, Outcome, Reply, Text

Function = Callable[..., Any]


def install(benchmark: Benchmark[Any, Any], model: ModelOptions) -> dict[str, str]:
    """Put the user's functions in the place of the benchmark's verbs.

    Returns:
        A digest of the code of each function that changes answers, by its option.

    Raises:
        UsageError: a function cannot be had, or the benchmark has no rows to hand to it.
    """
    options: DataOptions = benchmark.options
    folder = model.code_dir
    secrets = Secrets(model)
    digests = {}
    if (options.build_prompt or options.parse_function) and not benchmark.has_lines():
        raise UsageError(
            f"--build-prompt, --parse-function: {benchmark.info.id} has no rows to hand to them"
        )
    if options.build_prompt is not None:
        builder = load_function(options.build_prompt, "--build-prompt", folder)
        _replace_prompt(benchmark, builder, options.build_prompt)
        digests["build_prompt"] = f"{options.build_prompt} {code_digest(builder)}"
    elif model.system_prompt is not None:
        _add_system(benchmark, model.system_prompt)
    if model.preprocess is not None:
        function = load_function(model.preprocess, "--preprocess", folder)
        digests["preprocess"] = f"{model.preprocess} {code_digest(function)}"
    if options.parse_function is not None:
        function = load_function(options.parse_function, "--parse-function", folder)
        _replace_parse(benchmark, function, secrets)
    if model.postprocess is not None:
        function = load_function(model.postprocess, "--postprocess", folder)
        if model.adapter == "transformers":
            # It works on tokens there, so a record holds its text and not the model's.
            digests["postprocess"] = f"{model.postprocess} {code_digest(function)}"
        else:
            _postprocess_first(benchmark, function, model.model_kwargs or {}, secrets)
    return digests


def _line(benchmark: Benchmark[Any, Any], sample: Sample) -> Line:
    return Line(benchmark.line_of(sample))


def _replace_prompt(benchmark: Benchmark[Any, Any], builder: Function, name: str) -> None:
    dataset = dataset_name(benchmark)

    def build_prompt(sample: Sample) -> tuple[Message, ...]:
        line = _line(benchmark, sample)
        try:
            rows = builder(line, dataset)
        except FAULTS as error:
            raise StageError(f"{name} failed on {sample.id}: {said(error)}") from error
        try:
            return messages_of(rows)
        except (TypeError, ValueError) as error:
            raise StageError(f"{name} on {sample.id}: {error}") from None

    benchmark.build_prompt = build_prompt  # type: ignore[method-assign]


def _add_system(benchmark: Benchmark[Any, Any], text: str) -> None:
    own = benchmark.build_prompt

    def build_prompt(sample: Sample) -> tuple[Message, ...]:
        return Message("system", (Text(text),)), *own(sample)

    benchmark.build_prompt = build_prompt  # type: ignore[method-assign]


def _postprocess_first(
    benchmark: Benchmark[Any, Any],
    function: Function,
    kwargs: dict[str, Json],
    secrets: Secrets,
) -> None:
    """Hand the reply's text through the function before it is read.

    Here and not where the model is asked: the record keeps what the model said, and a changed
    function needs no new answers.
    """
    read = benchmark.parse
    given = {**kwargs, "dataset_name": dataset_name(benchmark)}

    def parse(reply: Reply, sample: Sample) -> Answer:
        try:
            text = function(reply.text, None, None, **_known(function, given))
        except FAULTS as error:
            why = secrets.out_of(f"{POSTPROCESS_FAILED}: {said(error)}")
            return Answer(Outcome.UNPARSEABLE, reason=why)
        if not isinstance(text, str):
            kind = type(text).__name__
            return Answer(Outcome.UNPARSEABLE, reason=f"postprocess returned {kind}, not a text")
        return read(msgspec.structs.replace(reply, text=text), sample)

    benchmark.parse = parse  # type: ignore[method-assign]


def _replace_parse(benchmark: Benchmark[Any, Any], function: Function, secrets: Secrets) -> None:
    call = with_second(function, "--parse-function", "meta")

    def parse(reply: Reply, sample: Sample) -> Answer:
        ended = ending_of(strip_thinking(reply.text), reply.finish_reason)
        if ended is not None:
            return ended
        line = Line(_line(benchmark, sample), **_sizes(reply))
        try:
            found = call(reply.text, line)
        except FAULTS as error:
            why = secrets.out_of(f"{PARSE_FAILED}: {said(error)}")
            return Answer(Outcome.UNPARSEABLE, reason=why)
        if found is None:
            return Answer(Outcome.UNPARSEABLE, reason="the parse function found no answer")
        try:
            return benchmark.answer_of(found, sample)
        except (TypeError, ValueError, ArithmeticError) as error:
            why = secrets.out_of(f"the parse function returned {error}")
            return Answer(Outcome.UNPARSEABLE, reason=why)

    benchmark.parse = parse  # type: ignore[method-assign]


def _sizes(reply: Reply) -> dict[str, Json]:
    """``[width, height]`` of the image as it was sent, and after the model's own resize if known.

    A function that computes a resize from limits of its own goes wrong where the real ones differ.
    """
    if not reply.images:
        return {"sent_size": None, "seen_size": None}
    image = reply.images[0]
    seen = [image.seen_width, image.seen_height] if image.seen_width else None
    return {"sent_size": [image.width, image.height], "seen_size": seen}


def _known(function: Function, given: dict[str, Json]) -> dict[str, Json]:
    """The keyword arguments that a function takes."""
    return {name: value for name, value in given.items() if takes(function, name)}


def check_functions(model: ModelOptions) -> None:
    """Refuse functions that no adapter would call.

    Raises:
        UsageError: a stage is named that the adapter does not have.
    """
    if model.preprocess is not None and model.adapter not in {None, "openai", "transformers"}:
        raise UsageError(f"--preprocess: the adapter {model.adapter} has no such stage")
    if model.generate_function is not None and model.adapter != "transformers":
        raise UsageError("--generate-function is for --adapter transformers")


def default_folder(file: Path) -> Path:
    """Where the functions of a configuration file are: the folder above its own, ``configs/``."""
    return file.resolve().parent.parent if file.parent.name == "configs" else file.resolve().parent
