"""The bundled pages of `gui-hallubench` are complete, consistent and properly licensed."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

import pytest
from PIL import Image

DATA = Path(str(files("screenmark"))) / "benchmarks" / "bundled_pages"
COMPAT = Path(__file__).resolve().parents[2] / "compat" / "gui_hallubench"
SPLITS = ("dev", "test", "zh")
PLATFORMS = {"mobile": (390, 844), "tablet": (820, 1180), "desktop": (1280, 800)}
TYPES = {
    "link", "button", "input", "textarea", "select", "checkbox", "radio", "slider",
    "text", "heading", "icon", "image", "chart",
}  # fmt: skip

ANNOTATIONS = {
    "dev": (DATA / "dev.json", DATA),
    "test": (DATA / "test.json", DATA),
    "zh": (DATA / "zh.json", DATA),
    "compat-en": (COMPAT / "data/annotation/en/ui_elements_en.json", COMPAT),
    "compat-zh": (COMPAT / "data/annotation/zh/ui_elements_zh.json", COMPAT),
}


def reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not strict JSON")


@cache
def load(name: str) -> list[dict[str, Any]]:
    text = ANNOTATIONS[name][0].read_text(encoding="utf-8")
    pages: list[dict[str, Any]] = json.loads(text, parse_constant=reject_constant)
    return pages


def is_cjk(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.fixture(params=ANNOTATIONS)
def annotation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    ("name", "count"),
    [("dev", 20), ("test", 20), ("zh", 10), ("compat-en", 5), ("compat-zh", 3)],
)
def test_number_of_pages(name: str, count: int) -> None:
    assert len(load(name)) == count


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("dev", {"mobile": 5, "tablet": 7, "desktop": 8}),
        # The templates of `test` have a single page at tablet size.
        ("test", {"mobile": 7, "tablet": 1, "desktop": 12}),
        ("zh", {"mobile": 4, "tablet": 2, "desktop": 4}),
    ],
    ids=SPLITS,
)
def test_every_split_has_three_form_factors(name: str, counts: dict[str, int]) -> None:
    assert Counter(page["platform"] for page in load(name)) == counts


def test_one_page_a_line_in_readable_utf8(annotation: str) -> None:
    lines = ANNOTATIONS[annotation][0].read_text(encoding="utf-8").splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("[", "]", len(load(annotation)) + 2)
    assert not any("\\u" in line for line in lines)


def test_page_keys(annotation: str) -> None:
    for page in load(annotation):
        assert set(page) == {
            "image_path", "language", "platform", "width", "height", "source", "elements",
        }  # fmt: skip
        assert set(page["source"]) == {"package", "version", "path", "licence"}
        assert all(isinstance(value, str) and value for value in page["source"].values())
        assert page["language"] == ("zh" if annotation.endswith("zh") else "en")
        assert (page["width"], page["height"]) == PLATFORMS[page["platform"]]


def test_images_exist_with_the_declared_size(annotation: str) -> None:
    root = ANNOTATIONS[annotation][1]
    for page in load(annotation):
        with Image.open(root / page["image_path"]) as image:
            assert image.format == "PNG"
            assert image.size == (page["width"], page["height"])
            image.load()


@pytest.mark.parametrize("names", [SPLITS, ("compat-en",), ("compat-zh",)], ids="-".join)
def test_image_paths_are_unique_and_portable(names: tuple[str, ...]) -> None:
    paths = [page["image_path"] for name in names for page in load(name)]
    assert len({path.casefold() for path in paths}) == len(paths)
    for path in paths:
        assert not Path(path).is_absolute()
        assert not set(path) & set('\\:*?"<>|')
        assert ".." not in Path(path).parts


def test_no_image_is_left_over() -> None:
    named = {DATA / page["image_path"] for name in SPLITS for page in load(name)}
    assert set((DATA / "images").iterdir()) == named


def test_elements_have_the_seed_format(annotation: str) -> None:
    for page in load(annotation):
        assert [element["index"] for element in page["elements"]] == [
            *range(len(page["elements"]))
        ], page["image_path"]
        for element in page["elements"]:
            assert list(element) == ["type", "index", "description", "coordinates"]
            assert element["type"] in TYPES
            assert isinstance(element["description"], str)


def test_boxes_lie_inside_the_image_and_have_area(annotation: str) -> None:
    for page in load(annotation):
        for element in page["elements"]:
            box = element["coordinates"]
            assert all(type(value) is int for value in box), (page["image_path"], element)
            x1, y1, x2, y2 = box
            assert 0 <= x1 < x2 <= page["width"], (page["image_path"], element)
            assert 0 <= y1 < y2 <= page["height"], (page["image_path"], element)


def test_pages_have_enough_elements(annotation: str) -> None:
    assert all(len(page["elements"]) >= 10 for page in load(annotation))


def test_splits_share_no_template() -> None:
    templates = {name: {page["source"]["package"] for page in load(name)} for name in SPLITS}
    assert templates == {
        "dev": {"admin-lte", "startbootstrap-sb-admin"},
        "test": {"stisla", "soft-ui-dashboard"},
        "zh": {"screenmark-chinese-pages"},
    }


def test_pages_within_a_split_are_distinct() -> None:
    sources = [
        (page["source"]["package"], page["source"]["path"], page["platform"])
        for name in SPLITS
        for page in load(name)
    ]
    assert len(set(sources)) == len(sources)


def test_chinese_pages_are_in_chinese() -> None:
    for page in load("zh"):
        chinese = [e for e in page["elements"] if any(map(is_cjk, e["description"]))]
        assert len(chinese) >= 10, page["image_path"]
        assert len(chinese) >= 0.5 * len(page["elements"]), page["image_path"]


@pytest.mark.parametrize("name", ["dev", "test"])
def test_english_pages_hold_no_chinese(name: str) -> None:
    text = "".join(e["description"] for page in load(name) for e in page["elements"])
    assert not any(map(is_cjk, text))


def test_every_source_has_its_licence_and_its_line_in_the_notice() -> None:
    notice = (DATA / "NOTICE.md").read_text(encoding="utf-8")
    counts = Counter(
        (name, page["source"]["package"], page["source"]["version"])
        for name in SPLITS
        for page in load(name)
    )
    for (name, package, version), count in counts.items():
        assert (DATA / "LICENCES" / f"{package}.txt").read_text(encoding="utf-8").strip()
        assert f"| {name} | {package} | {version} | {count} |" in notice


@pytest.mark.parametrize(
    "words", ["Font Awesome Free 5.15.4", "CC BY 4.0", "SIL Open Font License", "flat grey"]
)
def test_notice_names_third_party_content_and_changes(words: str) -> None:
    assert words in " ".join((DATA / "NOTICE.md").read_text(encoding="utf-8").split())


def test_size_budgets() -> None:
    assert folder_bytes(DATA) <= 4_000_000
    assert folder_bytes(COMPAT / "data") <= 700_000


@pytest.mark.parametrize(("sample", "split"), [("compat-en", "test"), ("compat-zh", "zh")])
def test_compat_sample_repeats_bundled_pages(sample: str, split: str) -> None:
    bundled = {Path(page["image_path"]).name: page for page in load(split)}
    for page in load(sample):
        original = bundled[Path(page["image_path"]).name]
        assert page == original | {"image_path": page["image_path"]}
        assert (COMPAT / page["image_path"]).read_bytes() == (
            DATA / original["image_path"]
        ).read_bytes()
