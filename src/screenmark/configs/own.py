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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from screenmark.benchmarks import BENCHMARKS
from screenmark.configs.mistakes import Mistakes, options_of, wrong_value
from screenmark.configs.pairs import Pair
from screenmark.engine.stages import default_folder
from screenmark.errors import DataError
from screenmark.models.registry import adapter_names
from screenmark.options import OptionField

_TOP = ("options", "models", "benchmarks")
_ON = "on"
_NOT_HERE = ("resume", "fork")


def own_pairs(path: Path, values: Mapping[str, Any]) -> list[Pair]:
    """The pairs of a file in our form.

    Raises:
        DataError: keys are unknown, values are wrong, or there is no table where one has to be;
            all of it is named.
    """
    mistakes = Mistakes(path)
    for key in values:
        if key not in _TOP:
            mistakes.add(key, unknown(key, _TOP))
    tables: dict[str, dict[str, Any]] = {}
    for key in _TOP:
        with mistakes.caught():
            tables[key] = _table(path, values, key)
            if not tables[key] and key != "options":
                mistakes.add(key, f"names no {key}")
    common, models, benchmarks = (tables.get(key, {}) for key in _TOP)
    for id in benchmarks:
        if id not in BENCHMARKS:
            mistakes.add(f"benchmarks.{id}", unknown(id, tuple(BENCHMARKS)))
    spelt = _Spelling(values)
    pairs = []
    known = [id for id in benchmarks if id in BENCHMARKS]
    if not (known and models):
        # No pair will look at these tables, and what is wrong in them is still wrong.
        alone = [("options", common)]
        alone += [(f"models.{name}", models[name]) for name in models]
        alone += [(f"benchmarks.{id}", benchmarks[id]) for id in benchmarks]
        for place, table in alone:
            _check_alone(place, table, mistakes, spelt)
    for id in benchmarks:
        if id not in BENCHMARKS:
            continue
        for name in models:
            with mistakes.caught():
                own = _table(path, benchmarks, id, "benchmarks.")
                wide = [("options", common), (f"benchmarks.{id}", own)]
                narrow = _tables_of_model(path, models, name, id, mistakes)
                pairs.append(_pair(path, name, id, [*wide, *narrow], mistakes, spelt))
    mistakes.check()
    return pairs


class _Spelling:
    """How a file writes the keys of options: with ``-``, unless it has some with ``_`` only."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        keys = list(_option_keys(values))
        self._underscores = any("_" in k for k in keys) and not any("-" in k for k in keys)

    def of(self, option: str, key: str) -> str:
        """An option as it would be written in place of ``key``."""
        with_dashes = "-" in key or ("_" not in key and not self._underscores)
        return option.replace("_", "-") if with_dashes else option


def _option_keys(values: Mapping[str, Any]) -> Iterator[str]:
    """Keys whose values are no tables; names of models and benchmarks are none."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _option_keys(value)
        elif isinstance(key, str):
            yield key


def _tables_of_model(
    path: Path, models: Mapping[str, Any], name: str, id: str, mistakes: Mistakes
) -> list[tuple[str, dict[str, Any]]]:
    place = f"models.{name}"
    model = dict(_table(path, models, name, "models."))
    narrow = _table(path, model, _ON, f"{place}.")
    model.pop(_ON, None)
    for benchmark in narrow:
        if benchmark not in BENCHMARKS:
            mistakes.add(f"{place}.{_ON}.{benchmark}", unknown(benchmark, tuple(BENCHMARKS)))
    exact = _table(path, narrow, id, f"{place}.{_ON}.")
    return [(place, model), (f"{place}.{_ON}.{id}", exact)]


def _pair(
    path: Path,
    name: str,
    id: str,
    tables: Sequence[tuple[str, Mapping[str, Any]]],
    mistakes: Mistakes,
    spelt: _Spelling,
) -> Pair:
    known = _options(id)
    everywhere = {option for other in BENCHMARKS for option in _options(other)}
    options: dict[str, Any] = {}
    places: dict[str, str] = {}
    for place, table in tables:
        seen: dict[str, str] = {}
        for key, value in table.items():
            option = key.replace("-", "_")
            if option in seen:
                mistakes.add(f"{place}.{key}", f"given twice, as {seen[option]} too")
            seen[option] = key
            if option in known:
                options[option] = _resolved(path, known[option][1], value)
                places[option] = f"{place}.{key}"
            elif option not in everywhere or place.startswith("benchmarks."):
                names = tuple(spelt.of(option, key) for option in known)
                mistakes.add(f"{place}.{key}", unknown(key, names))
    # Only the narrowest table's value counts, so only that has to be right.
    for option, value in options.items():
        if problem := wrong_value(*known[option], value):
            mistakes.add(places[option], problem)
    if not {"model", "predictions"} & set(options) and options.get("adapter") in {
        None,
        *adapter_names(),
    }:
        options["model"] = name
    options.setdefault("code_dir", str(default_folder(path)))
    return Pair(name=name, dataset=id, benchmark=id, options=options)


def _check_alone(place: str, table: Any, mistakes: Mistakes, spelt: _Spelling) -> None:
    """Look at a table of settings by itself, as one of any benchmark."""
    if table is None:
        return
    if not isinstance(table, dict):
        mistakes.add(place, "expected a table of settings")
        return
    own = place.removeprefix("benchmarks.")
    ids = (own,) if own in BENCHMARKS else tuple(BENCHMARKS)
    known = {name: found for id in ids for name, found in _options(id).items()}
    for key, value in table.items():
        if key == _ON and place.startswith("models."):
            continue
        option = str(key).replace("-", "_")
        if option not in known:
            names = tuple(spelt.of(name, str(key)) for name in known)
            mistakes.add(f"{place}.{key}", unknown(str(key), names))
        elif problem := wrong_value(*known[option], value):
            mistakes.add(f"{place}.{key}", problem)


def _options(id: str) -> dict[str, tuple[type[msgspec.Struct], OptionField]]:
    return {name: found for name, found in options_of(id).items() if name not in _NOT_HERE}


def _resolved(path: Path, field: OptionField, value: Any) -> Any:
    """Paths are relative to the file that names them."""
    if Path in {field.type, *typing.get_args(field.type)} and isinstance(value, str) and value:
        return str(path.parent / Path(value).expanduser())
    if field.name == "profile" and isinstance(value, str) and ".toml" in value.lower():
        return str(path.parent / value)
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


def unknown(key: str, known: tuple[str, ...]) -> str:
    """What to say about a key that there is not."""
    close = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(known)}"
    return f"there is no such setting; {hint}"
