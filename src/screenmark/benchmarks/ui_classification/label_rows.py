"""Public label files to rows: a screen, a label, and for icons a box.

``screen_id,topic`` (Enrico), any CSV with a column for the screen and one for the label, icons with
a box beside; ``app_details.csv`` with ``ui_details.csv`` (Rico's app types); a text file with one
number a line (RicoSCA's screens in sync).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes

_ID_COLUMNS: Final = (
    *("screen_id", "ui_number", "ui number", "rico_id", "image_id", "screen", "id", "image"),
)
_LABEL_COLUMNS: Final = (
    *("label", "class", "app_type", "app type", "category", "topic", "icon", "icon_label"),
    *("icon_class", "sync", "synced"),
)
_SIDES: Final = ("x1", "y1", "x2", "y2")
_FARTHEST: Final = 1e6
_NUMBER: Final = re.compile(r"[\w.-]{1,80}")


class Row(NamedTuple):
    """One labelled screen or icon.

    Attributes:
        where: the row as errors name it.
        label: as it is written.
        label_field: the column that it stands in.
        box: in pixels of the screenshot, or of the view hierarchy if ``of_hierarchy``.
        group: what its row says it belongs to, such as an app; empty if nothing.
    """

    where: str
    screen_id: str
    label: str
    label_field: str
    box: tuple[float, float, float, float] | None = None
    of_hierarchy: bool = False
    group: str = ""


def read_label_csv(file: Path) -> tuple[list[Row], list[DataError], bytes]:
    """The rows of a CSV file, what is wrong with the others, and the file's content.

    Raises:
        DataError: the file cannot be read, has no such columns, or holds no row.
    """
    data = read_bytes(file)
    rows, problems = [], []
    reader = _reader(file, data)
    columns = {name.strip().lower(): name for name in reader.fieldnames or ()}
    id_column = _column(file, columns, _ID_COLUMNS, "a column for the screen")
    label_column = _column(file, columns, _LABEL_COLUMNS, "a column for the label")
    for where, fields in _rows(file, reader):
        try:
            rows.append(_row(file, where, fields, columns, id_column, label_column))
        except DataError as error:
            problems.append(error)
    if not rows and not problems:
        raise DataError("holds no row below its heading", file=file)
    return rows, problems, data


def read_app_types(folder: Path) -> tuple[list[Row], list[DataError], bytes]:
    """Rico's screens with their app's category in the store.

    Args:
        folder: with ``ui_details.csv`` and ``app_details.csv``.

    Raises:
        DataError: a file is missing or has other columns.
    """
    screens, apps = folder / "ui_details.csv", folder / "app_details.csv"
    data, about = read_bytes(screens), read_bytes(apps)
    category: dict[str, str] = {}
    for where, fields in _named(apps, about, ("App Package Name", "Category")):
        name = fields["App Package Name"]
        if category.setdefault(name, fields["Category"]) != fields["Category"]:
            raise DataError("an app with two categories", file=apps, sample=where, field="Category")
    rows, problems = [], []
    for where, fields in _named(screens, data, ("UI Number", "App Package Name")):
        number, app = fields["UI Number"].strip(), fields["App Package Name"]
        if not category.get(app, "").strip():
            problem = f"{app!r} has no category in {apps.name}"
            problems.append(
                DataError(problem, file=screens, sample=where, field="App Package Name")
            )
            continue
        rows.append(Row(where, number, category[app].strip(), "Category", group=app))
    return rows, problems, data + about


def read_synced_list(file: Path, folder: Path) -> tuple[list[Row], list[DataError], bytes]:
    """Every screenshot of a folder: in sync if the file lists its number, out of sync if not.

    Raises:
        DataError: the file lists nothing, or the folder holds no screenshots.
    """
    data = read_bytes(file)
    listed: dict[str, str] = {}
    problems = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        name = line.strip()
        where = f"line {number}"
        if not name:
            continue
        if not _NUMBER.fullmatch(name):
            problems.append(
                DataError(f"expected a number, found {name[:40]!r}", file=file, sample=where)
            )
        elif name in listed:
            problems.append(
                DataError(f"{name} stands in {listed[name]} too", file=file, sample=where)
            )
        else:
            listed[name] = where
    shots = sorted(
        {path.stem for path in folder.glob("*.jpg")} | {p.stem for p in folder.glob("*.png")}
    )
    if not listed:
        raise DataError("lists no screen; expected one number a line", file=file)
    if not shots:
        raise DataError("holds no screenshots; expected NUMBER.jpg", file=folder)
    names = [*shots, *(name for name in listed if name not in set(shots))]
    rows = [
        Row(listed.get(name, name), name, "synced" if name in listed else "unsynced", "label")
        for name in names
    ]
    return rows, problems, data


def read_class_names(file: Path) -> tuple[str, ...]:
    """A class a line.

    Raises:
        DataError: the file cannot be read, or names none, or one twice.
    """
    lines = read_bytes(file).decode("utf-8", "replace").lstrip("\ufeff").splitlines()
    names = [line.strip() for line in lines if line.strip()]
    twice = [name for number, name in enumerate(names) if name in names[:number]]
    if not names or twice:
        problem = f"{twice[0]!r} twice" if twice else "names no class; expected one a line"
        raise DataError(problem, file=file)
    return tuple(names)


def _reader(file: Path, data: bytes) -> csv.DictReader[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start})", file=file) from None
    return csv.DictReader(io.StringIO(text, newline=""))


def _rows(file: Path, reader: csv.DictReader[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Rows with their place; the heading is row 1. A broken one ends the file."""
    try:
        for number, fields in enumerate(reader, start=2):
            yield f"row {number}", {k: v or "" for k, v in fields.items() if isinstance(k, str)}
    except csv.Error as error:
        raise DataError(f"no CSV behind row {reader.line_num} ({error})", file=file) from None


def _named(file: Path, data: bytes, wanted: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    reader = _reader(file, data)
    missing = [name for name in wanted if name not in (reader.fieldnames or ())]
    if missing:
        raise DataError(f"has no column {', '.join(missing)}", file=file)
    yield from _rows(file, reader)


def _column(file: Path, columns: dict[str, str], known: Sequence[str], what: str) -> str:
    found = next((columns[name] for name in known if name in columns), None)
    if found is None:
        here = ", ".join(columns.values()) or "none"
        raise DataError(f"lacks {what}: expected one of {', '.join(known)}; has {here}", file=file)
    return found


def _row(
    file: Path,
    where: str,
    fields: dict[str, str],
    columns: dict[str, str],
    id_column: str,
    label_column: str,
) -> Row:
    screen, label = fields.get(id_column, "").strip(), fields.get(label_column, "").strip()
    if not _NUMBER.fullmatch(screen):
        problem = f"expected a number or a name, found {screen[:40]!r}"
        raise DataError(problem, file=file, sample=where, field=id_column)
    if not label:
        raise DataError(
            "expected a class, found nothing", file=file, sample=where, field=label_column
        )
    screen = screen.removesuffix(".jpg").removesuffix(".png")
    row = Row(where, screen, label, label_column)
    if all(side in columns for side in _SIDES):
        cells = [(columns[side], fields.get(columns[side], "")) for side in _SIDES]
        return row._replace(box=_box(file, where, cells))
    if "bounds" in columns:
        cells = [(columns["bounds"], v) for v in re.findall(r"-?[\d.]+", fields[columns["bounds"]])]
        return row._replace(
            box=_box(file, where, cells or [(columns["bounds"], "")]), of_hierarchy=True
        )
    return row


def _box(
    file: Path, where: str, cells: Sequence[tuple[str, str]]
) -> tuple[float, float, float, float]:
    values = []
    for field, cell in cells:
        try:
            values.append(float(cell))
        except ValueError:
            problem = f"expected a number, found {cell[:40]!r}"
            raise DataError(problem, file=file, sample=where, field=field) from None
    field = cells[0][0]
    found = ", ".join(f"{value:g}" for value in values)
    if len(values) != 4:
        problem = f"expected x1, y1, x2, y2 of a box, found {found}"
    elif not all(0 <= value <= _FARTHEST for value in values):
        problem = (
            "expected a box within the screenshot, in pixels from its top left and none negative, "
            f"found {found}"
        )
    elif not (values[0] < values[2] and values[1] < values[3]):
        problem = f"expected x1 < x2 and y1 < y2 of a box, found {found}"
    else:
        return values[0], values[1], values[2], values[3]
    raise DataError(problem, file=file, sample=where, field=field)
