"""Reading an annotation item by item: fields with errors that say where, images found once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import msgspec

from screenmark.benchmarks.base import Dataset, Sample
from screenmark.benchmarks.image_paths import ImageFinder, normalised
from screenmark.errors import DataError, ImageError
from screenmark.images import probe
from screenmark.jsonfile import read_json_items

S = TypeVar("S", bound=Sample)

_FARTHEST = 2**53  # Beyond it, whole numbers and floats differ.

SIZE_FIELDS = ("image_size", "img_size")
"""Where annotations say how large an image is."""


class Screenshot(NamedTuple):
    """An image that an annotation names.

    Attributes:
        file: where it was found; empty if it was not.
        width, height: in pixels; 0 if it cannot be read.
        problem: why it cannot be used, or None.
    """

    file: str
    width: int
    height: int
    problem: str | None


class Item:
    """One object of an annotation. What is wrong with a field is a DataError that names it."""

    def __init__(self, fields: Any, file: Path, where: str) -> None:
        self.file = file
        self.where = where
        if not isinstance(fields, dict):
            self.wrong(None, f"expected an object, found {kind(fields)}")
        self.fields: dict[str, Any] = fields

    def wrong(self, field: str | None, problem: str) -> NoReturn:
        """Raise the DataError of a field."""
        raise DataError(problem, file=self.file, sample=self.where, field=field)

    def text(self, field: str, *, of: Mapping[str, Any] | None = None, path: str = "") -> str:
        """A text that is not empty; ``of`` is an object within the item, at ``path``."""
        value = (self.fields if of is None else of).get(field)
        if not isinstance(value, str) or not value.strip():
            self.wrong(path + field, f"expected a text, found {kind(value)}")
        return value

    def maybe_text(self, field: str, default: str | None = None) -> str | None:
        """A text, or ``default`` where it is missing, null or empty."""
        value = self.fields.get(field)
        if value is None or value == "":
            return default
        if not isinstance(value, str):
            self.wrong(field, f"expected a text, found {kind(value)}")
        return value

    def word(self, field: str, known: Sequence[str], default: str | None = None) -> str:
        """One of some words."""
        value = self.fields.get(field, default)
        if value not in known:
            self.wrong(field, f"expected one of {', '.join(known)}, found {kind(value)}")
        return str(value)

    def language(self, text: str) -> str:
        """The item's ``language``, ``zh`` for zh-CN and the like; else that of ``text``."""
        said = self.maybe_text("language")
        if said is None:
            return "zh" if any("一" <= character <= "鿿" for character in text) else "en"
        code = said.strip().lower().replace("_", "-")
        code = {"chinese": "zh", "english": "en"}.get(code, code).split("-")[0]
        if not (code.isascii() and code.isalpha() and 2 <= len(code) <= 3):
            self.wrong("language", f"expected a code such as en or zh-CN, found {kind(said)}")
        return code

    def numbers(self, field: str, count: int | None = None) -> list[float]:
        """A list of finite numbers, ``count`` of them if given."""
        value = self.fields.get(field)
        if not isinstance(value, list) or (count is not None and len(value) != count):
            found = f"{len(value)} values" if isinstance(value, list) else kind(value)
            self.wrong(field, f"expected a list of {count or 'some'} numbers, found {found}")
        for position, number in enumerate(value):
            ok = isinstance(number, int | float) and not isinstance(number, bool)
            # Compared before it is made a float: a whole number may be too long for one.
            if not ok or not -_FARTHEST <= number <= _FARTHEST:
                self.wrong(f"{field}[{position}]", f"expected a number, found {kind(number)}")
        return [float(number) for number in value]


class Screenshots:
    """Finds the images of an annotation, each read once."""

    def __init__(
        self,
        annotation: Path,
        image_dir: Path | Sequence[Path] | None,
        image_paths: Sequence[str],
        *,
        field: str = "image_path",
        beside: Path | None = None,
    ) -> None:
        self.annotation = annotation
        self._field = field
        self._finder = ImageFinder(annotation, image_dir, image_paths, beside)
        self._known: dict[tuple[str, ...], Screenshot] = {}
        self.warnings: list[str] = []
        self._warned: set[str] = set()

    def of(self, item: Item, *candidates: str) -> Screenshot:
        """The first of some paths that exists: with and without the platform's folder.

        An ``image_size`` of the item that is not the file's is a warning.
        """
        if candidates not in self._known:
            self._known[candidates] = self._look(candidates)
        found = self._known[candidates]
        field = next((name for name in SIZE_FIELDS if name in item.fields), SIZE_FIELDS[0])
        said = item.fields.get(field)
        if said is not None and not _is_size(said):
            self.warn(
                f"{self.annotation}: {candidates[-1]}: {field}: expected [width, height] in "
                f"pixels, found {kind(said)}; the file's own size is used"
            )
        elif found.width and said is not None and said != [found.width, found.height]:
            self.warn(
                f"{self.annotation}: {candidates[-1]}: {field}: {said} in the annotation, "
                f"but the file has {found.width}x{found.height} pixels"
            )
        return found

    def warn(self, text: str) -> None:
        """Something worth a look that leaves the item usable; said once."""
        if text not in self._warned:
            self._warned.add(text)
            self.warnings.append(text)

    def _look(self, candidates: Sequence[str]) -> Screenshot:
        problems = []
        for path in candidates:
            try:
                file = self._finder.find(path)
                info = probe(file)
            except ImageError as error:
                problems.append(str(error))
            else:
                return Screenshot(str(file), info.width, info.height, None)
        # As many ways as the path may be meant, so that people see which was near.
        tried = "; ".join(problems)
        problem = f"{self.annotation}: {candidates[-1]}: {self._field}: {tried}"
        return Screenshot("", 0, 0, problem)


def _is_size(value: Any) -> bool:
    """Whether a value is a list of two positive numbers."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    numbers = [n for n in value if isinstance(n, int | float) and not isinstance(n, bool)]
    return len(numbers) == 2 and min(numbers) > 0


def load_items(
    annotation: Path, read: Callable[[Item], Iterable[S]], data: bytes, images: Screenshots
) -> Dataset[S]:
    """Samples of an annotation's items; an item that cannot be used is left out and named.

    Args:
        annotation: the file, for errors to name.
        read: makes an item's samples.
        data: the file's content.
        images: its images, whose warnings the data set takes over.

    Raises:
        DataError: the file cannot be read, holds nothing, or none of its images is found.
    """
    samples: list[S] = []
    problems: list[DataError] = []
    seen: set[str] = set()
    items = read_json_items(annotation, data)
    for where, fields in items:
        try:
            for sample in read(Item(fields, annotation, where)):
                if sample.id in seen:
                    problem = f"the same question as an earlier item ({sample.id})"
                    problems.append(DataError(problem, file=annotation, sample=where))
                    continue
                seen.add(sample.id)
                samples.append(sample)
        except DataError as error:
            problems.append(error)
    if not samples and not problems:
        what = "no item is left under these options" if items else "holds no items"
        raise DataError(f"{what}; expected a JSON array of them", file=annotation)
    if samples and all(sample.problem is not None for sample in samples):
        raise DataError(f"none of its images can be found; {samples[0].problem}", file=annotation)
    digest = hashlib.sha256(data).hexdigest()
    return Dataset(samples, str(annotation), digest, problems, images.warnings)


def joined(datasets: Sequence[Dataset[S]], source: str) -> Dataset[S]:
    """Several files as one data set, in their order.

    An item that stands in an earlier file too is asked for both, as the public data counts it;
    the later one has its file's name in its id.
    """
    digest = hashlib.sha256("".join(d.data_hash for d in datasets).encode()).hexdigest()
    samples: dict[str, S] = {}
    for dataset in datasets:
        for sample in dataset.samples:
            id = sample.id
            if id in samples:
                id = f"{id}@{Path(dataset.source).stem}"
            samples[id] = msgspec.structs.replace(sample, id=id)
    return Dataset(
        list(samples.values()),
        source=source,
        data_hash=datasets[0].data_hash if len(datasets) == 1 else digest,
        problems=[problem for dataset in datasets for problem in dataset.problems],
        warnings=[warning for dataset in datasets for warning in dataset.warnings],
    )


def content_id(image_path: str, *content: Any) -> str:
    """An id that stays the same wherever the item stands: the image and a short hash."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return f"{normalised(image_path)}#{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def image_paths_of(annotation: Path, data: bytes, field: str = "image_path") -> list[str]:
    """What the first items call their images, to find the folder that holds them."""
    items = [fields for _, fields in read_json_items(annotation, data)[:50]]
    paths = [fields.get(field) for fields in items if isinstance(fields, dict)]
    return [path for path in paths if isinstance(path, str)]


def kind(value: Any) -> str:
    """A value as an error names it: its JSON type, and itself where that is short."""
    names: dict[type, str] = {
        type(None): "nothing",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    name = names.get(type(value), type(value).__name__)
    if value is None or isinstance(value, list | dict):
        return name
    text = repr(value)
    return f"{name} {text if len(text) <= 40 else text[:37] + '...'}"
