"""Reading JSON files that people wrote, and writing strict JSON.

Reading is UTF-8 with or without a byte order mark, and errors say where. Half of an
escaped character (a lone surrogate) is read as U+FFFD. ``NaN`` and
``Infinity``, which are not JSON, survive reading as floats so that the check of the field
that holds them can name it; writing refuses them.
"""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from screenmark.errors import DataError, UsageError

TOP_LEVEL = "top level"
"""Place of a value that is not in a list."""

_LOOKED_AT = 1000
_NO_TEXTS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x1f\x8b", "packed with gzip"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (b"%PDF", "a PDF"),
    (b"PAR1", "a Parquet file"),
)
"""How files begin that are no text in any encoding."""


def read_bytes(path: Path) -> bytes:
    """Read a file, or a pipe such as a shell's ``<(...)``, which delivers only once.

    Raises:
        DataError: it is missing, a folder, a device, a pipe that nobody writes to, or cannot
            be read.
    """
    try:
        # Without waiting, since a pipe without a writer would be waited for endlessly.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb", buffering=0) as file:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISFIFO(mode):
                return _read_pipe(path, file)
            if not stat.S_ISREG(mode):
                raise DataError("cannot be read, it is a device; expected a file", file=path)
            return file.readall()
    except FileNotFoundError:
        raise DataError("no such file", file=path) from None
    except IsADirectoryError:
        raise DataError("cannot be read, it is a folder; expected a file", file=path) from None
    except (MemoryError, OverflowError):
        raise DataError("too large for the memory", file=path) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DataError(f"cannot be read ({why})", file=path) from None


def _read_pipe(path: Path, file: io.FileIO) -> bytes:
    start = file.read(1)  # None if somebody is going to write.
    if start == b"":
        raise DataError("cannot be read, nobody writes to this pipe", file=path)
    os.set_blocking(file.fileno(), True)
    return (start or b"") + file.readall()


def read_text(path: Path) -> str:
    """Read a UTF-8 file.

    Raises:
        DataError: as for `read_bytes`, or not UTF-8.
    """
    return _decoded(path, read_bytes(path))


def _decoded(path: Path, data: bytes) -> str:
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


def read_json_items(path: Path, data: bytes | None = None) -> list[tuple[str, Any]]:
    """Read a JSON array, JSON Lines or a single JSON value as items, each with its place.

    Args:
        path: the file.
        data: its bytes, if they have been read: a pipe can be read only once.

    Raises:
        DataError: as for `read_json`; the place of a bad line is given as the sample.
    """
    text = _decoded(path, read_bytes(path) if data is None else data)
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


def loads_leniently(text: str) -> Any:
    """JSON that a program wrote: half characters become U+FFFD, NaN and infinities null.

    Raises:
        ValueError: it is not JSON, or cannot be read.
    """
    try:
        return _loads(text, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dump_json(value: Any, *, indent: int | None = 2) -> str:
    """Strict JSON text with a final line break, in UTF-8 characters.

    Raises:
        ValueError: a NaN or an infinity is somewhere in ``value``.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"


def write_atomically(path: Path, text: str) -> None:
    """Write a UTF-8 file so that a reader or a crash sees the old or the new content only.

    A link keeps leading where it leads. What is there and no regular file, such as a device
    or a FIFO, is written to as it is.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return
    final, draft = _draft_of(path)
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(final)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def check_writable(path: Path, flag: str = "--output") -> None:
    """See to it that `write_atomically` will find a place; missing folders are made.

    Raises:
        UsageError: it will not; the message starts with ``flag``.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{flag} {path}: a folder; expected the name of a file")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            return
        draft = _draft_of(path)[1]
        draft.open("x", encoding="utf-8").close()
        draft.unlink()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{flag} {path}: cannot be written ({why})") from None


def _draft_of(path: Path) -> tuple[Path, Path]:
    """The file that a path means in the end, and the one beside it that takes its place."""
    final = Path(os.path.realpath(path))
    if final.is_symlink():
        final.stat()  # links that lead in a circle: the error says so
    return final, final.with_name(f".{final.name}.{os.getpid()}.tmp")


def _loads(text: str, parse_constant: Callable[[str], Any] | None = None) -> Any:
    value = json.loads(text, parse_constant=parse_constant)
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
            problem = _json_problem(line, error, in_line=True)
            raise DataError(problem, file=path, sample=f"line {number}") from None
    return items


def _json_problem(text: str, error: Exception, *, in_line: bool = False) -> str:
    if not text.strip():
        return "the file is empty, expected JSON"
    if _looks_like_utf_16(start := text[:_LOOKED_AT].encode()):
        return f"not JSON: it holds null characters; {_utf_16_hint(start)}"
    if isinstance(error, json.JSONDecodeError):
        near = text[max(0, error.pos - 20) : error.pos + 20].replace("\n", " ")
        place = f"column {error.colno}" if in_line else f"line {error.lineno}, column {error.colno}"
        return f"not JSON: {error.msg} at {place}, near {near!r}"
    return f"not JSON that can be read: {error}"


def _encoding_problem(data: bytes, error: UnicodeDecodeError) -> str:
    problem = f"not UTF-8 (byte {error.start} is 0x{data[error.start]:02x})"
    for start, name in _NO_TEXTS:
        if data.startswith(start):
            return f"{problem}; it is {name}, expected a text file"
    if (wide := wide_encoding(data)) is not None:
        return f"{problem}; {wide}"
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return f"{problem}; save it as UTF-8"
    return f"{problem}; it may be GBK: convert it with iconv -f GB18030 -t UTF-8"


def wide_encoding(data: bytes) -> str | None:
    """That a text file seems to be UTF-16 or UTF-32, and what to do about it; None if not."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "it looks like UTF-32: convert it with iconv -f UTF-32 -t UTF-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    start = data[:_LOOKED_AT]
    return _utf_16_hint(start) if start and _looks_like_utf_16(start) else None


def _looks_like_utf_16(start: bytes) -> bool:
    """JSON is ASCII for the better part, to which UTF-16 gives a null byte each."""
    return start.count(0) * 4 >= len(start)


def _utf_16_hint(start: bytes) -> str:
    order = "BE" if start.startswith(b"\0") else "LE"
    width = 32 if start.count(b"\0\0") * 4 >= len(start) - 3 else 16
    return f"it may be UTF-{width}: convert it with iconv -f UTF-{width}{order} -t UTF-8"
