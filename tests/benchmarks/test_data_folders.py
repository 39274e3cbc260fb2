"""Where annotations and images are looked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from screenmark.benchmarks import benchmark_class
from screenmark.errors import DataError, UsageError
from tests.support import screens

SPOT_FILES = ("screenspot_mobile.json", "screenspot_desktop.json", "screenspot_web.json")
V2_FILES = ("screenspot_mobile_v2.json", "screenspot_desktop_v2.json", "screenspot_web_v2.json")


def load(benchmark: str, **options: Any) -> Any:
    kind = benchmark_class(benchmark)
    return kind(kind.options_type(**options)).load()


def mmbench(folder: Path) -> Path:
    screens.image(folder / "offline_images" / "os_web" / "home.png")
    screens.write(folder / "L1_annotations.json", [screens.L1])
    screens.write(folder / "L2_annotations.json", [screens.L2])
    return folder


def screenspot(folder: Path, files: tuple[str, ...], images: str) -> Path:
    screens.image(folder / images / "home.png")
    for name in files:
        screens.write(folder / name, [screens.SPOT])
    (folder / ".screenmark-download.json").write_text("{}", encoding="utf-8")
    return folder


def pro(folder: Path) -> Path:
    screens.image(folder / "images" / "cad" / "home.png")
    screens.write(folder / "annotations" / "cad_windows.json", [screens.PRO])
    screens.write(folder / "annotations" / "b_macos.json", [{**screens.PRO, "platform": "macos"}])
    return folder


def osworld(folder: Path) -> Path:
    screens.image(folder / "images" / "home.png")
    screens.write(folder / "OSWorld-G.json", [screens.OSWORLD])
    screens.write(
        folder / "OSWorld-G_refined.json", [{**screens.OSWORLD, "instruction": "Click the icon"}]
    )
    return folder


@pytest.mark.parametrize(
    ("benchmark", "make", "count"),
    [
        pytest.param("mmbench-gui-l1", mmbench, 3, id="L1"),
        pytest.param("mmbench-gui-l2", mmbench, 1, id="L2"),
        pytest.param(
            "screenspot", lambda f: screenspot(f, SPOT_FILES, "screenspot_imgs"), 3, id="v1"
        ),
        pytest.param(
            "screenspot-v2", lambda f: screenspot(f, V2_FILES, "screenspotv2_image"), 3, id="v2"
        ),
        pytest.param("screenspot-pro", pro, 2, id="pro"),
        pytest.param("osworld-g", osworld, 1, id="osworld-g"),
    ],
)
def test_the_layout_of_a_download(tmp_path: Path, benchmark: str, make: Any, count: int) -> None:
    dataset = load(benchmark, data=make(tmp_path))
    assert len({sample.id for sample in dataset.samples}) == len(dataset.samples) == count
    assert not dataset.problems
    assert all(sample.problem is None for sample in dataset.samples)
    assert {sample.width for sample in dataset.samples} == {200}


@pytest.mark.parametrize(
    ("benchmark", "make", "file"),
    [
        pytest.param("mmbench-gui-l1", mmbench, "L1_annotations.json", id="L1"),
        pytest.param("mmbench-gui-l2", mmbench, "L2_annotations.json", id="L2"),
        pytest.param(
            "screenspot",
            lambda f: screenspot(f, SPOT_FILES, "screenspot_imgs"),
            "screenspot_web.json",
            id="v1",
        ),
        pytest.param("screenspot-pro", pro, "annotations/cad_windows.json", id="pro"),
        pytest.param("osworld-g", osworld, "OSWorld-G_refined.json", id="osworld-g"),
    ],
)
def test_one_file_alone_finds_the_images_of_its_folder(
    tmp_path: Path, benchmark: str, make: Any, file: str
) -> None:
    dataset = load(benchmark, annotation=make(tmp_path) / file)
    assert dataset.samples
    assert all(sample.problem is None for sample in dataset.samples)


def test_images_named_from_the_annotations_folder(tmp_path: Path) -> None:
    """A folder called images does not hide paths that begin with it."""
    screens.image(tmp_path / "images" / "home.png")
    item = {**screens.L2, "image_path": "images/home.png"}
    dataset = load("mmbench-gui-l2", annotation=screens.write(tmp_path / "mine.json", [item]))
    assert dataset.samples[0].problem is None


def test_an_image_folder_of_ones_own_is_the_only_one(tmp_path: Path) -> None:
    mmbench(tmp_path)
    other = tmp_path / "elsewhere"
    other.mkdir()
    with pytest.raises(DataError, match="elsewhere"):
        load("mmbench-gui-l2", data=tmp_path, image_dir=other)
    screens.image(other / "home.png", (50, 50))
    dataset = load("mmbench-gui-l2", data=tmp_path, image_dir=other)
    assert dataset.samples[0].width == 50
    assert "image_size: [200, 100]" in dataset.warnings[0]


@pytest.mark.parametrize("benchmark", ["mmbench-gui-l1", "mmbench-gui-l2", "screenspot"])
def test_two_places_at_once(tmp_path: Path, benchmark: str) -> None:
    with pytest.raises(UsageError, match="--data and --annotation both"):
        load(benchmark, data=tmp_path, annotation=tmp_path / "x.json")


@pytest.mark.parametrize(
    "benchmark", ["screenspot", "screenspot-v2", "screenspot-pro", "osworld-g"]
)
def test_what_is_not_bundled_says_where_it_comes_from(
    benchmark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCREENMARK_DATA", str(tmp_path))
    place = f"--data {tmp_path / benchmark}"
    with pytest.raises(
        UsageError, match=f"screenmark data download {benchmark}`, then pass {place} "
    ):
        load(benchmark)
    monkeypatch.setattr("screenmark.downloads.load_record", lambda folder: object())
    with pytest.raises(UsageError, match=f"not bundled, but downloaded: pass {place}$"):
        load(benchmark)
    with pytest.raises(UsageError, match="--split"):
        load(benchmark, split="test")


@pytest.mark.parametrize(
    ("benchmark", "message"),
    [
        ("mmbench-gui-l1", "holds no L1_annotations.json"),
        ("mmbench-gui-l2", "holds no L2_annotations.json"),
        ("screenspot", "holds none of screenspot_mobile.json"),
        ("screenspot-pro", "holds none of annotations/"),
        ("osworld-g", "holds none of OSWorld-G.json"),
    ],
)
def test_an_empty_folder_and_none_at_all(tmp_path: Path, benchmark: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load(benchmark, data=tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        load(benchmark, data=tmp_path / "nowhere")


def test_a_part_of_screenspot_is_not_taken_for_all_of_it(tmp_path: Path) -> None:
    screenspot(tmp_path, SPOT_FILES[:2], "screenspot_imgs")
    with pytest.raises(
        DataError, match=r"holds no screenspot_web\.json.*--annotation .*screenspot_mobile"
    ):
        load("screenspot", data=tmp_path)


def test_files_of_the_newer_pro_layout_and_hidden_ones(tmp_path: Path) -> None:
    screens.image(tmp_path / "images" / "cad" / "home.png")
    screens.write(tmp_path / "cad.json", [screens.PRO])
    (tmp_path / ".screenmark-download.json").write_text(json.dumps({"x": 1}), encoding="utf-8")
    dataset = load("screenspot-pro", data=tmp_path)
    assert len(dataset.samples) == 1
    assert not dataset.problems


def test_refined_instructions(tmp_path: Path) -> None:
    osworld(tmp_path)
    (sample,) = load("osworld-g", data=tmp_path, refined=True).samples
    assert sample.instruction == "Click the icon"
    with pytest.raises(UsageError, match="--refined is for --data"):
        load("osworld-g", annotation=tmp_path / "OSWorld-G.json", refined=True)


@pytest.mark.parametrize("benchmark", ["mmbench-gui-l1", "mmbench-gui-l2"])
def test_options_that_make_no_sense_for_bundled_data(tmp_path: Path, benchmark: str) -> None:
    with pytest.raises(UsageError, match="--image-dir needs"):
        load(benchmark, image_dir=tmp_path)
    with pytest.raises(UsageError, match="--split"):
        load(benchmark, split="nowhere")
    with pytest.raises(UsageError, match="--split"):
        load(benchmark, split="test", annotation=tmp_path / "x.json")


def test_a_file_of_the_same_name_further_up_is_not_taken(tmp_path: Path) -> None:
    folder = mmbench(tmp_path / "a" / "b")
    screens.image(tmp_path / "home.png", (50, 50))
    screens.image(tmp_path / "a" / "home.png", (50, 50))
    (sample,) = load("mmbench-gui-l2", data=folder).samples
    assert sample.file == str(folder / "offline_images" / "os_web" / "home.png")
    (alone,) = load("mmbench-gui-l2", annotation=folder / "L2_annotations.json").samples
    assert alone.file == sample.file
    (folder / "offline_images" / "os_web" / "home.png").unlink()
    with pytest.raises(DataError, match="none of its images can be found"):
        load("mmbench-gui-l2", data=folder)


def test_some_paths_may_name_the_folder_of_images_and_others_not(tmp_path: Path) -> None:
    folder = osworld(tmp_path)
    items = [screens.OSWORLD, {**screens.OSWORLD, "image_path": "images/home.png"}]
    screens.write(folder / "OSWorld-G.json", items)
    dataset = load("osworld-g", data=folder)
    assert [sample.problem for sample in dataset.samples] == [None, None]
