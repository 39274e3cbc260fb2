"""``screenmark list``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import msgspec
import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

HELP = """\b
Examples:
  screenmark list
  screenmark list models --format json
  screenmark list profiles
  screenmark list presets
"""


class Kind(StrEnum):
    """What can be listed."""

    BENCHMARKS = "benchmarks"
    MODELS = "models"
    ADAPTERS = "adapters"
    PROFILES = "profiles"
    PRESETS = "presets"


def command(
    kind: Annotated[Kind, typer.Argument(help="What to list.")] = Kind.BENCHMARKS,
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.reports import render
    from screenmark.types import Table

    shape = chosen_format(format, as_json)
    makers = {
        Kind.BENCHMARKS: _benchmarks,
        Kind.MODELS: _models,
        Kind.ADAPTERS: _adapters,
        Kind.PROFILES: _profiles,
        Kind.PRESETS: _presets,
    }
    data, columns = makers[kind]()
    rows = tuple(tuple(_cell(item[column]) for column in columns) for item in data)
    table = Table(title=kind.value.capitalize(), columns=columns, rows=rows)
    typer.echo(render([table], data, shape), nl=False)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def _benchmarks() -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    from screenmark.benchmarks import BENCHMARKS, benchmark_class

    data = []
    for name in BENCHMARKS:
        info = msgspec.to_builtins(benchmark_class(name).info)
        splits = ", ".join(f"{split} {count}" for split, count in info["splits"].items())
        whole = str(info["bundled_samples"] or "none; see: data download")
        data.append({**info, "bundled": splits or whole})
    return data, ("id", "family", "title", "bundled", "primary_metric")


def _models() -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    from screenmark.benchmarks import BENCHMARKS, benchmark_class
    from screenmark.models.embedded_adapter import EMBEDDED

    data = [{"model": n, "on": None, "what": model.what} for n, model in EMBEDDED.items()]
    for id in BENCHMARKS:
        kind = benchmark_class(id)
        rules = kind.listed_rules().items()
        data += [{"model": name, "on": id, "what": rule.what} for name, rule in rules]
        data += [{"model": name, "on": id, "what": what} for name, what in kind.agents().items()]
    return data, ("model", "on", "what")


def _adapters() -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    from screenmark.models.registry import adapter_names

    return [{"adapter": name} for name in adapter_names()], ("adapter",)


def _profiles() -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    from screenmark.answers import profiles

    data = [msgspec.to_builtins(profile) for profile in profiles().values()]
    return data, ("name", "title", "space", "ask", "aliases")


def _presets() -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    from screenmark.models.presets import presets

    data = [msgspec.to_builtins(preset) for preset in presets().values()]
    return data, ("name", "adapter", "api_base", "key", "profile")
