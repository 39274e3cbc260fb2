"""RefExp's files to samples: the TFRecords that were released, or the same as JSON lines.

A record is one expression about one screen. Its features are ``image/id``,
``image/ref_exp/text`` and ``label`` (0-based), ``image/object/bbox/{xmin,ymin,xmax,ymax}`` of
the candidates, and of the view hierarchy's leaves ``image/view_hierarchy/bbox/…``,
``class/name``, ``text``, ``description`` and ``id/name``. Boxes are fractions of the screen.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from screenmark.benchmarks.annotation_items import Item, Screenshots
from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_components.expression_lines import (
    expressions_of_lines,
    is_json_lines,
)
from screenmark.benchmarks.ui_components.features import Features, features_of
from screenmark.benchmarks.ui_components.matching import matched_candidates
from screenmark.benchmarks.ui_components.samples import (
    Box,
    Candidate,
    Leaf,
    RetrievalSample,
    Variant,
    box_problem,
)
from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes

_OBJECTS = "image/object/bbox"
_LEAVES = "image/view_hierarchy"
SUFFIXES = (".jpg", ".png", ".jpeg", ".webp")
"""Endings that a screenshot may have, after the number of its screen."""
_HASH_DIGITS = 16


def load_expressions(
    file: Path, image_dir: Path | None, variant: Variant
) -> Dataset[RetrievalSample]:
    """Read a RefExp file.

    Args:
        file: a TFRecord file, or JSON Lines (see `expression_lines`), also compressed by gzip.
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
    for found in _records(file, data):
        if isinstance(found, DataError):
            problems.append(found)
            continue
        again = seen[found.image_id]
        seen[found.image_id] += 1
        # Of several expressions about one screen the first has the screen's number for its id.
        id = f"{found.image_id}.{again}" if again else found.image_id
        samples.append(_as_variant(msgspec.structs.replace(found, id=id), variant))
    if not samples and not problems:
        raise DataError("holds no record; expected a TFRecord or JSONL file", file=file)
    if image_dir is not None:
        samples = with_screenshots(file, image_dir, samples)
    digest = hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]
    return Dataset(samples, str(file), digest, problems)


def _records(file: Path, data: bytes) -> Iterator[RetrievalSample | DataError]:
    """Every record of a file, in either form, or what is wrong with it."""
    if is_json_lines(data, file.name):
        yield from expressions_of_lines(file, data)
        return
    for record in features_of(file, data):
        if isinstance(record, DataError):
            yield record
            continue
        try:
            yield _sample(record)
        except DataError as error:
            yield error


def _sample(record: Features) -> RetrievalSample:
    image_id = record.image_id("image/id")
    expression = record.text("image/ref_exp/text").strip()
    if not expression:
        record.wrong("image/ref_exp/text", "expected an expression, found nothing")
    boxes = record.boxes(_OBJECTS)
    for position, box in enumerate(boxes):
        if (problem := box_problem(box)) is not None:
            record.wrong(f"{_OBJECTS}[{position}]", problem)
    label = record.index("image/ref_exp/label", len(boxes))
    places = record.boxes(f"{_LEAVES}/bbox")
    names = ("class/name", "text", "description", "id/name")
    columns = [record.texts(f"{_LEAVES}/{name}", len(places)) for name in names]
    return RetrievalSample(
        id=image_id,
        image_id=image_id,
        expression=expression,
        candidates=matched_candidates(boxes, places),
        leaves=tuple(map(Leaf, places, *columns)),
        label=label,
    )


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


def with_screenshots(
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
        names = [sample.image_id + suffix for suffix in SUFFIXES]
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
