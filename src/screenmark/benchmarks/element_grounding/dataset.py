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
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes

Reader: TypeAlias = Callable[[Item, Screenshots], Iterator[GroundingSample]]


def load_grounding(
    annotations: list[Path],
    image_dir: Path | None,
    read: Reader,
    *,
    keep: Callable[[GroundingSample], bool] = lambda sample: True,
    image_field: str = "image_path",
) -> Dataset[GroundingSample]:
    """Read annotation files of one format and find their images.

    Args:
        annotations: the files, in order.
        image_dir: folder that image paths are relative to; None to look for it.
        read: reader of the format.
        keep: which samples are wanted.
        image_field: the field that names the image.

    Raises:
        DataError: see `load_items`; also if nothing is kept.
    """
    parts = [_load(path, image_dir, read, keep, image_field) for path in annotations]
    dataset = joined(parts, str(annotations[0] if len(parts) == 1 else annotations[0].parent))
    if not dataset.samples and not dataset.problems:
        raise DataError("no item is left under these options", file=dataset.source)
    if any(sample.target == "absent" for sample in dataset.samples):
        # Said to the model with every item, so that it gives nothing away.
        told = [msgspec.structs.replace(s, offers_absence=True) for s in dataset.samples]
        return msgspec.structs.replace(dataset, samples=told)
    return dataset


def _load(
    path: Path,
    image_dir: Path | None,
    read: Reader,
    keep: Callable[[GroundingSample], bool],
    image_field: str,
) -> Dataset[GroundingSample]:
    data = read_bytes(path)
    images = Screenshots(path, image_dir, image_paths_of(path, data, image_field))

    def wanted(item: Item) -> Iterator[GroundingSample]:
        return (sample for sample in read(item, images) if keep(sample))

    return load_items(path, wanted, data, images)
