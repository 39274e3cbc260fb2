"""AppSim's TFRecord files to samples.

A record is a component of an anchor screen and ten candidates on a search screen. Its features
are ``anchor/image/id``, ``anchor/image/anchor/bbox/{xmin,ymin,xmax,ymax}``, ``search/image/id``,
``search/image/candidate/bbox/…`` and ``search/correct/index`` (0-based). What the screens show
and say lies beside: screenshots, view hierarchies and recognised text by the screen's id.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from screenmark.benchmarks.annotation_items import Item, Screenshots
from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_components.dataset import SUFFIXES
from screenmark.benchmarks.ui_components.features import Features, features_of
from screenmark.benchmarks.ui_components.matching import matched_candidates
from screenmark.benchmarks.ui_components.recognised import TextLine, parse_lines, text_within
from screenmark.benchmarks.ui_components.rico import parse_hierarchy
from screenmark.benchmarks.ui_components.samples import Anchor, Candidate, Leaf, RetrievalSample
from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes

T = TypeVar("T")

_ANCHOR = "anchor/image/anchor/bbox"
_CANDIDATES = "search/image/candidate/bbox"
_HASH_DIGITS = 16


class Sources(NamedTuple):
    """Where what is known of the screens lies; None for what is not used.

    Attributes:
        images: folder with ``ID.jpg``, or another ending.
        hierarchies: folder with ``ID.json`` as Rico has them.
        texts: folder with ``ID.json`` of recognised text.
    """

    images: Path | None = None
    hierarchies: Path | None = None
    texts: Path | None = None


def load_pairs(file: Path, sources: Sources) -> Dataset[RetrievalSample]:
    """Read an AppSim file.

    A screen without what a source should hold of it is the sample's ``problem``.

    Raises:
        DataError: the file cannot be read or holds no record; a folder does not exist.
    """
    data = read_bytes(file)
    samples: list[RetrievalSample] = []
    problems: list[DataError] = []
    seen: Counter[str] = Counter()
    for record in features_of(file, data):
        try:
            if isinstance(record, DataError):
                raise record
            sample = _sample(record)
        except DataError as error:
            problems.append(error)
            continue
        again = seen[sample.id]
        seen[sample.id] += 1
        samples.append(
            msgspec.structs.replace(sample, id=f"{sample.id}.{again}") if again else sample
        )
    if not samples and not problems:
        raise DataError("holds no record; expected a TFRecord file", file=file)
    digest = hashlib.sha256(data)
    screens = _Screens(file, sources, samples)
    samples = [screens.shown(sample) for sample in samples]
    for part in screens.digests():
        digest.update(part)
    return Dataset(samples, str(file), digest.hexdigest()[:_HASH_DIGITS], problems)


def _sample(record: Features) -> RetrievalSample:
    anchor_id, search_id = record.image_id("anchor/image/id"), record.image_id("search/image/id")
    anchors = record.boxes(_ANCHOR)
    if len(anchors) != 1:
        record.wrong(f"{_ANCHOR}/xmin", f"expected one value, found {len(anchors)}")
    boxes = record.boxes(_CANDIDATES)
    return RetrievalSample(
        id=f"{anchor_id}-{search_id}",
        image_id=search_id,
        anchor=Anchor(anchor_id, anchors[0]),
        candidates=tuple(Candidate(number, box) for number, box in enumerate(boxes)),
        leaves=(),
        label=record.index("search/correct/index", len(boxes)),
    )


class _Folder(Generic[T]):
    """Files by a screen's id, each read once."""

    def __init__(self, folder: Path, parse: Callable[[Path, bytes], T]) -> None:
        if not folder.is_dir():
            raise DataError("no such folder", file=folder)
        self._folder, self._parse = folder, parse
        self._known: dict[str, T | DataError] = {}
        self.digests: dict[str, bytes] = {}

    def of(self, id: str) -> T:
        """What the file of a screen holds.

        Raises:
            DataError: it is missing or cannot be used.
        """
        if id not in self._known:
            file = self._folder / f"{id}.json"
            try:
                data = read_bytes(file)
                self.digests[id] = hashlib.sha256(data).digest()
                self._known[id] = self._parse(file, data)
            except DataError as error:
                self._known[id] = error
        found = self._known[id]
        if isinstance(found, DataError):
            raise found
        return found


class _Screens:
    """What the sources hold of the screens of a data set."""

    def __init__(self, file: Path, sources: Sources, samples: list[RetrievalSample]) -> None:
        self._file = file
        self._shots: Screenshots | None = None
        if sources.images is not None:
            if not sources.images.is_dir():
                raise DataError("no such folder", file=sources.images)
            names = [f"{sample.image_id}.jpg" for sample in samples]
            self._shots = Screenshots(file, sources.images, names, field="image/id")
        hierarchies, texts = sources.hierarchies, sources.texts
        self._leaves = None if hierarchies is None else _Folder(hierarchies, parse_hierarchy)
        self._lines = None if texts is None else _Folder(texts, parse_lines)

    def digests(self) -> list[bytes]:
        """Hashes of the files that were read, in the order of the screens' ids."""
        parts = [part.digests for part in (self._leaves, self._lines) if part is not None]
        return [digests[id] for digests in parts for id in sorted(digests)]

    def shown(self, sample: RetrievalSample) -> RetrievalSample:
        """A sample with what is known of its two screens, or with what is wrong with them."""
        anchor = sample.anchor
        if anchor is None:
            return sample
        try:
            sample, anchor = self._with_texts(sample, anchor)
        except DataError as error:
            return msgspec.structs.replace(sample, problem=str(error))
        return self._with_images(sample, anchor)

    def _with_texts(
        self, sample: RetrievalSample, anchor: Anchor
    ) -> tuple[RetrievalSample, Anchor]:
        leaves, lines = self._said_of(sample.image_id)
        boxes = [candidate.box for candidate in sample.candidates]
        candidates = tuple(
            msgspec.structs.replace(candidate, ocr=text_within(candidate.box, lines))
            for candidate in matched_candidates(boxes, [leaf.box for leaf in leaves if leaf.box])
        )
        found = msgspec.structs.replace(sample, candidates=candidates, leaves=tuple(leaves))
        leaves, lines = self._said_of(anchor.image_id)
        (match,) = matched_candidates([anchor.box], [leaf.box for leaf in leaves if leaf.box])
        leaf = None if match.leaf is None else leaves[match.leaf]
        ocr = text_within(anchor.box, lines)
        return found, msgspec.structs.replace(anchor, leaf=leaf, ocr=ocr)

    def _said_of(self, id: str) -> tuple[list[Leaf], list[TextLine]]:
        leaves = self._leaves.of(id) if self._leaves else []
        return leaves, self._lines.of(id) if self._lines else []

    def _with_images(self, sample: RetrievalSample, anchor: Anchor) -> RetrievalSample:
        if self._shots is None:
            return msgspec.structs.replace(sample, anchor=anchor)
        item = Item({}, self._file, sample.id)
        one, other = (
            self._shots.of(item, *(f"{id}{suffix}" for suffix in SUFFIXES))
            for id in (anchor.image_id, sample.image_id)
        )
        anchor = msgspec.structs.replace(anchor, file=one.file, width=one.width, height=one.height)
        return msgspec.structs.replace(
            sample,
            anchor=anchor,
            file=other.file,
            width=other.width,
            height=other.height,
            problem=one.problem or other.problem,
        )
