"""What is wrong in a configuration: all of it, each with its table and key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from screenmark.benchmarks import benchmark_class
from screenmark.engine.options import EngineOptions
from screenmark.errors import DataError, DataErrors, UsageError
from screenmark.models import ModelOptions
from screenmark.options import OptionField, build, declared
from screenmark.profile_files import find_profile


class Mistakes:
    """Collects errors of one file, so that people need not find them one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: dict[str, DataError] = {}

    def add(self, field: str, problem: str) -> None:
        """A mistake at ``field``, as ``models.qwen.max-tokens``; said once."""
        error = DataError(problem, file=self.path, field=field)
        self._found.setdefault(str(error), error)

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Go on after a DataError, which is kept."""
        try:
            yield
        except DataError as error:
            self._found.setdefault(str(error), error)

    def check(self) -> None:
        """Raise what was found, if anything.

        Raises:
            DataError: one mistake, or all of them as DataErrors.
        """
        found = list(self._found.values())
        if len(found) == 1:
            raise found[0]
        if found:
            raise DataErrors(found)


def options_of(id: str) -> dict[str, tuple[type[msgspec.Struct], OptionField]]:
    """The options that a run of a benchmark takes, each with the struct that declares it."""
    structs = (ModelOptions, benchmark_class(id).options_type, EngineOptions)
    return {field.name: (struct, field) for struct in structs for field in declared(struct)}


def wrong_value(struct: type[msgspec.Struct], field: OptionField, value: Any) -> str | None:
    """What is wrong with an option's value, or None."""
    try:
        build(struct, {field.name: value})
        if field.name == "profile" and isinstance(value, str):
            find_profile(value)
    except UsageError as error:
        return str(error).removeprefix(f"{field.flag}: ")
    return None
