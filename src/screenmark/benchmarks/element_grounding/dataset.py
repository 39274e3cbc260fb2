"""Finding and loading the annotations of a grounding benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from screenmark.benchmarks.annotation_items import (
    Item,
    Screenshots,
    image_paths_of,
    joined,
    load_items,
)
from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.data_folders import Place
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.jsonfile import read_bytes

Reader: TypeAlias = Callable[[Item, Screenshots], Iterator[GroundingSample]]


def load_grounding(
    place: Place,
    read: Reader,
    *,
    keep: Callable[[GroundingSample], bool] = lambda sample: True,
    image_field: str = "image_path",
) -> Dataset[GroundingSample]:
    """Read annotation files of one format and find their images.

    Args:
        place: where the files are.
        read: reader of the format.
        keep: which samples are wanted.
        image_field: the field that names the image.

    Raises:
        DataError: see `load_items`.
    """
    parts = [_load(path, place, read, keep, image_field) for path in place.annotations]
    first = place.annotations[0]
    dataset = joined(parts, str(first if len(parts) == 1 else first.parent))
    if any(sample.target == "absent" for sample in dataset.samples):
        # Said to the model with every item, so that it gives nothing away.
        told = [msgspec.structs.replace(s, offers_absence=True) for s in dataset.samples]
        return msgspec.structs.replace(dataset, samples=told)
    return dataset


def _load(
    path: Path,
    place: Place,
    read: Reader,
    keep: Callable[[GroundingSample], bool],
    image_field: str,
) -> Dataset[GroundingSample]:
    data = read_bytes(path)
    paths = image_paths_of(path, data, image_field)
    images = Screenshots(path, place.image_dir, paths, field=image_field, beside=place.beside)

    def wanted(item: Item) -> Iterator[GroundingSample]:
        return (sample for sample in read(item, images) if keep(sample))

    return load_items(path, wanted, data, images)
