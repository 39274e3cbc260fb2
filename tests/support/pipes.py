"""Pipes under a path, as a shell's process substitution makes them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def piped(data: bytes) -> Iterator[Path]:
    """The path of a pipe that delivers ``data`` once and ends."""
    reader, writer = os.pipe()

    def write() -> None:
        with open(writer, "wb") as file:
            file.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield Path(f"/dev/fd/{reader}")
    finally:
        os.close(reader)
        thread.join()
