"""Our own form of a configuration.

::

    [options]                       # for all runs
    concurrency = 16

    [models.qwen]                   # any option of the command line
    model = "Qwen2.5-VL-7B-Instruct"
    api-base = "http://localhost:8000/v1"

    [models.qwen.on.mmbench-gui-l1] # this model on that benchmark
    max-tokens = 256

    [benchmarks.mmbench-gui-l2]
    mode = "basic"

A later and narrower table wins: options, benchmark, model, model on benchmark.
"""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from screenmark.benchmarks import BENCHMARKS, benchmark_class
from screenmark.configs.pairs import Pair
from screenmark.engine.options import EngineOptions
from screenmark.engine.stages import default_folder
from screenmark.errors import DataError, UsageError
from screenmark.models import ModelOptions
from screenmark.models.registry import adapter_names
from screenmark.options import OptionField, declared

_TOP = ("options", "models", "benchmarks")
_ON = "on"
_NOT_HERE = ("resume", "fork")


def own_pairs(path: Path, values: Mapping[str, Any]) -> Iterator[Pair]:
    """The pairs of a file in our form.

    Raises:
        DataError: a key is unknown or a value is no table.
    """
    for key in values:
        if key not in _TOP:
            _unknown(path, key, _TOP, key)
    common = _table(path, values, "options")
    models = _table(path, values, "models")
    benchmarks = _table(path, values, "benchmarks")
    for name, tables in (("models", models), ("benchmarks", benchmarks)):
        if not tables:
            raise DataError(f"names no {name}", file=path, field=name)
    for id in benchmarks:
        if id not in BENCHMARKS:
            _unknown(path, id, tuple(BENCHMARKS), f"benchmarks.{id}")
    for id in benchmarks:
        own = _table(path, benchmarks, id, "benchmarks.")
        for name in models:
            yield _pair(path, name, id, [("options", common), (f"benchmarks.{id}", own)], models)


def _pair(
    path: Path,
    name: str,
    id: str,
    tables: list[tuple[str, Mapping[str, Any]]],
    models: Mapping[str, Any],
) -> Pair:
    model = dict(_table(path, models, name, "models."))
    narrow = _table(path, model, _ON, f"models.{name}.")
    model.pop(_ON, None)
    for benchmark in narrow:
        if benchmark not in BENCHMARKS:
            _unknown(path, benchmark, tuple(BENCHMARKS), f"models.{name}.{_ON}.{benchmark}")
    exact = _table(path, narrow, id, f"models.{name}.{_ON}.")
    tables = [*tables, (f"models.{name}", model), (f"models.{name}.{_ON}.{id}", exact)]
    known = {field.name: field for field in _fields(id)}
    everywhere = {field.name for other in BENCHMARKS for field in _fields(other)}
    options: dict[str, Any] = {}
    for place, table in tables:
        for key, value in table.items():
            option = key.replace("-", "_")
            if option in known:
                options[option] = _resolved(path, known[option], value)
            elif option not in everywhere or place.startswith("benchmarks."):
                _unknown(path, key, tuple(known), f"{place}.{key}")
    if not {"model", "predictions"} & set(options) and options.get("adapter") in {
        None,
        *adapter_names(),
    }:
        options["model"] = name
    options.setdefault("code_dir", str(default_folder(path)))
    return Pair(name=name, dataset=id, benchmark=id, options=options)


def _fields(id: str) -> list[OptionField]:
    structs = (ModelOptions, benchmark_class(id).options_type, EngineOptions)
    fields = [field for struct in structs for field in declared(struct)]
    return [field for field in fields if field.name not in _NOT_HERE]


def _resolved(path: Path, field: OptionField, value: Any) -> Any:
    """Paths are relative to the file that names them."""
    if Path in {field.type, *typing.get_args(field.type)} and isinstance(value, str) and value:
        return str(path.parent / Path(value).expanduser())
    if field.name == "api_base" and isinstance(value, list):
        return tuple(value)
    return value


def _table(path: Path, values: Mapping[str, Any], key: str, place: str = "") -> dict[str, Any]:
    table = values.get(key)
    if table is None:
        return {}
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table):
        raise DataError("expected a table of settings", file=path, field=place + key)
    return table


def _unknown(path: Path, key: str, known: tuple[str, ...], field: str) -> NoReturn:
    close = difflib.get_close_matches(key.replace("-", "_"), known, n=1)
    close = close or difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(known)}"
    raise DataError(f"there is no such setting; {hint}", file=path, field=field)


def check_pair(pair: Pair) -> None:
    """Find wrong values before the first run starts.

    Raises:
        UsageError: a value is wrong.
    """
    from screenmark.engine.plan import Plan

    try:
        Plan(pair.benchmark, pair.options)
    except UsageError as error:
        raise UsageError(f"{pair.name} on {pair.dataset}: {error}") from None
