"""ScreenSpot as the hub has it, in Parquet, back into its own layout: JSON files and pictures.

The hub's boxes are ``[x1, y1, x2, y2]`` as shares of the picture; ScreenSpot's own are
``[x, y, width, height]`` in pixels. A box that is not within 0 to 1 is refused, as nothing
says what else it might mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from screenmark.downloads.names import checked_name
from screenmark.downloads.unpack import move_into, staging
from screenmark.downloads.watch import Watch
from screenmark.errors import DataError, ImageError, MissingExtra
from screenmark.images import probe
from screenmark.jsonfile import dump_json

_COLUMNS = ("file_name", "bbox", "instruction", "data_type", "data_source", "image")
_BY_NAME = {"mobile_": "mobile", "pc_": "desktop", "web_": "web"}
_BY_SOURCE = {"ios": "mobile", "android": "mobile", "windows": "desktop", "macos": "desktop"}
_ROWS = 16


def need_parquet() -> None:
    """Find out before the download rather than after it.

    Raises:
        MissingExtra: nothing here reads Parquet.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtra("unpacking Parquet", "export")


def unpack_screenspot(
    sources: list[Path], folder: Path, root: str, limit: int, watch: Watch
) -> tuple[tuple[str, int], ...]:
    """Write ``screenspot_{desktop,mobile,web}.json`` and the pictures below ``root``.

    Returns:
        relative path and size in bytes of every file.

    Raises:
        DataError: the files hold something else.
    """
    watch.phase("unpacking pictures", sum(source.stat().st_size for source in sources))
    items: dict[str, list[dict[str, Any]]] = {}
    members: dict[str, int] = {}
    with staging(folder, root) as place:
        (place / root).mkdir()
        for source, number, row in _rows(sources):
            where = f"row {number}"
            path = f"{root}/{_file_name(source, where, row)}"
            content = _content(source, where, row)
            if path not in members:
                (place / path).write_bytes(content)
                members[path] = len(content)
                if sum(members.values()) > limit:
                    raise DataError(f"more than {limit:,} bytes would come out", file=source)
            watch.advance(len(content))
            items.setdefault(_platform(row), []).append(_item(source, where, row, place / path))
        if not items:
            raise DataError("no rows", file=sources[0])
        for platform, rows in items.items():
            name = f"screenspot_{platform}.json"
            (place / name).write_text(dump_json(rows), encoding="utf-8")
            members[name] = (place / name).stat().st_size
        move_into(place, folder, iter(members))
    return tuple(members.items())


def _rows(sources: list[Path]) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    import pyarrow
    from pyarrow import parquet

    for source in sources:
        number = 0
        try:
            with parquet.ParquetFile(source) as file:
                for batch in file.iter_batches(_ROWS, columns=list(_COLUMNS)):
                    for row in batch.to_pylist():
                        yield source, number, row
                        number += 1
        except (pyarrow.ArrowException, KeyError, ValueError) as error:
            raise DataError(
                f"cannot be read as ScreenSpot's Parquet ({error})", file=source
            ) from None


def _file_name(source: Path, where: str, row: dict[str, Any]) -> str:
    name = row.get("file_name")
    if not isinstance(name, str) or "/" in name:
        raise DataError("no name of a picture", file=source, sample=where, field="file_name")
    return checked_name(name, str(source))


def _content(source: Path, where: str, row: dict[str, Any]) -> bytes:
    image = row.get("image")
    content = image.get("bytes") if isinstance(image, dict) else None
    if not isinstance(content, bytes):
        raise DataError("no picture", file=source, sample=where, field="image")
    return content


def _item(source: Path, where: str, row: dict[str, Any], picture: Path) -> dict[str, Any]:
    box = row.get("bbox")
    if not (isinstance(box, list) and len(box) == 4 and all(_is_share(value) for value in box)):
        problem = "expected four shares of the picture, 0 to 1"
        raise DataError(problem, file=source, sample=where, field="bbox")
    try:
        info = probe(picture)
    except ImageError as error:
        raise DataError(str(error), file=source, sample=where, field="image") from None
    left, right = (round(value * info.width) for value in box[::2])
    top, bottom = (round(value * info.height) for value in box[1::2])
    return {
        "img_filename": picture.name,
        "bbox": [left, top, right - left, bottom - top],
        "instruction": row.get("instruction"),
        "data_type": row.get("data_type"),
        "data_source": row.get("data_source"),
    }


def _is_share(value: Any) -> bool:
    return isinstance(value, float) and -1e-6 <= value <= 1 + 1e-6


def _platform(row: dict[str, Any]) -> str:
    for start, platform in _BY_NAME.items():
        if row["file_name"].startswith(start):
            return platform
    return _BY_SOURCE.get(str(row.get("data_source")).lower(), "web")
