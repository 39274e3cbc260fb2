"""RefExp as JSON Lines: one object a record, with the values of the TFRecord's features.

    {"image_id": "42", "expression": "click on ok", "label": 0,
     "objects": [[xmin, ymin, xmax, ymax], ...],
     "vh": [{"bbox": [...], "class_name": "BUTTON", "text": "ok",
             "description": "", "resource_id": "btnOk"}, ...]}

Boxes are fractions of the screen, taken as floats of 32 bits as TFRecords have them. Other keys
(``record_index``, ``object_num``, ``class_label``) are allowed.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from screenmark.benchmarks.annotation_items import Item, kind
from screenmark.benchmarks.ui_components.matching import matched_candidates
from screenmark.benchmarks.ui_components.samples import (
    Box,
    Leaf,
    RetrievalSample,
    box_problem,
)
from screenmark.benchmarks.ui_components.tfrecord import starts_as_tfrecord
from screenmark.errors import DataError
from screenmark.jsonfile import wide_encoding

_GZIP: Final = b"\x1f\x8b"
_SUFFIXES: Final = (".jsonl", ".jsonl.gz")
_POINTER: Final = b"version https://git-lfs"
_TEXTS: Final = ("class_name", "text", "description", "resource_id")
_MOST_BYTES: Final = 2_000_000_000
_ID = re.compile(r"[\w-]{1,80}")


def is_json_lines(data: bytes, name: str = "") -> bool:
    """Whether a file is JSON Lines, compressed or not, and no TFRecord file.

    Args:
        name: the file's, whose ending says what a damaged file was meant to be.
    """
    start = data[:100].removeprefix(codecs.BOM_UTF8).lstrip()
    starts = data.startswith(_GZIP) or start.startswith(b"{")
    named = name.lower().endswith(_SUFFIXES) and not data.startswith(_POINTER)
    # A TFRecord may start with any bytes, those of the length of its first record.
    return (starts or named) and not starts_as_tfrecord(data)


def expressions_of_lines(file: Path, data: bytes) -> Iterator[RetrievalSample | DataError]:
    """The samples in order, or what is wrong with each line.

    Raises:
        DataError: the file is damaged, far too large, or in UTF-16 or UTF-32.
    """
    if data.startswith(_GZIP):
        data = _decompressed(file, data)
    if (wide := wide_encoding(data)) is not None:
        raise DataError(f"not UTF-8; {wide}", file=file)
    data = data.removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            yield _sample(Item(json.loads(line.decode("utf-8")), file, where))
        except UnicodeDecodeError as error:
            problem = f"not UTF-8 (byte {error.start} is 0x{line[error.start]:02x})"
            yield DataError(problem, file=file, sample=where)
        except (ValueError, RecursionError) as error:
            yield DataError(f"not JSON: {error}", file=file, sample=where)
        except DataError as error:
            yield error


def _decompressed(file: Path, data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            found = stream.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"damaged gzip data ({error})", file=file) from None
    if len(found) > _MOST_BYTES:
        raise DataError(f"holds more than {_MOST_BYTES:,} bytes", file=file)
    return found


def _sample(item: Item) -> RetrievalSample:
    image_id = item.text("image_id")
    if not _ID.fullmatch(image_id):
        item.wrong("image_id", f"expected a number or a name, found {image_id[:40]!r}")
    objects = item.fields.get("objects")
    if not isinstance(objects, list):
        item.wrong("objects", f"expected a list of boxes, found {kind(objects)}")
    boxes = [_box(item, f"objects[{n}]", value) for n, value in enumerate(objects)]
    for number, box in enumerate(boxes):
        if (problem := box_problem(box)) is not None:
            item.wrong(f"objects[{number}]", problem)
    label = item.fields.get("label")
    if not isinstance(label, int) or isinstance(label, bool) or not 0 <= label < len(boxes):
        known = f"0 to {len(boxes) - 1}" if boxes else "a candidate, of which there are none"
        item.wrong("label", f"{kind(label)} is out of range: expected {known}")
    expression = item.text("expression").strip()
    _check_whole(item, "expression", expression)
    leaves = tuple(_leaves(item))
    return RetrievalSample(
        id=image_id,
        image_id=image_id,
        expression=expression,
        candidates=matched_candidates(boxes, [leaf.box for leaf in leaves if leaf.box]),
        leaves=leaves,
        label=label,
    )


def _leaves(item: Item) -> Iterator[Leaf]:
    found = item.fields.get("vh", [])
    if not isinstance(found, list):
        item.wrong("vh", f"expected a list of leaves, found {kind(found)}")
    for number, fields in enumerate(found):
        path = f"vh[{number}]"
        if not isinstance(fields, dict):
            item.wrong(path, f"expected an object, found {kind(fields)}")
        texts = [fields.get(name, "") for name in _TEXTS]
        if not all(isinstance(text, str) for text in texts):
            item.wrong(path, "expected texts, found something else")
        for name, text in zip(_TEXTS, texts, strict=True):
            _check_whole(item, f"{path}.{name}", text)
        yield Leaf(_box(item, f"{path}.bbox", fields.get("bbox")), *texts)


def _check_whole(item: Item, path: str, text: str) -> None:
    """See to it that a text can be written as UTF-8, as a request has to be."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = text[error.start].encode("ascii", "backslashreplace").decode("ascii")
        item.wrong(path, f"holds {half}, half of a character")


def _box(item: Item, path: str, value: Any) -> Box:
    fits = isinstance(value, list) and len(value) == 4
    if not fits or not all(isinstance(v, int | float) and abs(v) < 1e6 for v in value):
        item.wrong(path, "expected four numbers, xmin, ymin, xmax, ymax")
    x1, y1, x2, y2 = np.array(value, dtype=np.float32).astype(np.float64).tolist()
    return x1, y1, x2, y2
