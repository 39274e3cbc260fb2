"""Screenshots of bundled pages with element lists: half of the lists are of another page.

Every page is shown four times, with each half of its own list (every other element) and with a
half of the lists of two other pages of the same template and form factor. So each picture and each
half list occurs as often in sync as out of it, and neither alone tells anything.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from screenmark.benchmarks import bundled_pages
from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.models.encoders import Component

SYNC_CLASSES: Final = ("synced", "unsynced")

_PAGES: Final = {"test": "test", "train": "dev"}
_HASH_DIGITS: Final = 16


def load_page_pairs(split: str) -> Dataset[ClassSample]:
    """The pairs of a split, ``train`` or ``test``, which share no template.

    A page without another one of its template and form factor is left out.
    """
    data = (bundled_pages.FOLDER / f"{_PAGES[split]}.json").read_bytes()
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for page in msgspec.json.decode(data):
        groups[page["source"]["package"], page["platform"]].append(page)
    samples = [sample for pages in groups.values() for sample in _pairs(pages)]
    digest = hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]
    return Dataset(samples, f"bundled pages, {split}", digest)


def _pairs(pages: Sequence[dict[str, Any]]) -> Iterator[ClassSample]:
    count = len(pages)
    if count < 2:
        return
    for number, page in enumerate(pages):
        for half in (0, 1):
            # Moved by one page and, where there are more than two, by two: a derangement each.
            other = pages[(number + min(half + 1, count - 1)) % count]
            yield _pair(page, page, half, "synced")
            yield _pair(page, other, half, "unsynced")


def _pair(page: dict[str, Any], listed: dict[str, Any], half: int, label: str) -> ClassSample:
    name = _name(page)
    elements = listed["elements"][half::2]
    return ClassSample(
        id=f"{name}+{_name(listed)}.{half + 1}",
        label=label,
        classes=SYNC_CLASSES,
        group=name,
        file=str(bundled_pages.FOLDER / page["image_path"]),
        width=page["width"],
        height=page["height"],
        components=tuple(
            _component(element, listed["width"], listed["height"]) for element in elements
        ),
    )


def _name(page: dict[str, Any]) -> str:
    return str(page["image_path"]).removeprefix("images/").removesuffix(".png")


def _component(element: dict[str, Any], width: int, height: int) -> Component:
    x1, y1, x2, y2 = element["coordinates"]
    return Component(
        box=(x1 / width, y1 / height, x2 / width, y2 / height),
        class_name=element["type"],
        text=element["description"],
    )
