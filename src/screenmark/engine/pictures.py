"""Pictures of a run's results, beside them in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from screenmark.benchmarks import Benchmark
from screenmark.errors import RunInterrupted


def save_pictures(kind: type[Benchmark[Any, Any]], results: dict[str, Any], run: Path) -> None:
    """Draw what the benchmark has to show into ``artifacts``.

    Raises:
        RunInterrupted: that folder cannot be written; what is finished is kept.
    """
    for name, png in kind.pictures(results).items():
        path = run / "artifacts" / name
        draft = path.with_name(f".{name}.tmp")
        try:
            path.parent.mkdir(exist_ok=True)
            draft.write_bytes(png)
            draft.replace(path)
        except OSError as error:
            raise RunInterrupted(
                f"{path}: cannot be written ({error.strerror}); what is finished is kept: make "
                "room and give the same command again"
            ) from None
