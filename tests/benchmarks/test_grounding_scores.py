"""Points against targets, strict and compat, and what a run of them comes to."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import screenmark
from screenmark.benchmarks.element_grounding import (
    MMBenchL2,
    OSWorldG,
    ScreenSpot,
    ScreenSpotPro,
    ScreenSpotV2,
)
from screenmark.benchmarks.element_grounding.baselines import blind_scores
from screenmark.benchmarks.element_grounding.benchmark import GroundingOptions
from screenmark.benchmarks.element_grounding.mmbench_l2 import L2Options
from screenmark.benchmarks.element_grounding.osworld_g import OSWorldGOptions
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.benchmarks.element_grounding.scoring import compat_point
from screenmark.benchmarks.element_grounding.screenspot import ProOptions
from screenmark.benchmarks.element_grounding.summary import public_scores
from screenmark.errors import UsageError
from screenmark.jsonfile import dump_json
from screenmark.metrics.points import point_in_shape
from screenmark.types import Reply, SentImage
from tests.support import screens
from tests.support.commands import command
from tests.support.screens import answered

BOX = (0.1, 0.2, 0.3, 0.6)


def sample(id: str = "q", **changes: Any) -> GroundingSample:
    groups = {
        "grounding_type": changes.pop("grounding_type", "basic"),
        "platform": changes.pop("platform", "os_web"),
        "data_type": changes.pop("data_type", "icon"),
    }
    fields: dict[str, Any] = {
        "index": 0,
        "image_path": "home.png",
        "file": "/data/home.png",
        "width": 1000,
        "height": 500,
        "instruction": "Open the menu",
        "shapes": (BOX,),
        "groups": groups,
        **changes,
    }
    return GroundingSample(id=id, **fields)


def absent(id: str = "gone", **changes: Any) -> GroundingSample:
    return sample(id, target="absent", shapes=(), **changes)


def make(profile: str = "pixel", **options: Any) -> MMBenchL2:
    benchmark = MMBenchL2(L2Options(profile=profile, **options))
    benchmark.settle_profile(None, None)
    return benchmark


def summary(
    samples: list[GroundingSample], replies: list[str | None], benchmark: Any = None
) -> dict[str, Any]:
    benchmark = benchmark or make()
    results: dict[str, Any] = benchmark.summarise(answered(benchmark, samples, replies))
    dump_json(results)  # strict JSON: neither NaN nor infinity
    return results


def made(results: dict[str, Any]) -> dict[str, Any]:
    """Results with what the engine adds to them."""
    count = len(results["per_sample"])
    about = {"benchmark": "b", "model": "m", "scoring": "strict", "complete": True}
    return {**results, **about, "num_samples": count, "outcomes": {"ok": count}}


class TestHits:
    @pytest.mark.parametrize(
        ("reply", "hit"),
        [
            ("(100, 100)", 1),
            ("(300, 300)", 1),
            ("(301, 300)", 0),
            ("(100, 99)", 0),
            ("[[100, 100, 300, 300]]", 1),
            ("[[0, 0, 300, 300]]", 1),
            ("[[0, 0, 150, 150]]", 0),
            ("no numbers", 0),
            ("", 0),
        ],
    )
    def test_edges_count_and_boxes_count_by_their_middle(self, reply: str, hit: int) -> None:
        (record,) = answered(make(), [sample()], [reply])
        assert record.score["hit"] == hit

    def test_distance_is_in_target_sizes(self) -> None:
        (record,) = answered(make(), [sample()], ["(400, 200)"])
        assert record.score["distance"] == pytest.approx(1.0)
        assert record.score["point"] == pytest.approx([0.4, 0.4])
        assert record.score["inside"] is True
        (outside,) = answered(make(), [sample()], ["(1400, 200)"])
        assert outside.score["inside"] is False

    def test_a_polygon_is_not_its_box(self) -> None:
        triangle = sample(shapes=((0.0, 0.0, 1.0, 0.0, 0.0, 1.0),))
        inside, outside = answered(make(), [triangle] * 2, ["(200, 100)", "(900, 450)"])
        assert (inside.score["hit"], outside.score["hit"]) == (1, 0)

    @pytest.mark.parametrize(
        ("reply", "hit", "outcome"),
        [
            ("not on screen", 1, "refused"),
            ("(100, 100)", 0, "ok"),
            ("blue", 0, "unparseable"),
            ("I'm sorry, but I can't help with that.", 0, "refused"),
            ("", 0, "empty"),
        ],
    )
    def test_absent_targets(self, reply: str, hit: int, outcome: str) -> None:
        (record,) = answered(make(), [absent()], [reply])
        assert (record.score["hit"], record.outcome.value) == (hit, outcome)
        assert record.score["distance"] is None

    def test_a_declined_target_that_is_there_is_a_miss(self) -> None:
        (record,) = answered(make(), [sample()], ["not on screen"])
        assert (record.score["hit"], record.score["point"]) == (0, None)

    def test_an_image_that_was_scaled_before_it_was_sent(self) -> None:
        seen = SentImage("", "image/png", 1, 100, 50, original_width=1000, original_height=500)
        (record,) = answered(make(), [sample()], [Reply("(20, 20)", images=(seen,))])
        assert record.score["point"] == pytest.approx([0.2, 0.4])


PAIRS = [
    ("(0.5, 0.3)", (0.5, 0.3)),
    ("x=0.5, y=0.3", (0.5, 0.3)),
    ("[500, 300]", (500, 300)),
    ("<point>500 300</point>", (500, 300)),
    ("click(start_box='(197,525)')", (197, 525)),
    ("pyautogui.click(x=0.41, y=0.18)", (0.41, 0.18)),
    ('"coordinate":[640,360]', (640, 360)),
    ("100 200", (100, 200)),
    ("100;200", (100, 200)),
    ("[[10,20,30,40]]", (10, 20)),
    ("<box>(10,20),(30,40)</box>", (10, 20)),
    ('"bbox_2d":[1,2,3,4]', (1, 2)),
    ('{"x": 100, "y": 200}', None),
    ("x: 12 and y: 34", None),
    ("50%, 20%", None),
    ("10/20", None),
    ('<point x="61.5" y="40.2" alt="b">b</point>', None),
    ("In step 1, 2 options: click (30, 40)", (1, 2)),
    ("In the 1920, 1080 screenshot click (960, 540)", (1920, 1080)),
    ("1,234, 567", (1, 234)),
    ("x1=10, y1=20", (10, 1)),
    ("-5, 10", (-5, 10)),
    (".5, .25", (0.5, 0.25)),
    ("5-3, 4", (-3, 4)),
    ("1.5.7, 3", (5.7, 3)),
    ("not on screen", None),
    ("Failed to obtain answer via API.", None),
    ("drag(start_box='(10,20)', end_box='(30,40)')", (10, 20)),
    ("[-1,-1]", (-1, -1)),
]


class TestCompat:
    @pytest.mark.parametrize(("text", "pair"), PAIRS, ids=[text[:30] for text, _ in PAIRS])
    def test_the_first_pair(self, text: str, pair: tuple[float, float] | None) -> None:
        answer = compat_point(text, sample(width=0, height=0))
        assert answer.value == (None if pair is None else list(pair))

    @pytest.mark.parametrize(
        ("text", "point"),
        [
            ("(1, 1)", (1, 1)),
            ("(0.5, 700)", (0.0005, 1.4)),
            ("(235,512)", (0.235, 1.024)),
            ("(500, 0.5)", (0.5, 0.001)),
            ("(-5, 1)", (-5, 1)),
        ],
    )
    def test_above_1_both_are_pixels(self, text: str, point: tuple[float, float]) -> None:
        assert compat_point(text, sample()).value == pytest.approx(list(point))

    @pytest.mark.parametrize(
        ("box", "reply", "hit"),
        [
            pytest.param((0.1, 0.2, 0.3, 0.6), "(0.2, 0.4)", 1, id="fractions"),
            pytest.param((100, 100, 300, 300), "(200, 200)", 1, id="pixels"),
            pytest.param((-1, 0.2, 0.3, 0.6), "(0.2, 0.4)", 0, id="-1 makes pixels of fractions"),
            pytest.param((-1, 0.2, 0.3, 0.6), "(0.0001, 0.0005)", 1, id="and so it is hit here"),
        ],
    )
    def test_boxes_as_the_public_implementation_reads_them(
        self, box: tuple[float, ...], reply: str, hit: int
    ) -> None:
        target = sample(annotated_box=box)
        (record,) = answered(make(scoring="compat"), [target], [reply])
        assert record.score["hit"] == hit

    @pytest.mark.parametrize("piece", ["9", " ", "9 ", "y ", "9 y ", "(", "1.", ".9", "9,", "+"])
    def test_a_megabyte(self, piece: str) -> None:
        """What takes time quadratic in the text never comes to an end here."""
        compat_point(piece * (1_000_000 // len(piece)), sample())

    @given(st.text(alphabet="0123456789.,;-+xy=: ([<%/", max_size=40))
    def test_any_text_gives_two_numbers_or_none(self, text: str) -> None:
        value = compat_point(text, sample()).value
        assert value is None or len(value) == 2

    @pytest.mark.parametrize("kind", [ScreenSpot, ScreenSpotV2, ScreenSpotPro, OSWorldG])
    def test_only_where_there_is_a_public_scorer(self, kind: Any) -> None:
        with pytest.raises(UsageError, match="no public scorer"):
            kind(kind.options_type(scoring="compat"))


def six() -> list[GroundingSample]:
    """The public aggregation vector: icon and text with a hit, a miss, a bad format, twice."""
    return [
        sample(f"{level}{kind}{n}", grounding_type=level, data_type=kind)
        for level in ("basic", "advanced")
        for kind in ("icon", "text")
        for n in range(3)
    ]


class TestSummary:
    @pytest.mark.parametrize("scoring", ["strict", "compat"])
    def test_the_public_test_vector(self, scoring: Any) -> None:
        replies: list[str | None] = ["(200, 200)", "(900, 400)", "nothing"] * 4
        results = summary(six(), replies, make(scoring=scoring))
        layout = public_scores(results)
        assert list(layout) == [
            "Basic accuracy", "Advanced accuracy", "Average accuracy", "basic", "advanced",
        ]  # fmt: skip
        for key in ("Basic accuracy", "Advanced accuracy", "Average accuracy"):
            assert round(layout[key], 6) == 33.333333
        cell = layout["basic"]["os_web"]
        assert {key: cell[key] for key in ("Total num", "Icon num", "Text num")} == {
            "Total num": 6, "Icon num": 3, "Text num": 3,
        }  # fmt: skip
        assert (cell["Correct num"], cell["Wrong num"], cell["Error format num"]) == (2, 2, 2)
        for key in ("Total accuracy", "Icon accuracy", "Text accuracy"):
            assert round(cell[key], 6) == 33.333333

    def test_the_average_is_of_the_two_and_not_of_the_samples(self) -> None:
        samples = [sample("1"), sample("2"), sample("3"), sample("4", grounding_type="advanced")]
        layout = public_scores(summary(samples, [*["(200, 200)"] * 3, "(0, 0)"]))
        assert (layout["Basic accuracy"], layout["Advanced accuracy"]) == (100, 0)
        assert layout["Average accuracy"] == 50

    @pytest.mark.parametrize("level", ["basic", "advanced"])
    def test_one_mode_alone_and_a_platform_without_texts(self, level: str) -> None:
        results = summary([sample(grounding_type=level)], ["(200, 200)"])
        other = "advanced" if level == "basic" else "basic"
        assert results[other] is None
        assert results["average"] == 1
        layout = public_scores(results)
        assert f"{other.capitalize()} accuracy" not in layout
        assert layout["Average accuracy"] == 100
        cell = layout[level]["os_web"]
        assert (cell["Text num"], cell["Text accuracy"]) == (0, None)

    def test_by_hand(self) -> None:
        samples = [
            sample("1", image_path="a"),
            sample("2", image_path="a", data_type="text"),
            sample("3", image_path="b", grounding_type="advanced", shapes=((0, 0, 0.01, 0.01),)),
            sample("4", image_path="b", platform="os_ios"),
            sample("5", image_path="b", platform="os_ios"),
            absent("6"),
            absent("7"),
            absent("8"),
        ]
        replies: list[str | None] = [
            "(200, 200)", "(400, 200)", "not on screen", None, "blue",
            "not on screen", "(1, 1)", "blue",
        ]  # fmt: skip
        results = summary(samples, replies)
        assert results["accuracy"] == pytest.approx(1 / 5)
        assert results["accuracy_all"] == pytest.approx(2 / 8)
        assert results["headline"]["value"] == results["accuracy"]
        present = results["present"]
        assert (present["num_hits"], present["format_errors"]) == (1, 1)
        assert (present["refused"], present["failures"]) == (1, 1)
        assert present["median_distance"] == pytest.approx(0.5), "of 0 and 1"
        assert results["answered_only"]["num_samples"] == 2
        assert results["basic"]["num_samples"] == 4
        assert results["basic"]["by_platform"]["os_web"]["accuracy"] == 0.5
        assert results["basic"]["by_platform"]["os_web"]["by_data_type"]["text"]["accuracy"] == 0
        assert results["average"] == pytest.approx((1 / 4 + 0) / 2)
        # Cells: web basic icon 1, web basic text 0, web advanced icon 0, ios basic icon 0.
        assert results["accuracy_macro"] == pytest.approx(1 / 4)
        assert results["by_group"]["target_size"]["tiny"]["num_samples"] == 1
        assert results["by_group"]["target_size"]["large"]["num_samples"] == 4
        assert results["by_group"]["platform"]["os_ios"]["accuracy"] == 0
        gone = results["absent"]
        assert (gone["num_samples"], gone["rejected"], gone["clicked"]) == (3, 1, 1)
        assert gone["rejection_rate"] == pytest.approx(1 / 3)
        assert gone["hallucination_rate"] == pytest.approx(1 / 3)
        assert gone["false_rejections"] == 1
        assert [row["hit"] for row in results["per_sample"]] == [1, 0, 0, 0, 0, 1, 0, 0]

    def test_a_run_without_a_single_hit_is_not_certain(self) -> None:
        samples = [sample(str(n), image_path=str(n)) for n in range(4)]
        head = summary(samples, ["(0, 0)"] * 4)["headline"]
        assert (head["value"], head["low"]) == (0, 0)
        assert head["high"] > 0.4

    def test_osworld_g_counts_absent_targets_in(self) -> None:
        benchmark = OSWorldG(OSWorldGOptions(profile="pixel"))
        benchmark.settle_profile(None, None)
        results = summary([sample("1"), absent("2")], ["(0, 0)", "not on screen"], benchmark)
        assert results["headline"]["metric"] == "accuracy_all"
        assert results["headline"]["value"] == 0.5
        assert results["accuracy"] == 0
        table = OSWorldG.tables(made(results))[0]
        names = ["all, on screen or not", "on screen", "not on screen"]
        assert [row[:3] for row in table.rows] == [
            (name, count, value)
            for name, count, value in zip(names, (2, 1, 1), (0.5, 0, 1), strict=True)
        ]
        head = results["headline"]
        assert table.rows[0][3:5] == (head["low"], head["high"])

    def test_screenspot_has_a_table_by_platform_and_kind(self) -> None:
        benchmark = ScreenSpotV2(GroundingOptions(profile="pixel"))
        benchmark.settle_profile(None, None)
        kinds = [("web", "icon"), ("web", "text"), ("mobile", "icon")]
        samples = [
            sample(str(n), groups={"platform": platform, "data_type": kind})
            for n, (platform, kind) in enumerate(kinds)
        ]
        results = summary(samples, ["(200, 200)", "(0, 0)", "(0, 0)"], benchmark)
        (table,) = (
            t for t in ScreenSpotV2.tables(made(results)) if t.title == "By platform and target"
        )
        assert table.columns == ("platform", "all %", "all icon %", "all text %")
        assert table.rows == (("mobile", 0, 0, None), ("web", 0.5, 1, 0))

    def test_screenspot_pro_has_its_table_by_group_and_kind(self) -> None:
        benchmark = ScreenSpotPro(ProOptions(profile="pixel"))
        benchmark.settle_profile(None, None)
        cells = [("CAD", "icon"), ("CAD", "text"), ("Office", "text")]
        samples = [
            sample(str(n), groups={"platform": "windows", "group": group, "data_type": kind})
            for n, (group, kind) in enumerate(cells)
        ]
        results = summary(samples, ["(0, 0)", "(200, 200)", "(200, 200)"], benchmark)
        tables = {t.title: t for t in ScreenSpotPro.tables(made(results))}
        assert "By platform and target" not in tables
        table = tables["By group and target"]
        assert table.columns == ("group", "all %", "all icon %", "all text %")
        assert table.rows == (("CAD", 0.5, 0, 1), ("Office", 1, None, 1))

    def test_a_function_of_the_users_own_is_named_in_place_of_a_profile(self) -> None:
        results = summary([sample()], ["(200, 200)"], make(parse_function="mine.read"))
        title = MMBenchL2.tables(made(results))[0].title
        assert "read by mine.read" in title
        assert "profile" not in title

    @pytest.mark.parametrize(
        "samples",
        [
            pytest.param([], id="nothing"),
            pytest.param([absent()], id="only absent"),
            pytest.param([sample(width=0, height=0, file="", shapes=())], id="no image"),
            pytest.param([sample(groups={})], id="no groups"),
        ],
    )
    def test_what_is_empty_is_null_and_never_a_division_by_zero(
        self, samples: list[GroundingSample]
    ) -> None:
        results = summary(samples, [None] * len(samples))
        assert results["accuracy"] in {None, 0}
        public_scores(results)
        results |= {"benchmark": "x", "model": "m", "outcomes": {}, "complete": True}
        results |= {"scoring": "strict", "num_samples": len(samples)}
        assert MMBenchL2.tables(results)


class TestBlind:
    def test_against_brute_force(self) -> None:
        rng = random.Random(3)
        samples = [absent("a1"), absent("a2")]
        for n in range(40):
            x, y = rng.uniform(0, 0.8), rng.uniform(0, 0.8)
            box = (x, y, x + rng.uniform(0.02, 0.2), y + rng.uniform(0.02, 0.2))
            samples.append(sample(str(n), shapes=(box,)))
        boxes = [one.shapes[0] for one in samples if one.shapes]
        scores = blind_scores(samples)
        middle = sum(point_in_shape((0.5, 0.5), box) for box in boxes)
        assert scores["center"]["accuracy"] == middle / 40
        assert scores["center"]["accuracy_all"] == middle / 42
        area = sum((b[2] - b[0]) * (b[3] - b[1]) for b in boxes)
        assert scores["random"]["accuracy"] == pytest.approx(area / 40)
        spots = [((i + 0.5) / 200, (j + 0.5) / 200) for i in range(200) for j in range(200)]
        most = max(sum(point_in_shape(spot, box) for box in boxes) for spot in spots)
        assert scores["best_point"]["accuracy"] == most / 40
        assert scores["always_absent"]["accuracy"] == 0
        assert scores["always_absent"]["accuracy_all"] == 2 / 42

    def test_the_best_point_is_one_for_each_shape_of_image(self) -> None:
        wide = [sample(str(n), shapes=((0.1, 0.1, 0.2, 0.2),)) for n in range(3)]
        high = [
            sample(f"h{n}", width=500, height=1000, shapes=((0.7, 0.7, 0.8, 0.8),)) for n in (1, 2)
        ]
        assert blind_scores([*wide, *high])["best_point"]["accuracy"] == 1

    def test_a_polygon_is_not_hit_in_its_boxs_empty_corner(self) -> None:
        triangles = ((0.0, 0.0, 0.1, 0.0, 0.0, 0.1), (0.1, 0.1, 0.1, 0.0, 0.0, 0.1))
        samples = [sample(str(n), shapes=(shape,)) for n, shape in enumerate(triangles)]
        scores = blind_scores(samples)
        assert scores["random"]["accuracy"] == pytest.approx(0.005)
        assert scores["best_point"]["accuracy"] == 0.5, "the two do not overlap"

    def test_the_bundled_items_give_little_away(self) -> None:
        scores = blind_scores(list(make().load().samples))
        assert all(part["accuracy"] < 0.1 for part in scores.values())


def test_a_run_its_tables_and_pictures(in_tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    screens.image(in_tmp / "images" / "home.png")
    items = [
        screens.L2,
        {**screens.L2, "instruction": "Close it", "grounding_type": "advanced"},
        {**screens.L2, "instruction": "Empty the bin", "target": "absent"},
    ]
    annotation = screens.write(in_tmp / "l2.json", items)
    asked = MMBenchL2(L2Options(annotation=annotation)).load().samples
    replies = [{"id": s.id, "reply": "[40, 40]"} for s in asked]
    screens.write(in_tmp / "qwen2-vl-7b.json", replies)
    done = command("run", "mmbench-gui-l2", "--annotation", annotation, "--predictions",
                   "qwen2-vl-7b.json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "profile qwen2-vl (by the model's name)" in done.stdout
    assert "clicked nevertheless" in done.stdout
    run = screenmark.Run(*_newest())
    assert run.manifest.profile_source == "model"
    before = run.folder.results.read_bytes()
    assert command("score", run.path).returncode == 0
    assert run.folder.results.read_bytes() == before
    shown = command("show", run.path, "--sample", asked[0].id, "--picture", "one.png")
    assert "target box" in shown.stdout
    near = {**run.results, "present": {**run.results["present"], "median_distance": 0.0042}}
    assert MMBenchL2.tables(near)[0].rows[-1][-1] == 0.0042, "not rounded before it is shown"
    assert Path("one.png").read_bytes().startswith(b"\x89PNG")
    worst = json.loads(command("show", run.path, "--worst", "1", "--json").stdout)
    assert worst[0]["hit"] == 0
    table = command("show", run.path, "--worst", "3").stdout
    assert "distance" in table
    assert "distance %" not in table
    assert "app name" not in table
    screens.write(
        in_tmp / "again.json", [{**row, "reply": "x"} for row in run.results["per_sample"]]
    )
    again = command("run", "mmbench-gui-l2", "--annotation", annotation, "--predictions",
                    "again.json")  # fmt: skip
    assert again.returncode == 0, "an id tells questions about one image apart"
    exported = command("export", run.path, "--to", "csv", "--output", "rows.csv")
    assert exported.returncode == 0, exported.stderr
    assert "Empty the bin" in Path("rows.csv").read_text(encoding="utf-8")


def _newest() -> Any:
    from screenmark.engine.run_folder import list_folders

    return list_folders(Path("runs"))[0]
