"""Countries, continents and states of the USA: their codes, names and shapes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec

CONTINENTS: Final = (
    *("Africa", "Antarctica", "Asia", "Europe", "North America", "Oceania", "South America"),
)
_ALIASES: Final = {"KOS": "XKX", "KSV": "XKX", "ROM": "ROU", "ZAR": "COD", "TMP": "TLS"}
_OVERLAP = 0.5


class Area(msgspec.Struct, frozen=True):
    """A country or a state.

    Attributes:
        names: the ones that it goes by, the shortest that Natural Earth has first.
        continent: one of ``CONTINENTS``.
        shape: polygons as lists of rings of [longitude, latitude].
    """

    names: list[str]
    continent: str
    shape: list[list[list[list[float]]]]


class _World(msgspec.Struct, frozen=True):
    about: str
    countries: dict[str, Area]
    states: dict[str, Area]


@cache
def _world() -> _World:
    data = files(__package__).joinpath("data").joinpath("world.json").read_bytes()
    return msgspec.json.decode(data, type=_World)


def countries() -> dict[str, Area]:
    """Countries by ISO 3166-1 alpha-3 code."""
    return _world().countries


def states() -> dict[str, Area]:
    """States of the USA by their two letters."""
    return _world().states


def is_code(code: str) -> bool:
    """Whether a country or a state goes by this code."""
    return code in countries() or code in states() or code in _ALIASES


def codes_of(continent: str) -> list[str]:
    """The countries of a continent, whose case does not matter."""
    return [c for c, area in countries().items() if area.continent.lower() == continent.lower()]


def continent_named(name: str) -> str | None:
    """The continent of a name; None if there is none."""
    wanted = name.strip().lower()
    return next((continent for continent in CONTINENTS if continent.lower() == wanted), None)


def code_of(name: str) -> str | None:
    """The code of a country by its code or one of its names; None if nobody knows it."""
    text = name.strip()
    if text.upper() in countries():
        return text.upper()
    return _ALIASES.get(text.upper()) or _by_name().get(_folded(text))


def names_of(code: str) -> list[str]:
    """The names of a country or a state; the code alone if there is none."""
    area = countries().get(code) or states().get(code)
    return area.names if area is not None else [code]


@cache
def _by_name() -> dict[str, str]:
    found: dict[str, str] = {}
    for code, area in countries().items():
        for name in area.names:
            found.setdefault(_folded(name), code)
    more = {"USA": "USA", "Russia": "RUS", "UK": "GBR", "Turkey": "TUR", "Korea": "KOR"}
    return found | {_folded(name): code for name, code in more.items()}


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in plain if c.isalnum())


@cache
def shape_of(code: str) -> Any:
    """The shapely shape of a country or a state.

    Raises:
        KeyError: nobody knows the code.
    """
    import shapely

    code = _ALIASES.get(code, code)
    area = countries().get(code) or states()[code]
    polygons = [shapely.Polygon(rings[0], rings[1:]) for rings in area.shape]
    return shapely.make_valid(shapely.MultiPolygon(polygons))


def region_of(codes: Iterable[str], margin: float) -> Any:
    """Countries and states as one shapely shape, widened by so many degrees for rough coasts."""
    import shapely

    return shapely.buffer(shapely.union_all([shape_of(code) for code in codes]), margin)


@cache
def _tree(kind: str) -> tuple[list[str], Any]:
    import shapely

    codes = list(states() if kind == "states" else countries())
    return codes, shapely.STRtree([shape_of(code) for code in codes])


def identify(shape: Any, kind: str = "countries") -> str | None:
    """The country or state that most of a polygon covers; None if none has half of it."""
    import shapely

    codes, tree = _tree(kind)
    valid = shapely.make_valid(shape)
    best, most = None, _OVERLAP * shapely.area(valid)
    for index in tree.query(valid):
        shared = shapely.area(shapely.intersection(shape_of(codes[index]), valid))
        if shared > most:
            best, most = codes[index], shared
    return best
