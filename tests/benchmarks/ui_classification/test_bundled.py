"""The bundled stand-ins: what is promised of them holds."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from PIL import Image

from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_classification.icons import Level, load_icons
from screenmark.benchmarks.ui_classification.page_pairs import load_page_pairs
from screenmark.benchmarks.ui_classification.samples import ClassSample

LEVELS: list[tuple[Level, int]] = [("coarse", 32), ("fine", 77)]


@cache
def icons(split: str, level: Any) -> Dataset[ClassSample]:
    return load_icons(split, level)


@pytest.mark.parametrize(("level", "count"), LEVELS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_every_class_has_icons(split: str, level: Level, count: int) -> None:
    samples = icons(split, level).samples
    assert len(samples[0].classes) == count
    assert {sample.label for sample in samples} == set(samples[0].classes)
    assert len({sample.id for sample in samples}) == len(samples)


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_tile_shows_something_of_its_own(split: str) -> None:
    samples = icons(split, "fine").samples
    sheet = Image.open(samples[0].file).convert("L")
    tiles = []
    for sample in samples:
        assert sample.box is not None
        assert sample.box[2] <= sample.width
        assert sample.box[3] <= sample.height
        tile = sheet.crop(sample.box)
        low, high = tile.getextrema()
        assert (low, high) == (0, 255), sample.id
        tiles.append(tile.tobytes())
    assert len(set(tiles)) == len(tiles)


def test_nobody_is_tested_on_what_is_learned() -> None:
    learned, tested = (
        {(s.file, s.box) for s in icons(split, "fine").samples} for split in ("train", "test")
    )
    assert len({file for file, _ in learned} | {file for file, _ in tested}) == 2


def test_fine_classes_lie_within_coarse_ones() -> None:
    both = zip(icons("test", "fine").samples, icons("test", "coarse").samples, strict=True)
    pairs = {(fine.label, coarse.label) for fine, coarse in both}
    assert len(pairs) == 77


@pytest.mark.parametrize(("split", "count"), [("test", 76), ("train", 80)])
def test_neither_picture_nor_list_tells_sync(split: str, count: int) -> None:
    samples = load_page_pairs(split).samples
    assert len(samples) == count
    pictures: Counter[Any] = Counter((s.file, s.label) for s in samples)
    lists: Counter[Any] = Counter((s.components, s.label) for s in samples)
    assert set(pictures.values()) == {2}
    for counts in (pictures, lists):
        for (what, label), number in counts.items():
            other = "unsynced" if label == "synced" else "synced"
            assert counts[what, other] == number


def test_out_of_sync_means_another_page_of_the_template() -> None:
    for sample in load_page_pairs("test").samples:
        page, listed = sample.id.rsplit(".", 1)[0].split("+")
        assert (page == listed) == (sample.label == "synced")
        assert page.rsplit("__", 1)[1] == listed.rsplit("__", 1)[1], "the form factor"
        assert page.split("_")[0] == listed.split("_")[0], "the template"


def test_splits_of_sync_share_no_page() -> None:
    test, train = ({s.file for s in load_page_pairs(split).samples} for split in ("test", "train"))
    assert not test & train
