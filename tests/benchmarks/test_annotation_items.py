"""Items of an annotation: what is wrong with one is said with file, item and field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from screenmark.benchmarks import Sample
from screenmark.benchmarks.annotation_items import (
    Item,
    Screenshots,
    content_id,
    image_paths_of,
    joined,
    kind,
    load_items,
)
from screenmark.errors import DataError
from tests.support import screens

FILE = Path("data/items.json")


def item(fields: Any) -> Item:
    return Item(fields, FILE, "item 3")


@pytest.mark.parametrize(
    ("fields", "read", "message"),
    [
        pytest.param([1], lambda i: i, "expected an object, found a list", id="not an object"),
        pytest.param({}, lambda i: i.text("a"), "a: expected a text, found nothing", id="missing"),
        pytest.param({"a": " "}, lambda i: i.text("a"), "found a string ' '", id="blank"),
        pytest.param({"a": 7}, lambda i: i.text("a"), "found a number 7", id="number"),
        pytest.param({"a": {}}, lambda i: i.maybe_text("a"), "found an object", id="object"),
        pytest.param(
            {"a": "z"}, lambda i: i.word("a", ("x", "y")), "expected one of x, y, found a string",
            id="word",
        ),
        pytest.param(
            {"a": True}, lambda i: i.word("a", ("x",)), "found a boolean True", id="boolean"
        ),
        pytest.param({"a": [1]}, lambda i: i.numbers("a", 4), "4 numbers, found 1 val", id="few"),
        pytest.param({"a": "1"}, lambda i: i.numbers("a"), "some numbers, found a string", id="no"),
        pytest.param(
            {"a": [1, None]}, lambda i: i.numbers("a"), "a[1]: expected a number, found nothing",
            id="null",
        ),
        pytest.param(
            {"a": [float("nan")]}, lambda i: i.numbers("a"), "a[0]: expected a number", id="nan"
        ),
        pytest.param({"a": [True]}, lambda i: i.numbers("a"), "found a boolean", id="bool in list"),
        pytest.param(
            {"language": "klingon"}, lambda i: i.language("a"), "language: expected a code such as",
            id="language",
        ),
    ],
)  # fmt: skip
def test_wrong_fields(fields: Any, read: Callable[[Item], Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(item(fields))
    text = str(caught.value)
    assert message in text
    assert str(FILE) in text
    assert "item 3" in text


def test_good_fields() -> None:
    good = item({"a": "x", "n": [1, 2.5], "empty": "", "none": None})
    assert good.text("a") == good.word("a", ("x",)) == "x"
    assert good.numbers("n", 2) == [1.0, 2.5]
    assert good.maybe_text("empty") is None
    assert good.maybe_text("none", "z") == "z"
    assert good.word("b", ("x", "y"), "y") == "y"


@pytest.mark.parametrize(
    ("said", "text", "code"),
    [
        ("zh-CN", "a", "zh"),
        ("ZH_tw", "a", "zh"),
        ("zh", "a", "zh"),
        ("Chinese", "a", "zh"),
        ("en-US", "页", "en"),
        ("de", "a", "de"),
        (None, "页", "zh"),
        ("", "a", "en"),
    ],
)
def test_languages(said: str | None, text: str, code: str) -> None:
    assert item({"language": said}).language(text) == code


def test_long_values_are_cut_in_messages() -> None:
    assert len(kind("x" * 100)) < 60


def test_ids_are_of_the_content_and_the_same_for_one_file() -> None:
    assert content_id("./a//b.png", "x") == content_id("a/b.png", "x")
    assert content_id("a.png", "x") != content_id("a.png", "y")
    assert content_id("a.png", "x").startswith("a.png#")


class Named(Sample, frozen=True, kw_only=True):
    """A sample with nothing but an image."""


def load(
    folder: Path, items: Any, image_dir: Path | None = None, beside: Path | None = None
) -> tuple[Any, Screenshots]:
    path = screens.write(folder / "items.json", items)
    data = path.read_bytes()
    images = Screenshots(path, image_dir, image_paths_of(path, data), beside=beside)

    def read(one: Item) -> Iterator[Named]:
        shot = images.of(one, f"sub/{one.text('image_path')}", one.text("image_path"))
        yield Named(id=one.text("id"), problem=shot.problem)

    return load_items(path, read, data, images), images


def test_bad_items_are_left_out_and_named(tmp_path: Path) -> None:
    screens.image(tmp_path / "a.png")
    good = {"id": "1", "image_path": "a.png"}
    dataset, _ = load(tmp_path, [good, {"id": "2"}, 5, good, {**good, "id": "3"}])
    assert [sample.id for sample in dataset.samples] == ["1", "3"]
    assert all(sample.problem is None for sample in dataset.samples)
    said = [str(problem) for problem in dataset.problems]
    assert len(said) == 3
    assert "item 1" in said[0]
    assert "image_path: expected a text, found nothing" in said[0]
    assert "item 2" in said[1]
    assert "expected an object, found a number" in said[1]
    assert "item 3" in said[2]
    assert "the same question as an earlier item (1)" in said[2]


@pytest.mark.parametrize("sub", ["", "sub"])
def test_an_image_is_found_in_either_place(tmp_path: Path, sub: str) -> None:
    screens.image(tmp_path / sub / "a.png")
    dataset, _ = load(tmp_path, [{"id": "1", "image_path": "a.png"}])
    assert dataset.samples[0].problem is None


def test_a_missing_image_is_a_problem_of_its_sample_that_lists_the_paths(tmp_path: Path) -> None:
    screens.image(tmp_path / "a.png")
    items = [{"id": n, "image_path": n} for n in ("a.png", "b.png")]
    dataset, _ = load(tmp_path, items)
    assert not dataset.problems
    problem = dataset.samples[1].problem
    assert "b.png: image_path: image not found" in problem
    assert str(tmp_path / "sub" / "b.png") in problem
    assert str(tmp_path / "b.png") in problem


def test_a_broken_image_says_so(tmp_path: Path) -> None:
    screens.image(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"not an image")
    dataset, _ = load(tmp_path, [{"id": n, "image_path": n} for n in ("a.png", "b.png")])
    assert "b.png" in dataset.samples[1].problem
    assert "image not found, tried" in dataset.samples[1].problem, "the other place it may be"


def test_when_no_image_is_found_the_data_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none of its images can be found") as caught:
        load(tmp_path, [{"id": "1", "image_path": "a.png"}], tmp_path / "nowhere")
    assert str(tmp_path / "nowhere" / "sub" / "a.png") in str(caught.value)


@pytest.mark.parametrize("path", ["../../a.png", "/etc/a.png"])
def test_an_image_path_cannot_leave_the_folder(tmp_path: Path, path: str) -> None:
    screens.image(tmp_path / "a.png")
    items = [{"id": "1", "image_path": "a.png"}, {"id": "2", "image_path": path}]
    dataset, _ = load(tmp_path, items, tmp_path)
    assert "leads out of" in dataset.samples[1].problem


def test_empty_data_and_data_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no items"):
        load(tmp_path, [])


@pytest.mark.parametrize("field", ["image_size", "img_size"])
def test_another_image_size_is_a_warning_once(tmp_path: Path, field: str) -> None:
    screens.image(tmp_path / "a.png")
    items = [{"id": n, "image_path": "a.png", field: [100, 50]} for n in ("1", "2")]
    dataset, images = load(tmp_path, items)
    assert len(dataset.warnings) == 1
    said = f"{field}: [100, 50] in the annotation, but the file has 200x100 pixels"
    assert said in dataset.warnings[0]
    assert dataset.warnings == images.warnings
    right, _ = load(tmp_path, [{"id": "1", "image_path": "a.png", field: [200.0, 100.0]}])
    assert not right.warnings


@pytest.mark.parametrize("size", ["200x100", [200], [0, 100], [True, 100], {"w": 1}], ids=repr)
def test_a_size_that_is_none_is_a_warning(tmp_path: Path, size: Any) -> None:
    screens.image(tmp_path / "a.png")
    dataset, _ = load(tmp_path, [{"id": "1", "image_path": "a.png", "image_size": size}])
    (said,) = dataset.warnings
    assert "image_size: expected [width, height] in pixels" in said
    assert len(dataset.samples) == 1


def test_a_folder_beside_is_for_paths_that_lead_nowhere_as_they_stand(tmp_path: Path) -> None:
    beside = tmp_path / "images"
    screens.image(beside / "a.png")
    short, _ = load(tmp_path, [{"id": "1", "image_path": "a.png"}], beside=beside)
    assert short.samples[0].problem is None
    whole, _ = load(tmp_path, [{"id": "1", "image_path": "images/a.png"}], beside=beside)
    assert whole.samples[0].problem is None


def test_joined_files_keep_their_order_and_have_one_hash(tmp_path: Path) -> None:
    parts = []
    for name in ("x", "y"):
        screens.image(tmp_path / name / "a.png")
        parts.append(load(tmp_path / name, [{"id": name, "image_path": "a.png"}, {}])[0])
    both = joined(parts, "both")
    assert [sample.id for sample in both.samples] == ["x", "y"]
    assert len(both.problems) == 2
    assert both.data_hash not in {part.data_hash for part in parts}
    assert joined(parts[:1], "one").data_hash == parts[0].data_hash
    assert joined(parts[::-1], "both").data_hash != both.data_hash
