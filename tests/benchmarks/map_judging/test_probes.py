"""Pictures with something changed that a fair judge does not care about."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from screenmark.benchmarks.map_judging.probes import Probe, altered
from tests.support.gis import picture


@pytest.mark.parametrize("probe", ["planted-text", "jpeg", "png"])
def test_one_picture_of_two_outputs_is_altered_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probe: Probe
) -> None:
    original = picture(tmp_path / "1.png")
    both_saved = threading.Barrier(2, timeout=10)
    save = Image.Image.save

    def together(self: Image.Image, *how: Any, **more: Any) -> None:
        save(self, *how, **more)
        both_saved.wait()

    monkeypatch.setattr(Image.Image, "save", together)
    folder = tmp_path / "pictures"
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: altered(original, folder, "same", probe), range(2)))
    assert len(set(found)) == 1
    assert list(folder.iterdir()) == found[:1]
    Image.open(found[0]).load()
