"""Model profiles: in which space and in which forms a model family says where something is."""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from importlib import resources
from typing import Any, Final, Literal

import msgspec

from screenmark.answers.marks import SYNTAXES
from screenmark.geometry import Space, SpaceError

REFUSALS: Final = ("minus_one",)
"""Extra forms of "not on the screen" that a profile may name."""


class ProfileError(ValueError):
    """There is no such profile, or a definition of one is wrong."""


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one model family writes points and boxes; the fields of ``profiles.toml``.

    Attributes:
        name: what ``--profile`` calls it.
        space: coordinate space of its numbers, as ``str(Space)`` writes it.
        syntaxes: the forms that are read, in this order.
        ask: the form that a built-in prompt asks for.
        y_first: whether lists under ``point`` and ``box_2d`` have y before x.
        sizes: whether a built-in prompt states the image's size.
        special: whether special tokens carry the answer and have to survive decoding.
        refusals: extra forms that say that the target is absent.
        dialect: the language of its actions in an agent's loop, or None.
        models: words in a row in model names that mean this family; with ``=`` in front, the
            whole name.
    """

    name: str = ""
    title: str = ""
    space: str
    syntaxes: tuple[str, ...]
    ask: Literal["point", "box", "click"] = "point"
    y_first: bool = False
    sizes: bool = False
    special: bool = False
    refusals: tuple[str, ...] = ()
    dialect: str | None = None
    models: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        try:
            Space.parse(self.space)
        except SpaceError as error:
            raise ProfileError(f"space: {error}") from None
        for field, values, known in (
            ("syntaxes", self.syntaxes, tuple(SYNTAXES)),
            ("refusals", self.refusals, REFUSALS),
        ):
            for value in values:
                if value not in known:
                    raise ProfileError(f"{field}: {value!r} is not one of {', '.join(known)}")
        if not self.syntaxes:
            raise ProfileError(f"syntaxes: name at least one of {', '.join(SYNTAXES)}")

    @property
    def coordinates(self) -> Space:
        """The coordinate space of its numbers."""
        return Space.parse(self.space)


@functools.cache
def profiles() -> dict[str, Profile]:
    """Every built-in profile by its name."""
    text = resources.files("screenmark.answers").joinpath("profiles.toml").read_text("utf-8")
    return read_profiles(text)


def read_profiles(text: str) -> dict[str, Profile]:
    """Profiles out of TOML: one table a profile.

    Raises:
        ProfileError: it is not TOML, or a profile is wrong; names the profile and the field.
    """
    return {name: read_profile(name, table) for name, table in profile_tables(text).items()}


def profile_tables(text: str) -> dict[str, Any]:
    """The tables of a file of profiles by name, not looked into.

    Raises:
        ProfileError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProfileError(f"not TOML: {error}") from None


def read_profile(name: str, table: Any) -> Profile:
    """One profile out of its table.

    Raises:
        ProfileError: it is wrong; names the profile and the field.
    """
    if not isinstance(table, dict):
        raise ProfileError(f"{name}: expected a table of fields, [{name}]")
    try:
        return msgspec.convert({"title": name, **table, "name": name}, Profile)
    except (msgspec.ValidationError, ProfileError) as error:
        raise ProfileError(f"{name}: {error}") from None


def get_profile(name: str) -> Profile:
    """A built-in profile by name or alias, or one made of a bare space.

    ``NAME@SPACE`` is a profile with another space, for a server with limits of its own:
    ``"qwen2.5-vl@resized(28, 3136, 2116800)"``. A space alone accepts every form.

    Raises:
        ProfileError: there is none by that name; the nearest ones are named.
    """
    family, _, space = (part.strip() for part in name.partition("@"))
    found = _by_any_name().get(family.lower())
    if found is None and not space and "(" in family:
        found, space = profiles()["pixel"], family
    if found is None:
        close = difflib.get_close_matches(family.lower(), _by_any_name(), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else "see: screenmark list profiles"
        raise ProfileError(f"there is no profile {family!r}; {hint}")
    if not space:
        return found
    return msgspec.structs.replace(found, name=name, space=space)


@functools.cache
def _by_any_name() -> dict[str, Profile]:
    named = {alias: profile for profile in profiles().values() for alias in profile.aliases}
    return named | profiles()


def profile_of_model(model: str) -> Profile | None:
    """The family that a model's name means, or None if none or more than one fits.

    The last part of a path counts. A name fits that has the words of one of a profile's
    ``models`` in a row, as ``Qwen2.5-VL-7B-Instruct-AWQ`` does; the longest of them wins.
    """
    words = _normal(model.rstrip("/\\"))
    best: dict[int, set[str]] = {}
    for profile in profiles().values():
        for pattern in profile.models:
            if _fits(words, pattern):
                best.setdefault(len(pattern.lstrip("=")), set()).add(profile.name)
    if not best:
        return None
    names = best[max(best)]
    return profiles()[names.pop()] if len(names) == 1 else None


def _normal(name: str) -> str:
    last = re.split(r"[/\\]", name.lower())[-1]
    return re.sub(r"[\s_.:@-]+", "-", last).strip("-")


def _fits(words: str, pattern: str) -> bool:
    wanted = _normal(pattern.lstrip("="))
    if pattern.startswith("="):
        return words == wanted
    return f"-{wanted}-" in f"-{words}-"
