"""What a configuration file comes to: pairs of a model and a benchmark."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from screenmark.errors import DataError
from screenmark.jsonfile import read_json, read_text


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Attributes:
        name: what the file calls the model.
        dataset: what the file calls the benchmark.
        benchmark: its id.
        options: of ``screenmark.run``, by name with underscores.
        warnings: what of the file has no effect, or another one than it seems.
    """

    name: str
    dataset: str
    benchmark: str
    options: dict[str, Any]
    warnings: tuple[str, ...] = ()


class Config(msgspec.Struct, frozen=True):
    """A file and its pairs, all models of the first benchmark after one another."""

    path: Path
    pairs: tuple[Pair, ...]


def load_config(path: Path) -> Config:
    """Read a configuration of either form; which it is follows from its top-level keys.

    Raises:
        DataError: it cannot be read, or a key or value is wrong; the message names it and what
            was expected.
    """
    from screenmark.configs.mmbench import mmbench_pairs
    from screenmark.configs.own import own_pairs

    values = read_values(path)
    if not isinstance(values, dict):
        raise DataError("expected a table of settings at the top", file=path)
    theirs = {"model", "data"} & set(values)
    ours = {"models", "benchmarks"} & set(values)
    if theirs and ours:
        keys = ", ".join(sorted(theirs | ours))
        raise DataError(
            f"{keys} together; expected model and data (MMBench-GUI's form), or models and "
            "benchmarks (ours)",
            file=path,
        )
    if not theirs and not ours:
        found = ", ".join(map(str, values)) or "nothing"
        raise DataError(f"expected models and benchmarks at the top, found {found}", file=path)
    pairs = mmbench_pairs(path, values) if theirs else own_pairs(path, values)
    return Config(path, tuple(pairs))


def read_values(path: Path) -> Any:
    """The content of a TOML, YAML or JSON file, by its suffix.

    Raises:
        DataError: it cannot be read as what its suffix says.
    """
    suffix = path.suffix.lower()
    if suffix == ".toml":
        try:
            return tomllib.loads(read_text(path))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise DataError(f"not TOML: {error}", file=path) from None
    if suffix in {".yaml", ".yml"}:
        return _read_yaml(path)
    return read_json(path)


def _read_yaml(path: Path) -> Any:
    import yaml

    from screenmark.configs.yaml_file import SettingsError, load_settings

    text = read_text(path)
    try:
        return load_settings(text)
    except SettingsError as error:
        raise DataError(str(error), file=path) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise DataError(f"not YAML: {problem}", file=path) from None
