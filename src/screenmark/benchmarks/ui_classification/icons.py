"""The bundled icons: two sheets of tiles, one to learn from and one to test on."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_classification.samples import ClassSample

Level: TypeAlias = Literal["coarse", "fine"]

_FOLDER: Final = Path(__file__).parent / "data" / "icons"
_HASH_DIGITS: Final = 16


class _Icon(NamedTuple):
    name: str
    style: str
    fine: str
    coarse: str


class _Split(msgspec.Struct, frozen=True):
    package: str
    version: str
    icons: list[_Icon]


class _Sheets(msgspec.Struct, frozen=True):
    tile: int
    columns: int
    splits: dict[str, _Split]


def load_icons(split: str, level: Level) -> Dataset[ClassSample]:
    """The icons of a split, ``train`` or ``test``, with their coarse or fine class."""
    index = _FOLDER / "icons.json"
    data = index.read_bytes()
    sheets = msgspec.json.decode(data, type=_Sheets)
    icons = sheets.splits[split].icons
    sheet = _FOLDER / f"{split}.png"
    every = sheets.splits["test"].icons
    classes = tuple(sorted({_class(icon, level) for icon in every}))
    rows = -(-len(icons) // sheets.columns)
    tile, width = sheets.tile, sheets.tile * sheets.columns
    samples = []
    for number, icon in enumerate(icons):
        x, y = number % sheets.columns * tile, number // sheets.columns * tile
        samples.append(
            ClassSample(
                id=f"{icon.name}.{icon.style}",
                label=_class(icon, level),
                classes=classes,
                # The styles of one icon are no independent questions.
                group=icon.name,
                file=str(sheet),
                width=width,
                height=rows * tile,
                box=(x, y, x + tile, y + tile),
            )
        )
    digest = hashlib.sha256(data + sheet.read_bytes()).hexdigest()[:_HASH_DIGITS]
    return Dataset(samples, f"bundled icons, {split}", digest)


def _class(icon: _Icon, level: Level) -> str:
    return icon.fine if level == "fine" else icon.coarse
