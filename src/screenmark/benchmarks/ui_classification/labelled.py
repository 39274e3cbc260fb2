"""Rows of a label file to samples, with the screenshots and view hierarchies that there are."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

import msgspec

from screenmark.benchmarks.annotation_items import Item, Screenshot, Screenshots
from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_classification.hierarchy import Hierarchy, read_hierarchy
from screenmark.benchmarks.ui_classification.label_rows import Row
from screenmark.benchmarks.ui_classification.samples import ClassSample, PixelBox
from screenmark.errors import DataError
from screenmark.models.encoders import Component

Box = tuple[float, float, float, float]

SUFFIXES: Final = (".jpg", ".png", ".jpeg", ".webp")
_HASH_DIGITS: Final = 16
_MATCHED: Final = 0.5
_SYNC_WORDS: Final = {
    **dict.fromkeys(("1", "true", "yes", "sync", "synced"), "synced"),
    **dict.fromkeys(("0", "false", "no", "unsync", "unsynced"), "unsynced"),
}


def known_classes(
    rows: Sequence[Row], said: Sequence[str] | None, most: int, file: Path
) -> tuple[str, ...]:
    """The classes of a file, in order.

    Args:
        said: their names, if they are known; numbers in the file count them from 0.
        most: how many the task has.

    Raises:
        DataError: there are more.
    """
    if said is not None:
        names = list(said)
    elif rows and all(row.label.isdecimal() for row in rows):
        names = [str(number) for number in range(most)]
    else:
        names = sorted({row.label for row in rows})
    if len(names) > most:
        raise DataError(f"{len(names)} classes; this task has {most}", file=file)
    return tuple(names)


def inputs_beside(folder: Path) -> frozenset[str]:
    """What a folder of screens has of ``img`` and ``vh``; both if nothing of it tells.

    A JSON file is a view hierarchy if a screenshot has its name: labels may lie there too.
    """
    files = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    shots = {name for name in files if Path(name).suffix in SUFFIXES}
    trees = {Path(name).stem for name in files if name.endswith(".json")}
    if shots and not trees & {Path(name).stem for name in shots}:
        return frozenset({"img"})
    return frozenset({"vh"} if trees and not shots else {"img", "vh"})


def sync_row(row: Row) -> Row:
    """The row with its label as one of the two classes, where it is a word for one."""
    return row._replace(label=_SYNC_WORDS.get(row.label.lower(), row.label))


def labelled_samples(
    file: Path,
    rows: Sequence[Row],
    problems: Sequence[DataError],
    data: bytes,
    classes: tuple[str, ...],
    image_dir: Path | None,
    *,
    need: frozenset[str],
) -> Dataset[ClassSample]:
    """Samples of rows; a row that cannot be used is left out and named.

    Args:
        image_dir: with ``NUMBER.jpg`` and ``NUMBER.json``; None to do without them.
        need: what a sample has to have of ``img`` and ``vh``.

    Raises:
        DataError: the folder does not exist, or none of the screenshots is in it.
    """
    if image_dir is not None and not image_dir.is_dir():
        raise DataError("no such folder", file=image_dir)
    reader = _Reader(file, rows, classes, image_dir, need)
    samples: dict[str, ClassSample] = {}
    found = list(problems)
    for row in rows:
        try:
            sample = reader.sample(row)
        except DataError as error:
            found.append(error)
            continue
        if sample.id in samples:
            problem = f"{sample.id} stands in an earlier row too"
            found.append(DataError(problem, file=file, sample=row.where, field="screen_id"))
        samples.setdefault(sample.id, sample)
    if samples and all(sample.problem for sample in samples.values()):
        first = next(iter(samples.values())).problem
        raise DataError(f"nothing of these screens is there; {first}", file=image_dir or file)
    digest = hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]
    return Dataset(list(samples.values()), str(file), digest, found)


class _Reader:
    """Makes the samples of one file."""

    def __init__(
        self,
        file: Path,
        rows: Sequence[Row],
        classes: tuple[str, ...],
        folder: Path | None,
        need: frozenset[str],
    ) -> None:
        self._file, self._classes, self._folder, self._need = file, classes, folder, need
        self._labels = {name: name for name in classes}
        self._labels = {str(n): name for n, name in enumerate(classes)} | self._labels
        names = [f"{row.screen_id}.jpg" for row in rows]
        self._finder = Screenshots(file, folder, names, field="screen_id") if folder else None
        self._hierarchies: dict[str, Hierarchy | str] = {}

    def sample(self, row: Row) -> ClassSample:
        """The sample of a row.

        Raises:
            DataError: its label or its box is none.
        """
        label = self._labels.get(row.label)
        if label is None:
            known = ", ".join(self._classes[:4]) + (", …" if len(self._classes) > 4 else "")
            found = f"{row.label!r} is out of range: expected one of {len(self._classes)}: {known}"
            self._wrong(row, row.label_field, found)
        place = "" if row.box is None else "@" + ",".join(f"{value:g}" for value in row.box)
        sample = ClassSample(
            id=row.screen_id + place,
            label=label,
            classes=self._classes,
            group=row.group or row.screen_id,
        )
        return sample if self._finder is None else self._seen(self._finder, row, sample)

    def _seen(self, finder: Screenshots, row: Row, sample: ClassSample) -> ClassSample:
        """The sample with its screenshot and its view hierarchy, or what is wrong with those."""
        names = [row.screen_id + suffix for suffix in SUFFIXES]
        shot = finder.of(Item({}, self._file, row.where), *names)
        hierarchy = self._hierarchy(row.screen_id)
        problem = shot.problem if "img" in self._need else None
        if "vh" in self._need and isinstance(hierarchy, str):
            problem = problem or f"{self._file}: {row.where}: screen_id: {hierarchy}"
        leaves = () if isinstance(hierarchy, str) else hierarchy.leaves
        pixels = None
        if row.box is not None and shot.width:
            box = self._on_screenshot(row, row.box, shot, hierarchy)
            pixels = _within(box, shot.width, shot.height)
            if pixels is None:
                size = f"{shot.width}x{shot.height}"
                self._wrong(row, "box", f"outside the screenshot, which has {size} pixels")
            leaves = _about(leaves, box, shot.width, shot.height)
        return msgspec.structs.replace(
            sample,
            file=shot.file if "img" in self._need else "",
            width=shot.width,
            height=shot.height,
            box=pixels,
            components=leaves,
            problem=problem,
        )

    def _on_screenshot(
        self, row: Row, box: Box, shot: Screenshot, hierarchy: Hierarchy | str
    ) -> Box:
        if not row.of_hierarchy:
            return box
        if isinstance(hierarchy, str):
            self._wrong(row, "bounds", f"in the view hierarchy's pixels, but {hierarchy}")
        across, down = shot.width / hierarchy.width, shot.height / hierarchy.height
        return box[0] * across, box[1] * down, box[2] * across, box[3] * down

    def _wrong(self, row: Row, field: str, problem: str) -> NoReturn:
        raise DataError(problem, file=self._file, sample=row.where, field=field)

    def _hierarchy(self, screen: str) -> Hierarchy | str:
        """The screen's view hierarchy, or why there is none."""
        if screen not in self._hierarchies:
            path = (self._folder or Path()) / f"{screen}.json"
            try:
                self._hierarchies[screen] = read_hierarchy(path)
            except DataError as error:
                self._hierarchies[screen] = str(error)
        return self._hierarchies[screen]


def _within(box: Box, width: int, height: int) -> PixelBox | None:
    """The box cut to the image in whole pixels; None if nothing of it is there."""
    x1, y1 = max(0, int(box[0])), max(0, int(box[1]))
    x2, y2 = min(width, round(box[2])), min(height, round(box[3]))
    return (x1, y1, x2, y2) if x1 < x2 and y1 < y2 else None


def _about(
    leaves: tuple[Component, ...],
    box: Box,
    width: int,
    height: int,
) -> tuple[Component, ...]:
    """The leaf that an icon's box is, if there is one."""
    x1, y1, x2, y2 = box[0] / width, box[1] / height, box[2] / width, box[3] / height
    best, highest = None, _MATCHED
    for leaf in leaves:
        if leaf.box is None:
            continue
        a1, b1, a2, b2 = leaf.box
        common = max(0.0, min(x2, a2) - max(x1, a1)) * max(0.0, min(y2, b2) - max(y1, b1))
        union = (x2 - x1) * (y2 - y1) + (a2 - a1) * (b2 - b1) - common
        if union > 0 and common / union >= highest:
            best, highest = leaf, common / union
    return () if best is None else (best,)
