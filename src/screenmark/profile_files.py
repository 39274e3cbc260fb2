"""Profiles by what a user says: a built-in name, a space, or a file of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from screenmark.answers.profiles import Profile, ProfileError, get_profile, read_profiles
from screenmark.errors import DataError, UsageError
from screenmark.geometry import Space, SpaceError
from screenmark.jsonfile import read_text

_SUFFIX: Final = ".toml"


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


def _from_file(path: str, key: str) -> Profile:
    try:
        found = read_profiles(read_text(Path(path)))
    except DataError as error:
        raise UsageError(str(error)) from None
    except ProfileError as error:
        raise UsageError(f"{path}: {error}") from None
    if key and key not in found:
        raise UsageError(f"{path}: no profile {key!r}; it has {_listed(found)}")
    if not key and len(found) != 1:
        raise UsageError(f"{path}: say which profile, {path}:NAME; it has {_listed(found)}")
    return found[key] if key else next(iter(found.values()))


def _listed(names: dict[str, Profile]) -> str:
    return ", ".join(names) or "none"
