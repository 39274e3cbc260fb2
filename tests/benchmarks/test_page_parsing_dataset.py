"""Annotation files as people bring them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from screenmark.benchmarks.page_parsing.dataset import BUNDLED, load_pages
from screenmark.errors import DataError
from tests.support.pages import ELEMENT, make_pages, write_pages
from tests.support.pipes import piped


def page(path: str = "images/0.png", **changes: Any) -> dict[str, Any]:
    return {"image_path": path, "elements": [{**ELEMENT, **changes}]}


@pytest.mark.parametrize(
    ("item", "field", "problem"),
    [
        pytest.param(7, None, "expected an object, found a number 7", id="page not an object"),
        pytest.param({"elements": []}, "image_path", "found nothing", id="no image_path"),
        pytest.param({"image_path": 3, "elements": []}, "image_path", "a number 3", id="path type"),
        pytest.param({"image_path": "images/0.png"}, "elements", "found nothing", id="no elements"),
        pytest.param(
            {"image_path": "images/0.png", "elements": {"a": 1}}, "elements", "an object", id="dict"
        ),
        pytest.param(
            {"image_path": "images/0.png", "elements": ["x"]},
            "elements[0]",
            "found a string 'x'",
            id="element type",
        ),
        pytest.param(page(type=3), "elements[0].type", "expected a string", id="type"),
        pytest.param(page(description=4.5), "elements[0].description", "4.5", id="description"),
        pytest.param(page(index="0"), "elements[0].index", "a whole number", id="index"),
        pytest.param(page(coordinates=None), "elements[0].coordinates", "found nothing", id="box"),
        pytest.param(page(coordinates=[1, 2, 3]), "elements[0].coordinates", "3 values", id="3"),
        pytest.param(page(coordinates="1,2,3,4"), "elements[0].coordinates", "a string", id="text"),
        pytest.param(
            page(coordinates=[1, "2", 3, 4]),
            "elements[0].coordinates[1]",
            "found a string '2'",
            id="number as text",
        ),
        pytest.param(
            page(coordinates=[1, 2, True, 4]),
            "elements[0].coordinates[2]",
            "a boolean",
            id="boolean",
        ),
        pytest.param(
            page(coordinates=[1, 2, float("nan"), 4]),
            "elements[0].coordinates[2]",
            "expected a finite number of pixels, found a number nan",
            id="nan",
        ),
        pytest.param(
            page(coordinates=[1, 2, float("inf"), 4]),
            "elements[0].coordinates[2]",
            "found a number inf",
            id="infinity",
        ),
        pytest.param(
            page(coordinates=[1, 2, 10**400, 4]),
            "elements[0].coordinates[2]",
            "expected a finite number of pixels, found a number 1000",
            id="beyond floats",
        ),
        pytest.param(
            page(coordinates=[1, -(10**400), 3, 4]), "elements[0].coordinates[1]", "-1000", id="low"
        ),
        pytest.param(
            page(coordinates=[-1e308, -1e308, 1e308, 1e308]),
            "elements[0].coordinates[0]",
            "found a number -1e+308",
            id="area beyond floats",
        ),
        pytest.param(
            page(coordinates=[50, 10, 20, 30]),
            "elements[0].coordinates",
            "x2 < x1",
            id="x2 before x1",
        ),
        pytest.param(
            page(coordinates=[10, 50, 20, 30]),
            "elements[0].coordinates",
            "not [x, y, width, height]",
            id="y2 before y1",
        ),
        pytest.param(
            page(coordinates=[10, 10, 10, 30]), "elements[0].coordinates", "no area", id="no area"
        ),
        pytest.param(
            page(coordinates=[-30, -20, -10, -5]),
            "elements[0].coordinates",
            "lies outside the image of 100x80",
            id="negative",
        ),
        pytest.param(
            page(coordinates=[300, 10, 400, 30]),
            "elements[0].coordinates",
            "lies outside",
            id="outside",
        ),
    ],
)
def test_a_bad_page_is_named_and_the_others_go_on(
    tmp_path: Path, item: Any, field: str | None, problem: str
) -> None:
    make_pages(tmp_path, 2)
    annotation = write_pages(tmp_path, [item, page("images/1.png")])
    data = load_pages(annotation, None)
    assert [sample.id for sample in data.samples] == ["images/1.png"]
    (error,) = data.problems
    assert error.file == str(annotation)
    assert error.sample in {"item 0", "images/0.png"}
    assert error.field == field
    assert problem in error.problem


def test_a_box_that_reaches_out_is_kept_with_a_warning(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1, coordinates=[-5, 10, 120, 30])
    data = load_pages(annotation, None)
    assert data.samples[0].elements[0]["coordinates"] == [-5, 10, 120, 30]
    (warning,) = data.warnings
    assert "images/0.png: elements[0].coordinates: [-5, 10, 120, 30] reaches outside" in warning


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("images/0.png", "images/0.png"),
        ("./images/0.png", "images/0.png"),
        ("images/0.png", "images//0.png"),
        ("images/0.png", "images/./x/../0.png"),
    ],
)
def test_a_page_given_twice(tmp_path: Path, first: str, second: str) -> None:
    make_pages(tmp_path, 1)
    data = load_pages(write_pages(tmp_path, [page(first), page(second)]), None)
    assert [sample.id for sample in data.samples] == [first]
    (problem,) = data.problems
    assert problem.sample == second
    assert "the same image_path as item 0" in problem.problem


class TestPipes:
    """A shell's <(...) delivers its content once."""

    def test_the_hash_is_of_what_was_read(self, tmp_path: Path) -> None:
        annotation = make_pages(tmp_path, 2)
        content = annotation.read_bytes()
        with piped(content) as pipe:
            data = load_pages(pipe, tmp_path)
        assert len(data.samples) == 2
        assert data.data_hash == hashlib.sha256(content).hexdigest()
        assert data.data_hash == load_pages(annotation, None).data_hash

    def test_a_device_is_refused(self) -> None:
        with pytest.raises(DataError, match="/dev/zero: cannot be read, it is a device"):
            load_pages(Path("/dev/zero"), None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "no such file", id="missing"),
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b"[{", "not JSON: .* line 1", id="cut"),
        pytest.param(b"[]", "holds no pages", id="no pages"),
        pytest.param('[{"image_path": "页面"}]'.encode("gbk"), "iconv -f GB18030", id="gbk"),
        pytest.param('[{"a": "页面"}]'.encode("utf-16"), "UTF-16", id="utf-16"),
        pytest.param(b"\xff\xff\xff", "not UTF-8", id="bytes"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, content: bytes | None, message: str) -> None:
    annotation = tmp_path / "标注.json"
    if content is not None:
        annotation.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        load_pages(annotation, None)
    assert str(annotation) in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_names_with_stars_spaces_and_chinese(tmp_path: Path, encoding: str) -> None:
    name = "images/A*页 面.png"
    (tmp_path / "images").mkdir()
    Image.new("RGB", (100, 80)).save(tmp_path / name)
    annotation = tmp_path / "pages.json"
    text = json.dumps([page(name, description="登录")], ensure_ascii=False)
    annotation.write_text(text, encoding=encoding)
    (sample,) = load_pages(annotation, None).samples
    assert sample.problem is None
    assert Path(sample.file) == tmp_path / name
    assert sample.elements[0]["description"] == "登录"


class TestFindingImages:
    def test_below_the_nearest_parent_that_has_them(self, tmp_path: Path) -> None:
        make_pages(tmp_path, 2)
        deep = tmp_path / "data/annotation/en"
        deep.mkdir(parents=True)
        annotation = write_pages(deep, [page("images/missing.png"), page("images/1.png")])
        samples = load_pages(annotation, None).samples
        assert Path(samples[1].file) == tmp_path / "images/1.png"
        assert samples[0].problem is not None
        assert str(tmp_path / "images/missing.png") in samples[0].problem

    def test_below_the_working_directory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        here, there = tmp_path / "here", tmp_path / "there"
        make_pages(here, 1)
        there.mkdir()
        monkeypatch.chdir(here)
        (sample,) = load_pages(write_pages(there, [page()]), None).samples
        assert Path(sample.file).resolve() == (here / "images/0.png").resolve()

    def test_below_image_dir_only(self, tmp_path: Path) -> None:
        annotation = make_pages(tmp_path, 1)
        other = tmp_path / "other"
        make_pages(other, 1, size=(50, 40))
        (sample,) = load_pages(annotation, other).samples
        assert (sample.width, sample.height) == (50, 40)

    def test_none_found_lists_the_paths_tried(self, tmp_path: Path) -> None:
        annotation = make_pages(tmp_path, 2)
        with pytest.raises(DataError, match="none of its 2 images") as caught:
            load_pages(annotation, tmp_path / "images")
        message = str(caught.value)
        assert str(tmp_path / "images/images/0.png") in message
        assert "lies directly in --image-dir" in message

    @pytest.mark.parametrize("path", ["../secret.png", "images/../../secret.png"])
    def test_paths_cannot_leave_the_root(self, tmp_path: Path, path: str) -> None:
        root = tmp_path / "root"
        make_pages(root, 2)
        Image.new("RGB", (5, 5)).save(tmp_path / "secret.png")
        data = load_pages(write_pages(root, [page(path), page("images/1.png")]), root)
        assert data.samples[0].file == ""
        assert "leads out of" in str(data.samples[0].problem)

    def test_absolute_paths_cannot_leave_the_root_either(self, tmp_path: Path) -> None:
        root = tmp_path / "root"
        make_pages(root, 2)
        Image.new("RGB", (5, 5)).save(tmp_path / "secret.png")
        pages = [page(str(tmp_path / "secret.png")), page("images/1.png")]
        data = load_pages(write_pages(root, pages), root)
        assert data.samples[0].file == ""


@pytest.mark.parametrize(
    ("changes", "folder", "name", "language"),
    [
        pytest.param({"language": "zh"}, "a", "p.json", "zh", id="said"),
        pytest.param({}, "annotation/zh", "p.json", "zh", id="folder"),
        pytest.param({}, "a", "ui_elements_zh.json", "zh", id="file name"),
        pytest.param({}, "a", "ui_elements_en.json", "en", id="english"),
        pytest.param({"language": "fr"}, "a", "p.json", "en", id="unknown"),
        pytest.param({"language": []}, "a", "p.json", "en", id="a list"),
        pytest.param({"language": {"en": 1}}, "a_zh", "p_zh.json", "zh", id="an object"),
        pytest.param(
            {"elements": [{**ELEMENT, "description": "登录"}, ELEMENT]},
            "a",
            "p.json",
            "zh",
            id="by its texts",
        ),
    ],
)
def test_language(
    tmp_path: Path, changes: dict[str, Any], folder: str, name: str, language: str
) -> None:
    make_pages(tmp_path, 1)
    (tmp_path / folder).mkdir(parents=True)
    annotation = write_pages(tmp_path / folder, [{**page(), **changes}], name)
    assert load_pages(annotation, None).samples[0].language == language


@pytest.mark.parametrize("split", ["dev", "test", "zh"])
def test_bundled_splits_load_without_a_complaint(split: str) -> None:
    data = load_pages(BUNDLED / f"{split}.json", BUNDLED)
    assert not data.problems
    assert not data.warnings
    assert all(sample.problem is None for sample in data.samples)
    assert {sample.language for sample in data.samples} == {"zh" if split == "zh" else "en"}
