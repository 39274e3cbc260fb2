"""RefExp's TFRecord files to samples.

A record is one expression about one screen. Its features are ``image/id``,
``image/ref_exp/text`` and ``label`` (0-based), ``image/object/bbox/{xmin,ymin,xmax,ymax}`` of
the candidates, and of the view hierarchy's leaves ``image/view_hierarchy/bbox/…``,
``class/name``, ``text``, ``description`` and ``id/name``. Boxes are fractions of the screen.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from screenmark.benchmarks.annotation_items import Item, Screenshots
from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_components.example import ExampleError, Values, decode_example
from screenmark.benchmarks.ui_components.samples import (
    MATCHED,
    Box,
    Candidate,
    Leaf,
    RetrievalSample,
    Variant,
)
from screenmark.benchmarks.ui_components.tfrecord import read_records
from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes

T = TypeVar("T", bytes, float, int)

_OBJECTS = "image/object/bbox"
_LEAVES = "image/view_hierarchy"
_SIDES = ("xmin", "ymin", "xmax", "ymax")
_ID = re.compile(r"[\w-]{1,80}")
_SUFFIXES = (".jpg", ".png", ".jpeg", ".webp")
_HASH_DIGITS = 16


def load_expressions(
    file: Path, image_dir: Path | None, variant: Variant
) -> Dataset[RetrievalSample]:
    """Read a RefExp file.

    Args:
        file: the TFRecord file.
        image_dir: folder of the screenshots, named by the screen's number in Rico; None to do
            without them.
        variant: ``no-vh-boxes`` forgets where leaves are and which candidate is which leaf,
            ``matched-distractors`` forgets only where they are, and keeps only candidates that
            are a leaf, and the right one. Both round candidates' boxes to thousandths, since
            their last digits tell which one was drawn from a leaf.

    Raises:
        DataError: the file cannot be read or holds no record.
    """
    data = read_bytes(file)
    samples: list[RetrievalSample] = []
    problems: list[DataError] = []
    seen: Counter[str] = Counter()
    for framed in read_records(data):
        where = f"record {framed.position}"
        if framed.payload is None:
            problems.append(DataError(framed.problem or "", file=file, sample=where))
            continue
        try:
            sample = _Record(file, where, framed.payload).sample()
        except DataError as error:
            problems.append(error)
            continue
        again = seen[sample.image_id]
        seen[sample.image_id] += 1
        # Of several expressions about one screen the first has the screen's number for its id.
        id = f"{sample.image_id}.{again}" if again else sample.image_id
        samples.append(_as_variant(msgspec.structs.replace(sample, id=id), variant))
    if not samples and not problems:
        raise DataError("holds no record; expected a TFRecord file", file=file)
    if image_dir is not None:
        samples = _with_screenshots(file, image_dir, samples)
    digest = hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]
    return Dataset(samples, str(file), digest, problems)


def _as_variant(sample: RetrievalSample, variant: Variant) -> RetrievalSample:
    if variant == "released":
        return sample
    matched = variant == "matched-distractors"
    kept = [
        Candidate(c.number, rounded(c.box), leaf=c.leaf if matched else None)
        for c in sample.candidates
        if not matched or c.leaf is not None or c.number == sample.label
    ]
    leaves = tuple(msgspec.structs.replace(leaf, box=None) for leaf in sample.leaves)
    return msgspec.structs.replace(sample, candidates=tuple(kept), leaves=leaves)


def rounded(box: Box) -> Box:
    """A box in whole thousandths of the screen."""
    x1, y1, x2, y2 = (round(value, 3) for value in box)
    return x1, y1, x2, y2


def _with_screenshots(
    file: Path, folder: Path, samples: Sequence[RetrievalSample]
) -> list[RetrievalSample]:
    """The samples with their images, or with what is wrong with those.

    Raises:
        DataError: the folder does not exist, or has none of them.
    """
    if not folder.is_dir():
        raise DataError("no such folder", file=folder)
    finder = Screenshots(file, folder, [f"{s.image_id}.jpg" for s in samples], field="image/id")
    found = []
    for sample in samples:
        names = [sample.image_id + suffix for suffix in _SUFFIXES]
        shot = finder.of(Item({}, file, sample.id), *names)
        found.append(
            msgspec.structs.replace(
                sample, file=shot.file, width=shot.width, height=shot.height, problem=shot.problem
            )
        )
    if found and all(sample.problem for sample in found):
        raise DataError(
            f"has no screenshot of these samples; expected names like {names[0]}", file=folder
        )
    return found


class _Record:
    """One record; what is wrong with a feature is a DataError that names it."""

    def __init__(self, file: Path, where: str, payload: bytes) -> None:
        self._file, self._where = file, where
        try:
            self._features = decode_example(payload)
        except ExampleError as error:
            raise DataError(str(error), file=file, sample=where) from None

    def sample(self) -> RetrievalSample:
        image_id = self._text("image/id")
        if not _ID.fullmatch(image_id):
            self._wrong("image/id", f"expected a number or a name, found {image_id[:40]!r}")
        expression = self._text("image/ref_exp/text").strip()
        if not expression:
            self._wrong("image/ref_exp/text", "expected an expression, found nothing")
        boxes = self._boxes(_OBJECTS)
        label = self._whole("image/ref_exp/label")
        if not 0 <= label < len(boxes):
            known = f"0 to {len(boxes) - 1}" if boxes else "a candidate, of which there are none"
            self._wrong("image/ref_exp/label", f"{label} is out of range: expected {known}")
        places = self._boxes(f"{_LEAVES}/bbox")
        return RetrievalSample(
            id=image_id,
            image_id=image_id,
            expression=expression,
            candidates=matched_candidates(boxes, places),
            leaves=self._leaves(places),
            label=label,
        )

    def _leaves(self, boxes: Sequence[Box]) -> tuple[Leaf, ...]:
        names = ("class/name", "text", "description", "id/name")
        columns = [self._texts(f"{_LEAVES}/{name}", len(boxes)) for name in names]
        return tuple(map(Leaf, boxes, *columns))

    def _boxes(self, prefix: str) -> list[Box]:
        sides = [self._values(f"{prefix}/{side}", float) for side in _SIDES]
        for name, side in zip(_SIDES, sides, strict=True):
            if len(side) != len(sides[0]):
                self._wrong(f"{prefix}/{name}", f"expected {len(sides[0])} values, not {len(side)}")
            if not all(map(math.isfinite, side)):
                self._wrong(f"{prefix}/{name}", "a value is not finite")
        return list(zip(*sides, strict=True))

    def _text(self, name: str) -> str:
        return self._texts(name, 1)[0]

    def _texts(self, name: str, count: int) -> list[str]:
        values = self._values(name, bytes)
        if len(values) != count:
            self._wrong(name, f"expected {count} values, found {len(values)}")
        try:
            return [value.decode("utf-8") for value in values]
        except UnicodeDecodeError:
            self._wrong(name, "a text is not UTF-8")

    def _whole(self, name: str) -> int:
        values = self._values(name, int)
        if len(values) != 1:
            self._wrong(name, f"expected one value, found {len(values)}")
        return values[0]

    def _values(self, name: str, kind: type[T]) -> list[T]:
        values: Values | None = self._features.get(name)
        if values is None:
            self._wrong(name, "missing")
        found = [value for value in values if isinstance(value, kind)]
        if len(found) != len(values):
            said = type(values[0]).__name__
            self._wrong(name, f"expected values of the type {kind.__name__}, found {said}")
        return found

    def _wrong(self, field: str, problem: str) -> NoReturn:
        raise DataError(problem, file=self._file, sample=self._where, field=field)


def matched_candidates(boxes: Sequence[Box], leaves: Sequence[Box]) -> tuple[Candidate, ...]:
    """Candidates with the leaf that each is nearest to; of equal ones the first."""
    if not leaves:
        return tuple(Candidate(number, box) for number, box in enumerate(boxes))
    table = _ious(np.array(boxes).reshape(-1, 4), np.array(leaves))
    best = table.argmax(axis=1).tolist()
    highest = table.max(axis=1).tolist()
    return tuple(
        Candidate(number, box, iou, leaf if iou >= MATCHED else None)
        for number, (box, iou, leaf) in enumerate(zip(boxes, highest, best, strict=True))
    )


def _ious(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """IoU of each box of one list with each of another; 0 where a box has no area."""
    corner = np.minimum(one[:, None, 2:], other[None, :, 2:])
    sides = np.clip(corner - np.maximum(one[:, None, :2], other[None, :, :2]), 0, None)
    common = sides.prod(axis=2)
    areas = [np.clip(b[:, 2:] - b[:, :2], 0, None).prod(axis=1) for b in (one, other)]
    union = areas[0][:, None] + areas[1][None, :] - common
    table: NDArray[np.float64] = np.zeros_like(common)
    np.divide(common, union, out=table, where=union > 0)
    return table
