"""Public label files: what is read, and what is said of what cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_classification import AppType, IconCoarse, IconFine, Sync
from screenmark.benchmarks.ui_classification.options import AppTypeOptions, ClassificationOptions
from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.errors import DataError, UsageError

TREE = {
    "activity": {
        "root": {
            "bounds": [0, 0, 1440, 2560],
            "children": [
                {
                    "bounds": [144, 256, 288, 512],
                    "class": "android.widget.ImageButton",
                    "content-desc": ["Search"],
                    "resource-id": "com.shop:id/find_it",
                },
                {"bounds": [0, 1280, 1440, 1536], "class": "x.TextView", "text": "Sign in"},
            ],
        }
    }
}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def rico(tmp_path: Path) -> Path:
    """Two screens as Rico lays them out."""
    folder = tmp_path / "combined"
    folder.mkdir()
    for number in (7, 8):
        Image.new("RGB", (108, 192), "white").save(folder / f"{number}.jpg")
        write(folder / f"{number}.json", json.dumps(TREE))
    return folder


def load(kind: Any, file: Path, text: str, **options: Any) -> Dataset[ClassSample]:
    write(file, text)
    struct = AppTypeOptions if kind is AppType else ClassificationOptions
    found: Dataset[ClassSample] = kind(struct(annotation=file, **options)).load()
    return found


def test_topics(tmp_path: Path) -> None:
    found = load(AppType, tmp_path / "t.csv", "screen_id,topic\n12,login\n13,list\n")
    assert [(s.id, s.label) for s in found.samples] == [("12", "login"), ("13", "list")]
    assert found.samples[0].classes == ("list", "login")
    assert "asked blind" in found.warnings[0]


def test_numbers_count_classes(tmp_path: Path) -> None:
    names = write(tmp_path / "names.txt", "bare\ncamera\n")
    text = "screen_id,label\n1,1\n2,0\n"
    found = load(AppType, tmp_path / "t.csv", text, classes=names)
    assert [s.label for s in found.samples] == ["camera", "bare"]
    plain = load(AppType, tmp_path / "t.csv", text)
    assert [s.label for s in plain.samples] == ["1", "0"]
    assert len(plain.samples[0].classes) == 27


def test_labels_of_sync(tmp_path: Path) -> None:
    found = load(Sync, tmp_path / "t.csv", "screen_id,label\n1,1\n2,unsync\n3,Synced\n")
    assert [s.label for s in found.samples] == ["synced", "unsynced", "synced"]


def test_list_of_screens_in_sync(tmp_path: Path, rico: Path) -> None:
    found = load(Sync, tmp_path / "kept.txt", "8\n", image_dir=rico)
    assert [(s.id, s.label) for s in found.samples] == [("7", "unsynced"), ("8", "synced")]
    assert found.samples[0].components[1].text == "Sign in"


def test_list_of_screens_without_their_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs --image-dir"):
        load(Sync, tmp_path / "kept.txt", "8\n")


def test_app_types_of_rico(tmp_path: Path) -> None:
    write(tmp_path / "ui_details.csv", "UI Number,App Package Name\n1,a.b\n2,c.d\n3,e.f\n")
    write(tmp_path / "app_details.csv", "App Package Name,Category\na.b,Tools\nc.d,Social\n")
    task = AppType(AppTypeOptions(data=tmp_path, variant="72k"))
    found = task.load()
    assert [(s.id, s.label, s.group) for s in found.samples] == [
        ("1", "Tools", "a.b"),
        ("2", "Social", "c.d"),
    ]
    assert "row 4" in str(found.problems[0])
    assert "'e.f' has no category" in str(found.problems[0])
    assert task.data_name == "72k screens"
    assert task.comparable() == []


def test_published_figures_go_with_the_size_of_the_data(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", "screen_id,label\n1,Tools\n")
    task = AppType(AppTypeOptions(annotation=file, variant="43.5k"))
    assert [figure.value for figure in task.comparable()] == [0.798, 0.643]


def test_icon_with_a_box_on_the_screenshot(tmp_path: Path, rico: Path) -> None:
    text = "screen_id,x1,y1,x2,y2,label\n7,11,19,22,38,search\n"
    (sample,) = load(IconFine, tmp_path / "i.csv", text, image_dir=rico).samples
    assert sample.box == (11, 19, 22, 38)
    assert sample.components[0].description == "Search"
    assert sample.id == "7@11,19,22,38"


def test_icon_with_bounds_of_the_view_hierarchy(tmp_path: Path, rico: Path) -> None:
    text = 'screen_id,bounds,label\n7,"[144,256][288,512]",search\n'
    (sample,) = load(IconFine, tmp_path / "i.csv", text, image_dir=rico).samples
    assert sample.box == (10, 19, 22, 38)
    assert sample.components[0].resource_id == "findIt"


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("screen_id,label\n1,a\n2,\n", "row 3: label", "expected a class, found nothing"),
        ("screen_id,label\n1,a\n/x,a\n", "row 3: screen_id", "expected a number or a name"),
        ("screen_id,label\n1,a\n1,b\n", "row 3: screen_id", "stands in an earlier row too"),
        ("screen_id,label\n1,3\n2,32\n", "row 3: label", "'32' is out of range"),
        ("screen_id,label\n1,3\n2,-1\n", "row 3: label", "'-1' is out of range"),
        (
            "screen_id,x1,y1,x2,y2,label\n1,0,0,5,5,a\n2,5,0,5,5,a\n",
            "row 3: x1",
            "expected x1 < x2",
        ),
        ("screen_id,x1,y1,x2,y2,label\n1,0,0,5,5,a\n2,0,b,5,5,a\n", "row 3: y1", "found 'b'"),
        (
            "screen_id,x1,y1,x2,y2,label\n1,0,0,5,5,a\n2,-5,0,9999,10,a\n",
            "row 3: x1",
            "within the screenshot, in pixels from its top left and none negative, found -5, 0,",
        ),
        (
            "screen_id,x1,y1,x2,y2,label\n1,0,0,5,5,a\n2,0,0,nan,10,a\n",
            "row 3: x1",
            "within the screenshot",
        ),
        (
            'screen_id,bounds,label\n1,"[0,0][5,5]",a\n2,"[1,2][3]",a\n',
            "row 3: bounds",
            "expected x1, y1, x2, y2 of a box, found 1, 2, 3",
        ),
    ],
    ids=[
        *("no label", "no id", "twice", "beyond", "below", "no area", "no number", "negative"),
        *("not a number", "three sides"),
    ],
)
def test_a_bad_row_is_named_and_the_others_stay(
    tmp_path: Path, text: str, where: str, what: str
) -> None:
    names = write(tmp_path / "n.txt", "\n".join(f"c{n}" for n in range(32)))
    numbers = text.splitlines()[1].endswith(",3")
    options = {"classes": names} if numbers else {}
    found = load(IconCoarse, tmp_path / "bad.csv", text, **options)
    assert len(found.samples) == 1
    (problem,) = found.problems
    assert "bad.csv" in str(problem)
    assert where in str(problem)
    assert what in str(problem)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a,b\n1,2\n", "lacks a column for the screen"),
        ("screen_id,b\n1,2\n", "a column for the label"),
        ("screen_id,label\n", "holds no row"),
        ("screen_id,label\n" + "".join(f"{n},c{n}\n" for n in range(40)), "40 classes"),
    ],
    ids=["no id", "no label", "empty", "too many classes"],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        load(IconCoarse, tmp_path / "bad.csv", text)


ICONS = "screen_id,x1,y1,x2,y2,label\n7,1,1,9,9,add\n8,1,1,9,9,cart\n"


def test_own_icons_without_hierarchies_are_pictures(tmp_path: Path, rico: Path) -> None:
    for number in (7, 8):
        (rico / f"{number}.json").unlink()
    write(rico / "labels.json", "{}")
    file = write(tmp_path / "i.csv", ICONS)
    task = IconCoarse(ClassificationOptions(annotation=file, image_dir=rico))
    assert [task.modalities, task.options.modalities] == [("img",), "img"]
    assert [sample.problem for sample in task.load().samples] == [None, None]


@pytest.mark.parametrize(
    ("gone", "kind", "said", "used"),
    [
        pytest.param(["7.json"], IconFine, None, ("img", "vh"), id="some are there"),
        pytest.param(["7.jpg", "8.jpg"], AppType, None, ("vh",), id="no screenshots"),
        pytest.param(["7.json", "8.json"], Sync, None, ("img", "vh"), id="sync is about both"),
        pytest.param(["7.json", "8.json"], IconFine, "vh", ("vh",), id="asked for"),
    ],
)
def test_default_inputs_are_those_that_are_there(
    tmp_path: Path, rico: Path, gone: list[str], kind: Any, said: str | None, used: tuple[str, ...]
) -> None:
    for name in gone:
        (rico / name).unlink()
    struct = AppTypeOptions if kind is AppType else ClassificationOptions
    file = write(tmp_path / "i.csv", ICONS)
    assert kind(struct(annotation=file, image_dir=rico, modalities=said)).modalities == used


def test_missing_screenshot_and_hierarchy_are_named(tmp_path: Path, rico: Path) -> None:
    (rico / "8.json").unlink()
    text = "screen_id,label\n7,1\n8,1\n9,0\n"
    first, second, third = load(Sync, tmp_path / "s.csv", text, image_dir=rico).samples
    assert first.problem is None
    assert second.problem is not None
    assert "8.json" in second.problem
    assert third.problem is not None
    assert "9.jpg" in third.problem
    assert "row 4" in third.problem or "screen_id" in third.problem


def test_broken_hierarchy_is_named(tmp_path: Path, rico: Path) -> None:
    write(rico / "8.json", '{"activity": {"root": {"bounds": [0, 0, 0, 0]}}}')
    samples = load(Sync, tmp_path / "s.csv", "screen_id,label\n7,1\n8,1\n", image_dir=rico).samples
    assert samples[1].problem is not None
    assert "no area" in samples[1].problem


@pytest.mark.parametrize(
    ("kind", "options", "what"),
    [
        (IconFine, {"modalities": "img,vh"}, "stand alone"),
        (IconFine, {"modalities": "sound"}, "expected one or more of img, ocr, vh"),
        (AppType, {"modalities": "img"}, "come without screens"),
        (AppType, {"variant": "72k"}, "may not be bundled"),
        (Sync, {"split": "dev"}, "the bundled data has test, train"),
        (Sync, {"image_dir": Path()}, "needs --annotation or --data"),
    ],
)
def test_wrong_use(kind: Any, options: dict[str, Any], what: str) -> None:
    struct = AppTypeOptions if kind is AppType else ClassificationOptions
    with pytest.raises(UsageError, match=what):
        kind(struct(**options)).load()
