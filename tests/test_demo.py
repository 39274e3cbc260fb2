"""What ``make demo`` runs, and what it says where something is not here."""

from __future__ import annotations

from pathlib import Path

import pytest

from screenmark.benchmarks import BENCHMARKS, benchmark_class
from tools import demo, demo_table


def test_every_family_has_a_share_and_a_row() -> None:
    shown = [part.benchmark for part in demo.PARTS]
    families = {benchmark_class(name).info.family for name in BENCHMARKS}
    assert {benchmark_class(name).info.family for name in shown} == families
    assert shown == list(demo_table._MAKERS)


@pytest.mark.parametrize("part", demo.PARTS, ids=[part.benchmark for part in demo.PARTS])
def test_lines_fit_a_terminal(part: demo.Part) -> None:
    assert len(part.family) <= 22
    assert len(part.what) <= 24


@pytest.mark.parametrize("part", demo.PARTS, ids=[part.benchmark for part in demo.PARTS])
def test_a_machine_without_chromium_is_told_so(
    part: demo.Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "find_chromium", lambda: None)
    lacking = demo._lacking(part)
    if part.browser:
        assert lacking is not None
        assert "apt-get install -y chromium" in lacking
    else:
        assert lacking is None


def test_maps_without_their_libraries_are_told_what_to_fetch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCREENMARK_ASSETS", str(tmp_path))
    monkeypatch.setattr(demo, "find_chromium", lambda: "/usr/bin/chromium")
    lacking = {part.benchmark: demo._lacking(part) for part in demo.PARTS}
    told = lacking.pop("gis-bench")
    assert told is not None
    assert "assets fetch --group sample" in told
    assert set(lacking.values()) == {None}
