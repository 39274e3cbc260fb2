"""Profiles by what a user says: a built-in name, a space, or a file of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from screenmark.answers.profiles import (
    Profile,
    ProfileError,
    get_profile,
    profile_tables,
    read_profile,
)
from screenmark.errors import DataError, UsageError
from screenmark.geometry import Space, SpaceError
from screenmark.jsonfile import read_text

_SUFFIX: Final = ".toml"
_SOUND: Final = {"space": "pixel", "syntaxes": ["json"]}
"""The fields that a profile has to have, with values that are right."""


def find_profile(name: str) -> Profile:
    """The profile that a user means.

    Args:
        name: a built-in profile's name or alias (``qwen2.5-vl``), a bare space (``permille``,
            ``scaled(1280, 800)``), a file that defines one profile (``mine.toml``), or one
            profile of a file (``mine.toml:my-model``). ``@SPACE`` behind any of them puts
            another coordinate space in place of the profile's.

    Raises:
        UsageError: there is no such profile or file, or the file is wrong; the message names
            the file, the profile and the field.
    """
    whole, _, space = (part.strip() for part in name.partition("@"))
    path, key = _path_and_key(whole)
    if path is None:
        try:
            return get_profile(name)
        except (ProfileError, SpaceError) as error:
            raise UsageError(f"{name}: {error}" if space else str(error)) from None
    profile = _from_file(path, key)
    if not space:
        return profile
    try:
        return msgspec.structs.replace(profile, space=str(Space.parse(space)))
    except SpaceError as error:
        raise UsageError(f"{name}: {error}") from None


def _path_and_key(name: str) -> tuple[str | None, str]:
    """The file that a name means, or None, and the profile wanted from it, or ""."""
    if name.lower().endswith(_SUFFIX):
        return name, ""
    end = name.lower().rfind(f"{_SUFFIX}:")
    if end < 0:
        return None, ""
    return name[: end + len(_SUFFIX)], name[end + len(_SUFFIX) + 1 :].strip()


def profile_warnings(name: str | None) -> list[str]:
    """Mistakes in the other profiles of the file that a profile comes from.

    Only the one that is asked for has to be right; see `find_profile` for its own.
    """
    path, key = _path_and_key((name or "").partition("@")[0].strip())
    if path is None or not key:
        return []
    warnings = []
    for other, table in _tables(path).items():
        try:
            if other != key:
                _read(other, table)
        except ProfileError as error:
            warnings.append(f"{path}: {error} (another profile than {key}, which is used)")
    return warnings


def _tables(path: str) -> dict[str, Any]:
    try:
        return profile_tables(read_text(Path(path)))
    except DataError as error:
        raise UsageError(str(error)) from None
    except ProfileError as error:
        raise UsageError(f"{path}: {error}") from None


def _from_file(path: str, key: str) -> Profile:
    tables = _tables(path)
    if key and key not in tables:
        raise UsageError(f"{path}: no profile {key!r}; it has {_listed(tables)}")
    if not key and len(tables) != 1:
        raise UsageError(f"{path}: say which profile, {path}:NAME; it has {_listed(tables)}")
    name = key or next(iter(tables))
    try:
        return _read(name, tables[name])
    except ProfileError as error:
        raise UsageError(f"{path}: {error}") from None


def _read(name: str, table: Any) -> Profile:
    """One profile out of its table.

    Raises:
        ProfileError: it is wrong; names all of its mistakes, and not only the first one.
    """
    try:
        return read_profile(name, table)
    except ProfileError:
        mistakes = list(_mistakes(name, table)) if isinstance(table, dict) else []
        if not mistakes:
            raise
    raise ProfileError(f"{name}: {'; '.join(mistakes)}")


def _mistakes(name: str, table: dict[str, Any]) -> Iterator[str]:
    """What is wrong with each field by itself, and which ones are missing."""
    alone = [{**_SOUND, field: value} for field, value in table.items()]
    missing = [field for field in _SOUND if field not in table]
    without = [{k: v for k, v in _SOUND.items() if k != field} for field in missing]
    for tried in (*alone, *without):
        try:
            read_profile(name, tried)
        except ProfileError as error:
            yield str(error).removeprefix(f"{name}: ")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
