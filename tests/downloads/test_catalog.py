"""The table of data sets, and where they go."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from screenmark.benchmarks import BENCHMARKS
from screenmark.downloads.catalog import catalog, dataset, is_pattern, matches
from screenmark.downloads.names import checked_name
from screenmark.downloads.places import data_root, default_folder
from screenmark.errors import UsageError


@pytest.mark.parametrize("name", catalog())
def test_a_row_holds_together(name: str) -> None:
    entry = dataset(name)
    assert [entry.hub, entry.github, entry.site].count(None) == 2
    assert re.fullmatch(r"[0-9a-f]{40}", entry.revision) or entry.site
    assert entry.home.startswith("https://")
    assert entry.site is None or not any(map(is_pattern, entry.files))
    assert all(re.fullmatch(r"[0-9a-f]{64}", value) for value in entry.sha256.values())
    local = [entry.local(file) for file in entry.files]
    assert all(checked_name(file, name) for file in local if not is_pattern(file))
    assert all(any(matches(file, name) for file in local) for name in entry.sha256)
    for rule in entry.unpack:
        assert any(matches(rule.source, file) for file in local)
    for line in entry.next:
        where = r"(--data \{dir\}|--image-dir \{dir\}/combined)( --image-dir RICO/combined)?"
        assert re.fullmatch(rf"screenmark run (\S+) --model MODEL {where}", line)
        assert line.split()[2] in BENCHMARKS


def test_the_names_that_people_use() -> None:
    assert set(catalog()) >= {
        "mmbench-gui",
        "screenspot",
        "screenspot-v2",
        "screenspot-pro",
        "osworld-g",
        "uibert",
        "rico",
    }


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("a.json", "a.json", True),
        ("a.json", "b/a.json", False),
        ("annotations/*.json", "annotations/x.json", True),
        ("annotations/*.json", "annotations/b/x.json", False),
        ("annotations/*.json", "annotations/x.txt", False),
        ("images/**", "images/a/b.png", True),
        ("images/**", "imagesx/b.png", False),
        ("images/**", "images", False),
    ],
)
def test_patterns(pattern: str, name: str, expected: bool) -> None:
    assert matches(pattern, name) is expected


def test_a_near_miss_gets_a_hint() -> None:
    with pytest.raises(UsageError, match="did you mean screenspot-v2"):
        dataset("screenspotv2")
    with pytest.raises(UsageError, match="there are mmbench-gui, "):
        dataset("zzz")


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    mmbench, other = dataset("mmbench-gui"), dataset("screenspot")
    home = {"HOME": str(tmp_path)}
    own = home | {"LMUData": "/data/lmu", "SCREENMARK_DATA": "~/mine"}
    assert default_folder("mmbench-gui", mmbench, home) == tmp_path / "LMUData" / "MMBench-GUI"
    assert default_folder("mmbench-gui", mmbench, own) == Path("/data/lmu/MMBench-GUI")
    assert default_folder("screenspot", other, own) == tmp_path / "mine" / "screenspot"


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, ".cache/screenmark/data"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, ".cache/screenmark/data"),
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/screenmark/data"),
        ("darwin", {"XDG_CACHE_HOME": "/c"}, "Library/Caches/screenmark/data"),
        ("win32", {}, "AppData/Local/screenmark/data"),
    ],
)
def test_caches(
    platform: str,
    environment: dict[str, str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", platform)
    assert data_root(environment) == tmp_path / expected
