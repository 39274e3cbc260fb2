"""What tokens cost, from a small dated table that the user can override."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from screenmark.errors import DataError
from screenmark.jsonfile import read_text
from screenmark.types import Usage

_BUNDLED = Path(__file__).parent / "prices.toml"
_MILLION = 1_000_000

Dollars = Annotated[float, msgspec.Meta(ge=0)]


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens."""

    input: Dollars
    output: Dollars

    def of(self, usage: Usage) -> float:
        """Dollars for so many tokens."""
        spent = usage.input_tokens * self.input + usage.output_tokens * self.output
        return spent / _MILLION


class PriceTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices by model name; a trailing ``*`` covers all names that start so."""

    models: dict[str, Price]
    date: str | None = None

    def price_of(self, model: str) -> Price | None:
        """The price of a model: its own entry, else the longest prefix that fits."""
        if model in self.models:
            return self.models[model]
        prefixes = [
            name for name in self.models if name.endswith("*") and model.startswith(name[:-1])
        ]
        return self.models[max(prefixes, key=len)] if prefixes else None


def load_prices(override: Path | None = None) -> PriceTable:
    """The bundled table with the user's entries on top.

    Raises:
        DataError: the user's file cannot be read or has another form.
    """
    bundled = _read(_BUNDLED)
    if override is None:
        return bundled
    own = _read(override)
    return PriceTable(bundled.models | own.models, own.date or bundled.date)


def _read(path: Path) -> PriceTable:
    try:
        data = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}", file=path) from None
    try:
        return msgspec.convert(data, PriceTable)
    except msgspec.ValidationError as error:
        expected = 'expected [models] with lines like "name" = { input = 1.0, output = 2.0 }'
        raise DataError(f"{error}; {expected}", file=path) from None
