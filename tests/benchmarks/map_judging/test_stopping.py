"""A run that is stopped while pages are looked at."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.benchmarks.map_judging.viewing import Viewer
from screenmark.errors import RunInterrupted
from tests.support.gis import make_outputs

pytestmark = pytest.mark.usefixtures("in_tmp")


async def _endless() -> None:
    await asyncio.sleep(3600)


async def _broken_off() -> None:
    """As pages end whose browser got the signal too, after we did."""
    await asyncio.sleep(0.05)
    raise ConnectionError("Target page, context or browser has been closed")


@pytest.mark.parametrize("ends", [_endless, _broken_off])
def test_it_stops_at_once_and_keeps_nothing_of_pages_that_were_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, ends: Any
) -> None:
    async def look(self: Viewer, *_: object) -> None:
        if ends is _broken_off:
            # Nobody is waiting that could be cancelled: the failure comes first.
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            asyncio.get_running_loop().call_later(0.05, os.kill, os.getpid(), signal.SIGTERM)
        await ends()

    monkeypatch.setattr(Viewer, "look", look)
    base = make_outputs(tmp_path, "a", tasks=(1,))
    with pytest.raises(RunInterrupted, match=r"0 of 1 are kept"):
        screenmark.run(
            "gis-bench",
            tasks=[str(base / "tasks.csv"), "1"],
            outputs=base,
            judge=["checks"],
            repeats=1,
        )
    (records,) = Path("runs").glob("*/records.jsonl")
    assert records.read_text(encoding="utf-8") == ""
    gc.collect()
    assert "destroyed" not in caplog.text
