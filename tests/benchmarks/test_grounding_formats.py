"""Annotations of every grounding format to samples, and what is asked about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from screenmark.answers import profiles
from screenmark.benchmarks import benchmark_class
from screenmark.benchmarks.element_grounding import MMBenchL2
from screenmark.benchmarks.element_grounding.prompt import template
from screenmark.errors import DataError
from screenmark.types import Image, ImageLimits, Text
from tests.support import screens
from tests.support.screens import L2, OSWORLD, PRO, SPOT

FORMATS: dict[str, dict[str, Any]] = {
    "mmbench-gui-l2": L2,
    "screenspot": SPOT,
    "screenspot-v2": SPOT,
    "screenspot-pro": PRO,
    "osworld-g": OSWORLD,
}


def load(benchmark: str, folder: Path, *items: Any, **options: Any) -> Any:
    for name in ("home.png", "cad/home.png"):
        screens.image(folder / "images" / name)
    kind = benchmark_class(benchmark)
    path = screens.write(folder / options.pop("name", "items.json"), list(items))
    return kind(kind.options_type(annotation=path, **options)).load()


def one(benchmark: str, folder: Path, item: Any, **options: Any) -> Any:
    (sample,) = load(benchmark, folder, item, **options).samples
    return sample


class TestTargets:
    @pytest.mark.parametrize(
        ("benchmark", "item", "shape"),
        [
            pytest.param("mmbench-gui-l2", L2, (0.1, 0.2, 0.3, 0.6), id="L2"),
            pytest.param(
                "mmbench-gui-l2", {**L2, "bbox": [20, 20, 60, 60]}, (0.1, 0.2, 0.3, 0.6),
                id="L2 in pixels",
            ),
            pytest.param(
                "mmbench-gui-l2", {**L2, "bbox": [-1, 0.2, 0.3, 0.6]}, (0, 0.2, 0.3, 0.6),
                id="L2, an edge marked by -1",
            ),
            pytest.param(
                "mmbench-gui-l2", {**L2, "bbox": [20, -1, 60, 60]}, (0.1, 0, 0.3, 0.6),
                id="L2, pixels and -1",
            ),
            pytest.param(
                "mmbench-gui-l2", {**L2, "bbox": [0.1, 0.2, 0.1, 0.6]}, (0.1, 0.2, 0.1, 0.6),
                id="L2, too thin for four digits",
            ),
            pytest.param("screenspot", SPOT, (0.1, 0.2, 0.3, 0.6), id="x y width height"),
            pytest.param("screenspot-pro", PRO, (0.1, 0.2, 0.3, 0.6), id="corners in pixels"),
            pytest.param("osworld-g", OSWORLD, (0.1, 0.2, 0.3, 0.6), id="OSWorld-G, box"),
            pytest.param(
                "osworld-g",
                {**OSWORLD, "box_type": "polygon", "box_coordinates": [0, 0, 200, 0, 0, 100]},
                (0, 0, 1, 0, 0, 1),
                id="OSWorld-G, polygon",
            ),
            pytest.param(
                "screenspot", {**SPOT, "bbox": [180, 20, 40, 40]}, (0.9, 0.2, 1.1, 0.6),
                id="over the edge",
            ),
        ],
    )  # fmt: skip
    def test_as_fractions(
        self, tmp_path: Path, benchmark: str, item: Any, shape: tuple[float, ...]
    ) -> None:
        sample = one(benchmark, tmp_path, item)
        assert sample.shapes == (pytest.approx(shape),)
        assert sample.target == "present"
        assert sample.instruction.lower() == "open the menu"

    @pytest.mark.parametrize(
        ("benchmark", "item"),
        [
            ("mmbench-gui-l2", {**L2, "target": "absent", "bbox": None}),
            ("osworld-g", {**OSWORLD, "box_type": "refusal", "box_coordinates": [-1, -1, -1, -1]}),
        ],
    )
    def test_absent(self, tmp_path: Path, benchmark: str, item: Any) -> None:
        sample = one(benchmark, tmp_path, item)
        assert (sample.target, sample.shapes) == ("absent", ())

    @pytest.mark.parametrize(
        ("benchmark", "changes", "message"),
        [
            ("mmbench-gui-l2", {"image_path": None}, "image_path: expected a text"),
            ("mmbench-gui-l2", {"instruction": ""}, "instruction: expected a text"),
            (
                "screenspot",
                {"bbox": [100, 100, 0, 0]},
                "bbox: [100.0, 100.0, 0.0, 0.0]: expected x",
            ),
            ("osworld-g", {"box_coordinates": [100, 100, 0, 0]}, "nothing can be hit without"),
            ("mmbench-gui-l2", {"language": "klingon"}, "language: expected a code"),
            ("mmbench-gui-l2", {"platform": 1}, "platform: expected a text"),
            ("mmbench-gui-l2", {"bbox": [1, 2, 3]}, "bbox: expected a list of 4 numbers"),
            ("mmbench-gui-l2", {"bbox": [0.1, "a", 0.3, 1]}, "bbox[1]: expected a number"),
            ("mmbench-gui-l2", {"bbox": [0.3, 0.2, 0.1, 0.6]}, "bbox: [0.3, 0.2, 0.1, 0.6] is no"),
            ("mmbench-gui-l2", {"bbox": [300, 0, 400, 50]}, "lies outside the image"),
            ("mmbench-gui-l2", {"data_type": "link"}, "data_type: expected one of icon, text"),
            ("mmbench-gui-l2", {"grounding_type": "x"}, "one of basic, advanced"),
            ("mmbench-gui-l2", {"target": "gone"}, "target: expected one of present, absent"),
            ("mmbench-gui-l2", {"bbox": [0.95, 0.2, 1.05, 0.6]}, "neither fractions within 0 to 1"),
            ("mmbench-gui-l2", {"bbox": [-0.1, 0.2, 0.3, 0.6]}, "neither fractions within 0 to 1"),
            ("screenspot", {"bbox": [0.1, 0.2, 0.3, 0.6]}, "bbox: [0.1, 0.2, 0.3, 0.6] look like"),
            ("screenspot-v2", {"bbox": [200, 20, 9, 9]}, "bbox: the target [200.0, 20.0, 209.0"),
            ("screenspot-pro", {"bbox": [0, 0.2, 1, 1]}, "look like fractions; expected pixels"),
            ("screenspot-pro", {"bbox": [-9, 20, -1, 60]}, "lies outside the image of 200x100"),
            ("osworld-g", {"box_coordinates": [0.1, 0.2, 0.3, 0.6]}, "box_coordinates: [0.1"),
            (
                "osworld-g",
                {"box_type": "polygon", "box_coordinates": [0, 0, 0.5, 0, 1, 1]},
                "look like fractions",
            ),
            ("screenspot", {"img_filename": None}, "img_filename: expected a text"),
            ("screenspot", {"data_source": None}, "data_source: expected a text"),
            ("screenspot", {"bbox": [20, 20, -5, 5]}, "bbox: [20.0, 20.0, -5.0, 5.0]: expected x"),
            ("screenspot-v2", {"data_type": 5}, "data_type: expected one of"),
            ("screenspot-pro", {"ui_type": "x"}, "ui_type: expected one of icon, text"),
            ("screenspot-pro", {"bbox": [60, 20, 20, 60]}, "bbox: [60.0, 20.0, 20.0, 60.0] is no"),
            ("osworld-g", {"box_type": "circle"}, "one of bbox, polygon, refusal"),
            ("osworld-g", {"box_coordinates": [20, 20, -1, 5]}, "box_coordinates: [20.0"),
            ("osworld-g", {"box_coordinates": [900, 0, 5, 5]}, "box_coordinates: the target"),
            (
                "osworld-g",
                {"box_type": "polygon", "box_coordinates": [1, 1, 2, 2]},
                "4 numbers; expected three corners",
            ),
            ("osworld-g", {"GUI_types": "Menu"}, "GUI_types: expected a list of texts"),
        ],
    )
    def test_a_bad_item_is_named_and_the_others_stay(
        self, tmp_path: Path, benchmark: str, changes: Any, message: str
    ) -> None:
        good = FORMATS[benchmark]
        dataset = load(benchmark, tmp_path, good, {**good, "instruction": "Another", **changes})
        assert len(dataset.samples) == 1
        (problem,) = map(str, dataset.problems)
        assert message in problem
        assert "items.json" in problem
        assert "item 1" in problem

    @pytest.mark.parametrize(
        ("benchmark", "changes"),
        [
            ("screenspot", {"bbox": [180, 20, 40, 40]}),
            ("screenspot-pro", {"bbox": [180, 20, 220, 60]}),
            ("mmbench-gui-l2", {"bbox": [180, 20, 220, 60]}),
            (
                "osworld-g",
                {"box_type": "polygon", "box_coordinates": [180, 20, 220, 20, 220, 60]},
            ),
        ],
    )
    def test_a_target_over_the_edge_is_kept_with_a_warning(
        self, tmp_path: Path, benchmark: str, changes: Any
    ) -> None:
        dataset = load(benchmark, tmp_path, {**FORMATS[benchmark], **changes})
        assert not dataset.problems
        (sample,) = dataset.samples
        assert max(sample.shapes[0]) == pytest.approx(1.1)
        (warning,) = dataset.warnings
        assert "items.json: item 0: bbox" in warning or "item 0: box_coordinates" in warning
        assert "[180.0, 20.0, 220.0, 60.0] (pixels) reaches outside the image of 200x100" in warning

    @pytest.mark.parametrize("benchmark", FORMATS)
    def test_a_target_at_the_edge_is_no_reason_to_warn(
        self, tmp_path: Path, benchmark: str
    ) -> None:
        whole = {"mmbench-gui-l2": [0, 0, 1, 1]}.get(benchmark, [0, 0, 200, 100])
        key = "box_coordinates" if benchmark == "osworld-g" else "bbox"
        assert not load(benchmark, tmp_path, {**FORMATS[benchmark], key: whole}).warnings


class TestIds:
    @pytest.mark.parametrize("benchmark", FORMATS)
    def test_of_the_content_and_not_of_the_place(self, tmp_path: Path, benchmark: str) -> None:
        item = FORMATS[benchmark]
        other = {**item, "instruction": "Close it", "index": 9}
        forth = [s.id for s in load(benchmark, tmp_path, item, other).samples]
        back = [s.id for s in load(benchmark, tmp_path, other, item).samples]
        assert forth == back[::-1]
        assert len(set(forth)) == 2

    @pytest.mark.parametrize("benchmark", FORMATS)
    def test_the_same_without_the_image(self, tmp_path: Path, benchmark: str) -> None:
        item = FORMATS[benchmark]
        key = "img_filename" if "img_filename" in item else "image_path"
        found = one(benchmark, tmp_path / "a", {**item, key: "new.png"} | {key: item[key]})
        lost = load(benchmark, tmp_path / "b", {**item, key: "other.png"}, item)
        assert found.id == lost.samples[1].id
        assert "image not found" in lost.samples[0].problem
        again = load(benchmark, tmp_path / "c", {**item, key: "other.png"}, item).samples[0]
        screens.image(tmp_path / "d" / "images" / "other.png")
        assert again.id == one(benchmark, tmp_path / "d", {**item, key: "other.png"}).id

    def test_an_item_that_stands_twice_is_asked_once(self, tmp_path: Path) -> None:
        dataset = load("mmbench-gui-l2", tmp_path, L2, {**L2, "index": 1})
        assert len(dataset.samples) == 1
        assert "the same question as an earlier item" in str(dataset.problems[0])
        both = load("mmbench-gui-l2", tmp_path, L2, {**L2, "grounding_type": "advanced"})
        assert len(both.samples) == 2


class TestGroups:
    @pytest.mark.parametrize(
        ("name", "source", "platform"),
        [
            ("screenspot_mobile.json", "android", "mobile"),
            ("screenspot_desktop.json", "macos", "desktop"),
            ("screenspot_web.json", "shop", "web"),
            ("mine.json", "ios", "mobile"),
            ("mine.json", "windows", "desktop"),
            ("mine.json", "gitlab", "web"),
        ],
    )
    def test_screenspot(self, tmp_path: Path, name: str, source: str, platform: str) -> None:
        sample = one("screenspot", tmp_path, {**SPOT, "data_source": source}, name=name)
        assert sample.groups["platform"] == platform
        assert sample.groups["data_source"] == source

    def test_screenspot_pro(self, tmp_path: Path) -> None:
        sample = one("screenspot-pro", tmp_path, PRO)
        assert sample.groups == {
            "group": "CAD", "application": "cad", "platform": "windows", "data_type": "icon",
        }  # fmt: skip
        chinese = one("screenspot-pro", tmp_path, PRO, language="zh")
        assert (chinese.instruction, chinese.language) == ("打开菜单", "zh")
        assert chinese.id != sample.id

    def test_osworld_g(self, tmp_path: Path) -> None:
        assert one("osworld-g", tmp_path, OSWORLD).groups == {
            "box_type": "bbox", "gui_type": "Menu",
        }  # fmt: skip

    @pytest.mark.parametrize("mode", ["basic", "advanced"])
    def test_modes_of_l2(self, tmp_path: Path, mode: str) -> None:
        items = [L2, {**L2, "grounding_type": "advanced"}]
        (sample,) = load("mmbench-gui-l2", tmp_path, *items, mode=mode).samples
        assert sample.groups["grounding_type"] == mode
        only = {**L2, "grounding_type": "basic" if mode == "advanced" else "advanced"}
        with pytest.raises(DataError, match="no item is left under these options"):
            load("mmbench-gui-l2", tmp_path, only, mode=mode)


@pytest.mark.parametrize("split", MMBenchL2.info.splits)
def test_the_bundled_items(split: str) -> None:
    dataset = MMBenchL2(MMBenchL2.options_type(split=split)).load()  # type: ignore[arg-type]
    assert len(dataset.samples) == MMBenchL2.info.splits[split]
    assert not dataset.problems
    assert not dataset.warnings
    assert all(sample.problem is None for sample in dataset.samples)
    assert {sample.target for sample in dataset.samples} == {"present", "absent"}
    for sample in dataset.samples:
        assert len(sample.shapes) == (sample.target == "present")
        assert all(0 <= number <= 1 for shape in sample.shapes for number in shape)


class TestPrompt:
    def asked(self, sample: Any, profile: str | None = None, **options: Any) -> str:
        limits = options.pop("limits", None)
        benchmark = MMBenchL2(MMBenchL2.options_type(profile=profile, **options))  # type: ignore[arg-type]
        benchmark.settle_profile(None, "some-model")
        benchmark.settle_image_limits(limits)
        (message,) = benchmark.build_prompt(sample)
        image, text = message.parts
        assert image == Image(sample.file)
        assert isinstance(text, Text)
        return text.text

    @pytest.mark.parametrize(
        ("profile", "language", "words", "size"),
        [
            (None, "en", "(x, y) in pixels of the screenshot", True),
            ("unit", "en", "from 0 to 1", False),
            ("permille", "en", "0 to 1000", False),
            ("percent", "en", "0 to 100,", False),
            ("pixel", "zh", "单位为截图的像素", True),
            ("permille", "zh", "归一化到 0 到 1000", False),
            ("ui-tars-1.5", "en", "one point as (x, y), and nothing else", False),
            ("qwen2.5-vl", "en", "box as [x1, y1, x2, y2], and nothing else", False),
            ("gta1", "en", "one point as (x, y), and nothing else", True),
            ("gpt", "en", "fractions of its width and height", False),
            ("gemini", "en", '{"box_2d": [y1, x1, y2, x2]} normalised to 0-1000', False),
            ("aguvis", "zh", "click(x=…, y=…)", False),
        ],
    )
    def test_form_space_and_size(
        self, tmp_path: Path, profile: str | None, language: str, words: str, size: bool
    ) -> None:
        sample = one("mmbench-gui-l2", tmp_path, {**L2, "language": language})
        text = self.asked(sample, profile)
        assert "Open the menu" in text
        assert words in text
        assert ("200" in text) == size
        assert "{width}" not in text

    @pytest.mark.parametrize("language", ["en", "zh"])
    @pytest.mark.parametrize("profile", profiles())
    def test_every_profile_leaves_no_gap(self, profile: str, language: str) -> None:
        known = profiles()[profile]
        text = template(language, known, offers_absence=True)
        assert text.count("{instruction}") == 1
        assert ("{width}" in text) == known.sizes
        for gap in ("{space}", "{form}", "{absence}", "{size}"):
            assert gap not in text
        assert ("not on screen" in text) == (language == "en")
        assert "屏幕上" not in template(language, known, offers_absence=False)

    def test_absence_is_offered_with_every_item_or_with_none(self, tmp_path: Path) -> None:
        absent = {**L2, "instruction": "Open the bin", "target": "absent"}
        for items, offered in (([L2], False), ([L2, absent], True)):
            for sample in load("mmbench-gui-l2", tmp_path, *items).samples:
                assert ("not on screen" in self.asked(sample)) == offered

    def test_the_size_is_that_of_the_image_as_it_is_sent(self, tmp_path: Path) -> None:
        sample = one("mmbench-gui-l2", tmp_path, L2)
        text = self.asked(sample, limits=ImageLimits(max_pixels=5000))
        assert "100 pixels wide and 50 pixels high" in text

    def test_ones_own(self, tmp_path: Path) -> None:
        file = tmp_path / "prompt.txt"
        file.write_text("{width}x{height} {instruction} {x}", encoding="utf-8")
        sample = one("mmbench-gui-l2", tmp_path, {**L2, "instruction": "Press {width}"})
        assert self.asked(sample, prompt=file) == "200x100 Press {width} {x}"
        file.write_text("Click!", encoding="utf-8")
        with pytest.raises(DataError, match=r"expected \{instruction\}"):
            self.asked(sample, prompt=file)

    def test_rows_for_builders_of_mmbench_gui(self, tmp_path: Path) -> None:
        line = MMBenchL2.line_of(one("mmbench-gui-l2", tmp_path, L2))
        assert line["bbox"] == L2["bbox"]
        assert line["image_path"] == "os_web/home.png"
        assert {key: line[key] for key in ("instruction", "data_type", "grounding_type")} == {
            "instruction": "Open the menu", "data_type": "icon", "grounding_type": "basic",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("option", "only", "model", "name", "source"),
    [
        (None, None, "Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl", "model"),
        (None, None, "nobody-knows", "pixel", "default"),
        (None, None, None, "pixel", "default"),
        (None, "pixel", "ocr", "pixel", "only"),
        ("permille", None, "Qwen/Qwen2.5-VL-7B-Instruct", "permille", "option"),
    ],
)
def test_the_profile_and_how_it_was_chosen(
    option: str | None, only: str | None, model: str | None, name: str, source: str
) -> None:
    benchmark = MMBenchL2(MMBenchL2.options_type(profile=option))  # type: ignore[arg-type]
    benchmark.settle_profile(only, model)
    assert (benchmark.profile, benchmark.profile_source) == (name, source)
    results = benchmark.summarise([])
    assert results["profile"]["chosen_by"] == source
    assert results["profile"]["name"] == name
