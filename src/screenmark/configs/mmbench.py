"""MMBench-GUI's configuration JSON, accepted as it is.

``{"model": {name: {…}}, "data": {data set: {…}}}``: every model runs on every data set. What
had no effect there is a warning here; what cannot work is an error that says what would.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

from screenmark.benchmarks import BENCHMARKS
from screenmark.benchmarks.dataset_names import DATASET_NAMES
from screenmark.configs.mistakes import Mistakes, options_of, wrong_value
from screenmark.configs.pairs import Pair
from screenmark.engine.stages import default_folder
from screenmark.errors import DataError

_MODEL_KEYS = (
    *("model_path", "generate_cfg", "imp_type", "generate_function", "preprocess_function"),
    *("postprocess_function", "custom_prompt", "kwargs"),
)
_ANNOTATED = frozenset({"mmbench-gui-l1", "mmbench-gui-l2"})
_DATA_KEYS = ("mode", "parse_function", "match_mode")
_NEEDS = {"mmbench-gui-l4": "environments to act in, several applications at a time"}
_ACTS = "You operate graphical user interfaces and follow the user's instructions."
_SYSTEM = {
    "GUIContentUnderstanding": (
        "You are shown a screenshot with a question and options. Reply with one letter and "
        "nothing else."
    ),
    "GUIElementGrounding": _ACTS,
    "GUITaskAutomation": _ACTS,
    "GUITaskCollaboration": _ACTS,
}
_PLACEHOLDER_KEY = "api_key_placeholder"
_DEFAULT_MODEL = "gpt-4o"


def mmbench_pairs(path: Path, values: Mapping[str, Any]) -> list[Pair]:
    """The pairs of a file in MMBench-GUI's form, data set by data set.

    Raises:
        DataError: required keys are missing, or values are wrong; all of it is named.
    """
    ids = {public: id for id, public in DATASET_NAMES.items()}
    mistakes = Mistakes(path)
    tables: dict[str, Mapping[str, Any]] = {}
    for key in ("model", "data"):
        with mistakes.caught():
            tables[key] = _table(path, values, key)
            if not tables[key]:
                mistakes.add(key, "names none")
    models, data = tables.get("model", {}), tables.get("data", {})
    pairs: list[Pair] = []
    for dataset in data:
        if dataset not in ids:
            close = difflib.get_close_matches(dataset, ids, n=1)
            hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(ids)}"
            mistakes.add(f"data.{dataset}", f"there is no such data set; {hint}")
            continue
        options: dict[str, Any] = {}
        warnings: list[str] = []
        with mistakes.caught():
            settings = _table(path, data, dataset, "data.")
            options, warnings = _data_options(path, dataset, ids[dataset], settings)
        pairs += _pairs_on(path, models, dataset, ids[dataset], (options, warnings), mistakes)
    if not set(data) & set(ids):
        # What is wrong in the models is said all the same.
        _pairs_on(path, models, *next(iter(ids.items())), ({}, []), mistakes)
    mistakes.check()
    return pairs


def _pairs_on(
    path: Path,
    models: Mapping[str, Any],
    dataset: str,
    id: str,
    of_data: tuple[dict[str, Any], list[str]],
    mistakes: Mistakes,
) -> list[Pair]:
    """All models on one data set, whose options and warnings are given."""
    options, warnings = of_data
    pairs = []
    for name in models:
        with mistakes.caught():
            table = _table(path, models, name, "model.")
            with mistakes.caught():
                _check_type(path, f"model.{name}", table)
            model, more = _model_options(path, name, dataset, table)
            pair = Pair(
                name=name,
                dataset=dataset,
                benchmark=id,
                options={**options, **model},
                warnings=(*warnings, *more),
            )
            _check_values(pair, mistakes)
            pairs.append(pair)
    return pairs


_KEYS = {
    "mode": "data.{dataset}.mode",
    "parse_function": "data.{dataset}.parse_function",
    "build_prompt": "model.{name}.custom_prompt.{dataset}",
    "preprocess": "model.{name}.preprocess_function",
    "postprocess": "model.{name}.postprocess_function",
    "generate_function": "model.{name}.generate_function",
    "max_tokens": "model.{name}.generate_cfg.max_tokens",
    "temperature": "model.{name}.generate_cfg.temperature",
    "generate_cfg": "model.{name}.generate_cfg",
    "model_kwargs": "model.{name}.kwargs",
    "system_prompt": "model.{name}.kwargs.system_prompt",
    "max_image_pixels": "model.{name}.kwargs.img_size",
}
"""Where a file says what an option comes from; the others come from ``model_path``."""


def _check_values(pair: Pair, mistakes: Mistakes) -> None:
    if pair.benchmark not in BENCHMARKS:
        return  # `check_exists` says so, once the others have run.
    known = options_of(pair.benchmark)
    for option, value in pair.options.items():
        # What the benchmark does not take is said by the run.
        if option in known and (problem := wrong_value(*known[option], value)):
            place = _KEYS.get(option, "model.{name}.model_path")
            if option == "max_tokens" and "max_new_tokens" in pair.options.get("generate_cfg", ()):
                place = "model.{name}.generate_cfg.max_new_tokens"
            mistakes.add(place.format(name=pair.name, dataset=pair.dataset), problem)


def check_exists(pair: Pair) -> None:
    """Say what a data set needs that cannot be run yet.

    Raises:
        DataError: there is no such benchmark in this version.
    """
    if pair.benchmark not in BENCHMARKS:
        raise DataError(
            f"{pair.dataset} ({pair.benchmark}) needs {_NEEDS[pair.benchmark]}, which this "
            "version does not have yet"
        )


def _data_options(
    path: Path, dataset: str, id: str, settings: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    place = f"data.{dataset}"
    warnings = _unknown_keys(place, settings, _DATA_KEYS)
    mode = _text(path, settings, "mode", place)
    if id not in _ANNOTATED:
        told = [key for key in _DATA_KEYS if settings.get(key)]
        return {}, warnings + [f"{place}.{key}: has no effect there" for key in told]
    options: dict[str, Any] = {"mode": mode or "all"}
    if parse := _function(path, settings, "parse_function", place):
        options["parse_function"] = parse
    match = _text(path, settings, "match_mode", place)
    if match not in {None, "", "exact_match", "exact_matching"}:
        warnings.append(f"{place}.match_mode: {match!r} is not available; answers have to match")
    folder, tried = data_folder()
    if folder is not None:
        options["data"] = str(folder)
    else:
        warnings.append(
            f"no MMBench-GUI data in {tried}, so the bundled items are asked; get it with: "
            "screenmark data download mmbench-gui"
        )
    return options, warnings


def data_folder() -> tuple[Path | None, str]:
    """``$LMUData/MMBench-GUI``, else ``~/LMUData/MMBench-GUI``, if it holds annotations.

    Returns:
        The folder or None, and the places that were looked at.
    """
    named = os.environ.get("LMUData")  # noqa: SIM112 - the public tools spell it like this
    roots = [Path(named)] if named and Path(named).is_dir() else []
    folders = [root / "MMBench-GUI" for root in (*roots, Path("~/LMUData").expanduser())]
    for folder in folders:
        if any(folder.glob("L[12]_annotations.json")):
            return folder, str(folder)
    return None, " or ".join(map(str, folders))


def _model_options(
    path: Path, name: str, dataset: str, table: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    place = f"model.{name}"
    warnings = _unknown_keys(place, table, _MODEL_KEYS)
    model_path = table.get("model_path")
    if not isinstance(model_path, str) or not model_path:
        raise DataError(
            "expected the path of a checkpoint, or BASE_URL?api_key=KEY&model=NAME",
            file=path,
            field=f"{place}.model_path",
        )
    kwargs = _table(path, table, "kwargs", f"{place}.")
    hosted = _is_hosted(model_path)
    warnings += _check_type(path, place, table)
    options: dict[str, Any] = {"adapter": "transformers", "model": model_path}
    if hosted:
        options = _endpoint(model_path)
    generation = dict(_table(path, table, "generate_cfg", f"{place}."))
    _check_numbers(path, f"{place}.generate_cfg", generation)
    options |= _generation(generation, hosted)
    for key, option in (
        ("preprocess_function", "preprocess"),
        ("postprocess_function", "postprocess"),
        ("generate_function", "generate_function"),
    ):
        if (value := _function(path, table, key, place)) and not (
            hosted and option == "generate_function"
        ):
            options[option] = value
    if options.get("generate_function") == "generate":
        del options["generate_function"]
    custom = _table(path, table, "custom_prompt", f"{place}.")
    builders = {key: _function(path, custom, key, f"{place}.custom_prompt") for key in custom}
    if builder := builders.get(dataset):
        options["build_prompt"] = builder
    more, said = _from_kwargs(place, kwargs, dataset, hosted=hosted)
    options |= more
    if kwargs:
        options["model_kwargs"] = dict(kwargs)
    options["code_dir"] = str(default_folder(path))
    return options, [*warnings, *said]


def _is_hosted(model_path: Any) -> bool:
    return str(model_path).startswith(("http://", "https://"))


def _check_type(path: Path, place: str, table: Mapping[str, Any]) -> list[str]:
    kind = _text(path, table, "imp_type", place)
    wanted = "openai" if _is_hosted(table.get("model_path")) else "transformers"
    if kind in {None, "", wanted}:
        return []
    if kind in {"openai", "transformers"}:
        return [f"{place}.imp_type: {kind}, but the model_path means {wanted}, which is used"]
    raise DataError(
        f"{kind!r} is not available; expected openai (with an address as model_path) or "
        "transformers (with a checkpoint)",
        file=path,
        field=f"{place}.imp_type",
    )


def _endpoint(model_path: str) -> dict[str, Any]:
    """Address, key and name out of ``BASE_URL?api_key=KEY&model=NAME``."""
    parts = urlsplit(model_path)
    query = parse_qs(parts.query)
    base = urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")).rstrip("/")
    options: dict[str, Any] = {
        "adapter": "openai",
        "api_base": (base.removesuffix("/chat/completions"),),
        "model": query.get("model", [_DEFAULT_MODEL])[0],
    }
    key = query.get("api_key", [_PLACEHOLDER_KEY])[0]
    if key != _PLACEHOLDER_KEY:
        options["api_key"] = key
    return options


def _check_numbers(path: Path, place: str, generation: Mapping[str, Any]) -> None:
    for key, kind in (("max_tokens", int), ("max_new_tokens", int), ("temperature", int | float)):
        value = generation.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise DataError(f"expected a number, got {value!r}", file=path, field=f"{place}.{key}")


def _generation(generation: dict[str, Any], hosted: bool) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key in ("max_tokens", "max_new_tokens"):
        if isinstance(generation.get(key), int):
            options["max_tokens"] = generation[key]
            if hosted:
                del generation[key]
    if hosted and isinstance(generation.get("temperature"), int | float):
        options["temperature"] = float(generation.pop("temperature"))
    if generation:
        options["generate_cfg"] = generation
    return options


def _from_kwargs(
    place: str, kwargs: Mapping[str, Any], dataset: str, *, hosted: bool
) -> tuple[dict[str, Any], list[str]]:
    """What of the free keyword arguments the framework itself looks at."""
    options: dict[str, Any] = {}
    system = kwargs.get("system_prompt")
    if isinstance(system, str) and system not in {"", "model_default"}:
        options["system_prompt"] = _SYSTEM[dataset] if system == "benchmark_default" else system
    warnings = [
        f"{place}.kwargs.{key}: did you mean system_prompt?"
        for key in kwargs
        if key != "system_prompt" and difflib.get_close_matches(key, ["system_prompt"], cutoff=0.9)
    ]
    if not hosted:
        return options, warnings
    if kwargs.get("img_detail") in {"high", "low", "auto"}:
        options["image_detail"] = kwargs["img_detail"]
        if kwargs["img_detail"] == "low":
            warnings.append(
                f"{place}.kwargs.img_detail: low shows the model about 512 pixels of a screenshot"
            )
    size = kwargs.get("img_size", -1)
    if isinstance(size, int) and size > 0:
        options["max_image_pixels"] = size * size
        warnings.append(
            f"{place}.kwargs.img_size: images are scaled to at most {size} x {size} pixels in area"
        )
    return options, warnings


def _function(path: Path, table: Mapping[str, Any], key: str, place: str) -> str | None:
    """A reference to a function; the public defaults, which never worked, mean ours."""
    value = _text(path, table, key, place, "the name of a function, package.module.function")
    return None if value is None or value.startswith("models.base.default_") else value


def _text(
    path: Path, table: Mapping[str, Any], key: str, place: str, what: str = "a text"
) -> str | None:
    """A value that has to be a text where there is one; an empty one is none.

    Raises:
        DataError: it is something else.
    """
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        got = f"got {value!r:.80}"
        raise DataError(f"expected {what}, {got}", file=path, field=f"{place}.{key}")
    return value or None


def _table(path: Path, values: Mapping[str, Any], key: str, place: str = "") -> dict[str, Any]:
    table = values.get(key)
    if table is None:
        return {}
    if not isinstance(table, dict):
        raise DataError("expected an object", file=path, field=place + key)
    return table


def _unknown_keys(place: str, table: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    """A warning for each key that nobody reads: the public reader passes over them too."""
    warnings = []
    for key in table:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            warnings.append(f"{place}.{key}: has no effect{hint}")
    return warnings
