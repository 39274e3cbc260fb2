"""Expectations that mean nothing without another one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from screenmark.benchmarks.map_judging.samples import Task
from screenmark.errors import DataError

PARTNERS: Final = {
    "top5_values": "top5",
    "center": "buffers_km",
    "tolerance_pct": "distances_km",
    "region_kind": "region",
}
"""Keys that no check looks at unless the other one is there too."""


def check_partners(task: Task, file: Path | None) -> None:
    """Refuse an expectation whose partner nobody gave: it would be passed over in silence.

    Args:
        task: with all that is expected of it, from the sheet and from a file.
        file: where that stands.

    Raises:
        DataError: a key lacks its partner.
    """
    given = {key for key, value in (task.expectations or {}).items() if value is not None}
    for key, partner in PARTNERS.items():
        if key in given and partner not in given:
            raise DataError(
                f"means nothing without {partner}; add that, or take this away",
                file=file,
                sample=f"task {task.number}",
                field=key,
            )
