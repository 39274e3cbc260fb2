"""Providers by name: address, key and limits of ``--preset``, and how their dialects differ."""

from __future__ import annotations

import difflib
import functools
import os
import tomllib
from importlib import resources
from urllib.parse import urlsplit

import msgspec

from screenmark.errors import UsageError
from screenmark.models.base import ModelOptions
from screenmark.types import ImageLimits


class Preset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One provider; the fields are explained in ``presets.toml``."""

    name: str
    title: str
    api_base: str
    source: str
    adapter: str = "openai"
    key: str | None = None
    hosts: tuple[str, ...] = ()
    max_image_bytes: int | None = None
    max_image_pixels: int | None = None
    max_image_edge: int | None = None
    profile: str | None = None
    detail: bool = True
    raw_base64: bool = False
    max_completion_tokens: bool = False
    responses: bool = False

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine, unless its address is replaced."""
        return urlsplit(self.api_base).hostname == "127.0.0.1"

    @property
    def limits(self) -> ImageLimits:
        """The largest image that it takes."""
        return ImageLimits(self.max_image_pixels, self.max_image_bytes, self.max_image_edge)


@functools.cache
def presets() -> dict[str, Preset]:
    """Every preset by its name."""
    text = resources.files("screenmark.models").joinpath("presets.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    return {
        name: msgspec.convert({**table, "name": name}, Preset) for name, table in tables.items()
    }


def preset_of(options: ModelOptions) -> Preset | None:
    """The preset that the options name, or None.

    Raises:
        UsageError: there is none by that name.
    """
    if options.preset is None:
        return None
    found = presets().get(options.preset)
    if found is None:
        close = difflib.get_close_matches(options.preset, presets(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(presets())}"
        raise UsageError(f"--preset: there is no {options.preset!r}; {hint}")
    return found


def with_preset(options: ModelOptions) -> ModelOptions:
    """The options with adapter, address and key of their preset, where they name none.

    With a preset, only its own variable is looked at for a key and no variable for an address,
    so that no provider is sent what is meant for another.

    Raises:
        UsageError: there is no such preset.
    """
    preset = preset_of(options)
    if preset is None:
        return options
    return msgspec.structs.replace(
        options,
        adapter=options.adapter or preset.adapter,
        api_base=options.api_base or (preset.api_base,),
        api_key=options.api_key or (os.environ.get(preset.key) if preset.key else None),
    )


def key_variable(options: ModelOptions, usual: str) -> str | None:
    """The environment variable of the key: the preset's, or the adapter's usual one."""
    preset = preset_of(options)
    return usual if preset is None else preset.key


def preset_at(url: str) -> Preset | None:
    """The provider behind an address, or None if it is unknown or on this machine."""
    host = urlsplit(url).hostname or ""
    for preset in presets().values():
        own = urlsplit(preset.api_base).hostname
        if host in {own, *preset.hosts} and not preset.is_local:
            return preset
    return None
