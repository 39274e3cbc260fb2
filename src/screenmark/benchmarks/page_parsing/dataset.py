"""Annotation files of GUI-HalluBench's format to samples.

The format is a JSON array of ``{"image_path", "elements": [{"type", "index",
"description", "coordinates"}]}`` with boxes as ``[x1, y1, x2, y2]`` in pixels. Pages may
also carry ``language`` and ``platform``, which the results are broken down by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from screenmark.benchmarks import bundled_pages
from screenmark.benchmarks.annotation_items import kind
from screenmark.benchmarks.base import Dataset, Sample
from screenmark.benchmarks.image_paths import ImageFinder, normalised
from screenmark.errors import DataError, ImageError
from screenmark.images import probe
from screenmark.jsonfile import read_bytes, read_json_items
from screenmark.types import Json

BUNDLED = bundled_pages.FOLDER

_FARTHEST = 2**53  # Beyond it, whole numbers and floats differ, and arithmetic overflows.


class PageSample(Sample, frozen=True, kw_only=True):
    """A screenshot with everything on it.

    Attributes:
        image_path: as the annotation gives it.
        file: where the image was found; empty if it was not.
        width, height: of the image in pixels; 0 if it cannot be read.
        elements: the truth, boxes in pixels of the image.
    """

    image_path: str
    file: str
    width: int
    height: int
    elements: tuple[dict[str, Json], ...]
    language: str
    platform: str | None = None


def load_pages(annotation: Path, image_dir: Path | None) -> Dataset[PageSample]:
    """Read an annotation file and find its images.

    Raises:
        DataError: the file cannot be read or is not a list of pages, or not one of its
            images can be found.
    """
    data = read_bytes(annotation)
    items = read_json_items(annotation, data)
    loader = _Loader(annotation, image_dir, items)
    for where, item in items:
        loader.add(where, item)
    if not items:
        raise DataError("holds no pages, expected a JSON array of them", file=annotation)
    if loader.samples and all(not sample.file for sample in loader.samples):
        raise DataError(
            f"none of its {len(loader.samples)} images can be found; {loader.samples[0].problem}",
            file=annotation,
        )
    return Dataset(
        samples=loader.samples,
        source=str(annotation),
        data_hash=hashlib.sha256(data).hexdigest(),
        problems=loader.problems,
        warnings=loader.warnings,
    )


class _Loader:
    """Collects samples, and what is wrong with those that cannot be used."""

    def __init__(
        self, annotation: Path, image_dir: Path | None, items: Sequence[tuple[str, Any]]
    ) -> None:
        self.annotation = annotation
        self.samples: list[PageSample] = []
        self.problems: list[DataError] = []
        self.warnings: list[str] = []
        self._seen: dict[str, str] = {}
        paths = [i["image_path"] for _, i in items if isinstance(i, dict) and "image_path" in i]
        self._finder = ImageFinder(annotation, image_dir, [p for p in paths if isinstance(p, str)])

    def add(self, where: str, item: Any) -> None:
        try:
            self.samples.append(self._sample(where, item))
        except DataError as error:
            self.problems.append(error)

    def _sample(self, where: str, item: Any) -> PageSample:
        if not isinstance(item, dict):
            raise self._bad(where, None, f"expected an object, found {kind(item)}")
        image_path = item.get("image_path")
        if not isinstance(image_path, str) or not image_path:
            raise self._bad(where, "image_path", f"expected a path, found {kind(image_path)}")
        file_path = normalised(image_path)
        if file_path in self._seen:
            problem = f"the same image_path as {self._seen[file_path]}; expected each page once"
            raise self._bad(image_path, "image_path", problem)
        self._seen[file_path] = where
        elements = item.get("elements")
        if not isinstance(elements, list):
            raise self._bad(image_path, "elements", f"expected a list, found {kind(elements)}")
        truth = [self._element(image_path, n, element) for n, element in enumerate(elements)]
        file, width, height, why_not = self._image(image_path)
        if width:
            self._check_inside(image_path, truth, width, height)
        return PageSample(
            id=image_path,
            image_path=image_path,
            file=file,
            width=width,
            height=height,
            elements=tuple(truth),
            language=_language(item, image_path, self.annotation, truth),
            platform=item["platform"] if isinstance(item.get("platform"), str) else None,
            problem=why_not,
        )

    def _image(self, image_path: str) -> tuple[str, int, int, str | None]:
        try:
            file = self._finder.find(image_path)
            info = probe(file)
        except ImageError as error:
            return "", 0, 0, f"{self.annotation}: {image_path}: image_path: {error}"
        return str(file), info.width, info.height, None

    def _element(self, sample: str, number: int, element: Any) -> dict[str, Json]:
        field = f"elements[{number}]"
        if not isinstance(element, dict):
            raise self._bad(sample, field, f"expected an object, found {kind(element)}")
        for key, wanted in (("type", str), ("description", str), ("index", int)):
            value = element.get(key)
            if value is not None and (not isinstance(value, wanted) or isinstance(value, bool)):
                expected = "a string" if wanted is str else "a whole number"
                raise self._bad(
                    sample, f"{field}.{key}", f"expected {expected}, found {kind(value)}"
                )
        return {
            "type": element.get("type") or "unknown",
            "index": number if element.get("index") is None else element["index"],
            "description": element.get("description") or "",
            "coordinates": self._box(sample, f"{field}.coordinates", element.get("coordinates")),
        }

    def _box(self, sample: str, field: str, box: Any) -> list[float]:
        if not isinstance(box, list) or len(box) != 4:
            found = f"{len(box)} values" if isinstance(box, list) else kind(box)
            raise self._bad(sample, field, f"expected [x1, y1, x2, y2], found {found}")
        for position, value in enumerate(box):
            if isinstance(value, bool) or not isinstance(value, int | float):
                problem = f"expected a number of pixels, found {kind(value)}"
                raise self._bad(sample, f"{field}[{position}]", problem)
            if not -_FARTHEST <= value <= _FARTHEST:
                problem = f"expected a finite number of pixels, found {kind(value)}"
                raise self._bad(sample, f"{field}[{position}]", problem)
        x1, y1, x2, y2 = box
        if x2 < x1 or y2 < y1:
            axis = "x2 < x1" if x2 < x1 else "y2 < y1"
            problem = f"{axis} in {box}; expected [x1, y1, x2, y2], not [x, y, width, height]"
            raise self._bad(sample, field, problem)
        if x1 == x2 or y1 == y2:
            raise self._bad(sample, field, f"{box} has no area; expected x1 < x2 and y1 < y2")
        return box

    def _check_inside(
        self, sample: str, truth: Sequence[dict[str, Json]], width: int, height: int
    ) -> None:
        for number, element in enumerate(truth):
            x1, y1, x2, y2 = element["coordinates"]
            field = f"elements[{number}].coordinates"
            if x2 <= 0 or y2 <= 0 or x1 >= width or y1 >= height:
                problem = (
                    f"{[x1, y1, x2, y2]} lies outside the image of {width}x{height} pixels; "
                    "expected pixels of that image"
                )
                raise self._bad(sample, field, problem)
            if x1 < 0 or y1 < 0 or x2 > width or y2 > height:
                problem = f"{[x1, y1, x2, y2]} reaches outside the image of {width}x{height} pixels"
                self.warnings.append(str(self._bad(sample, field, problem)))

    def _bad(self, sample: str, field: str | None, problem: str) -> DataError:
        return DataError(problem, file=self.annotation, sample=sample, field=field)


def _language(
    item: dict[str, Any], image_path: str, annotation: Path, truth: Sequence[dict[str, Json]]
) -> str:
    """The page's own word for it; else a folder or file name; else what its texts are in."""
    if item.get("language") in ("en", "zh"):  # Not a set: it may be a list.
        return str(item["language"])
    parts = {*Path(image_path).parts, annotation.parent.name}
    for language in ("zh", "en"):
        if language in parts or annotation.stem.endswith((f"_{language}", f"-{language}")):
            return language
    texts = [str(element["description"]) for element in truth if element["description"]]
    foreign = (text for text in texts if not text.isascii())
    chinese = sum(any("\u4e00" <= c <= "\u9fff" for c in text) for text in foreign)
    return "zh" if texts and chinese >= 0.3 * len(texts) else "en"
