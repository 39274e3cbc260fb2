"""Which public data sets can be fetched: a table beside this file."""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from screenmark.errors import UsageError
from screenmark.jsonfile import read_text

_TABLE = Path(__file__).parent / "catalog.toml"


class Unpack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing to unpack.

    Attributes:
        source: name or pattern of the files.
        root: folder that comes out of them.
        limit: gigabytes that may come out.
    """

    source: str = msgspec.field(name="from")
    root: str
    limit: float


class Dataset(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of the table; the fields are explained there."""

    title: str
    licence: str
    size: str
    revision: str = ""
    files: tuple[str, ...]
    by_hand: str
    limit: float
    next: tuple[str, ...] = ()
    hub: str | None = None
    github: str | None = None
    site: str | None = None
    folder: str | None = None
    root: str | None = None
    strip: str = ""
    sha256: dict[str, str] = {}
    unpack: tuple[Unpack, ...] = ()

    @property
    def home(self) -> str:
        """The address of the repository or the site, for people."""
        if self.site is not None:
            return self.site
        if self.hub is not None:
            return f"https://huggingface.co/datasets/{self.hub}"
        return f"https://github.com/{self.github}"

    def local(self, name: str) -> str:
        """The name that a file of the repository has here."""
        return name.removeprefix(self.strip)

    def wants(self, name: str) -> bool:
        """Whether a file of the repository belongs to the data set."""
        return any(matches(pattern, name) for pattern in self.files)


def matches(pattern: str, name: str) -> bool:
    """``*`` stays within a folder; ``x/**`` is everything below ``x``."""
    if pattern.endswith("/**"):
        return name.startswith(pattern[:-2])
    steps, names = pattern.split("/"), name.split("/")
    return len(steps) == len(names) and all(map(fnmatchcase, names, steps))


def is_pattern(name: str) -> bool:
    """Whether a name in the table stands for several files."""
    return "*" in name


@functools.cache
def catalog() -> dict[str, Dataset]:
    """The data sets by name."""
    return msgspec.toml.decode(read_text(_TABLE).encode(), type=dict[str, Dataset])


def dataset(name: str) -> Dataset:
    """A data set of the table.

    Raises:
        UsageError: there is none of that name.
    """
    import difflib

    table = catalog()
    if name in table:
        return table[name]
    near = difflib.get_close_matches(name.lower(), table, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(table)}"
    raise UsageError(f"no data set named {name!r}: {hint}")
