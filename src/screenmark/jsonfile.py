"""Reading JSON files that people wrote, and writing strict JSON.

Reading is UTF-8 with or without a byte order mark, and errors say where. Half of an
escaped character (a lone surrogate) is read as U+FFFD. ``NaN`` and
``Infinity``, which are not JSON, survive reading as floats so that the check of the field
that holds them can name it; writing refuses them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from screenmark.errors import DataError

TOP_LEVEL = "top level"
"""Place of a value that is not in a list."""


def read_text(path: Path) -> str:
    """Read a UTF-8 file.

    Raises:
        DataError: the file is missing, a folder, unreadable, or not UTF-8.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DataError("no such file", file=path) from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", file=path) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(_encoding_problem(data, error), file=path) from None


def read_json(path: Path) -> Any:
    """Read a file that holds one JSON value.

    Raises:
        DataError: as for `read_text`, or not JSON; the message gives line and column.
    """
    text = read_text(path)
    try:
        return _loads(text)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        raise DataError(_json_problem(text, error), file=path) from None


def read_json_items(path: Path) -> list[tuple[str, Any]]:
    """Read a JSON array, JSON Lines or a single JSON value as items, each with its place.

    Raises:
        DataError: as for `read_json`; the place of a bad line is given as the sample.
    """
    text = read_text(path)
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        return _lines(path, text)
    try:
        value = _loads(text)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        if _is_lines(text, error):
            return _lines(path, text)
        raise DataError(_json_problem(text, error), file=path) from None
    if isinstance(value, list):
        return [(f"item {number}", item) for number, item in enumerate(value)]
    return [(TOP_LEVEL, value)]


def dump_json(value: Any, *, indent: int | None = 2) -> str:
    """Strict JSON text with a final line break, in UTF-8 characters.

    Raises:
        ValueError: a NaN or an infinity is somewhere in ``value``.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"


def write_atomically(path: Path, text: str) -> None:
    """Write a UTF-8 file so that a reader or a crash sees the old or the new content only."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _loads(text: str) -> Any:
    value = json.loads(text)
    if "\\ud" in text.lower():
        # Half an escaped character is valid JSON, but no file could hold it afterwards.
        mended = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass")
        value = json.loads(mended.decode("utf-16", "replace"))
    return value


def _is_lines(text: str, error: Exception) -> bool:
    """Whether a whole value stands alone on the first line, and more follows."""
    if not isinstance(error, json.JSONDecodeError) or error.msg != "Extra data":
        return False
    return "\n" not in text[: error.pos].strip()


def _lines(path: Path, text: str) -> list[tuple[str, Any]]:
    items = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            items.append((f"line {number}", _loads(line)))
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            problem = _json_problem(line, error)
            raise DataError(problem, file=path, sample=f"line {number}") from None
    return items


def _json_problem(text: str, error: Exception) -> str:
    if not text.strip():
        return "the file is empty, expected JSON"
    if isinstance(error, json.JSONDecodeError):
        near = text[max(0, error.pos - 20) : error.pos + 20].replace("\n", " ")
        return f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}, near {near!r}"
    return f"not JSON that can be read: {error}"


def _encoding_problem(data: bytes, error: UnicodeDecodeError) -> str:
    problem = f"not UTF-8 (byte {error.start} is 0x{data[error.start]:02x})"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{problem}; it looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return f"{problem}; save it as UTF-8"
    return f"{problem}; it may be GBK: convert it with iconv -f GB18030 -t UTF-8"
