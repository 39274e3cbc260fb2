"""The audit of coordinate conventions, on replies simulated in one dialect and read in another."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from screenmark.answers import profiles
from screenmark.benchmarks.element_grounding import MMBenchL2
from screenmark.benchmarks.element_grounding.mmbench_l2 import L2Options
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.geometry import UNIT, Point, Size, Space, smart_resize
from screenmark.types import Reply, SentImage
from tests.support.screens import answered

LAPTOP = ((2560, 1440), (1920, 1080), (1366, 768))
Writer: TypeAlias = Callable[[float, float, Size], str]


def screens(count: int, sizes: Sequence[tuple[int, int]] = LAPTOP, seed: int = 1) -> Any:
    """Targets of 1 to 4 % of the image's sides, anywhere."""
    rng = random.Random(seed)
    samples = []
    for n in range(count):
        width, height = sizes[n % len(sizes)]
        wide, high = rng.uniform(0.01, 0.04), rng.uniform(0.01, 0.04)
        x, y = rng.uniform(0, 1 - wide), rng.uniform(0, 1 - high)
        samples.append(
            GroundingSample(
                id=str(n),
                index=n,
                image_path=f"{n // 3}.png",
                file="",
                width=width,
                height=height,
                instruction=f"Open item {n}",
                shapes=((x, y, x + wide, y + high),),
                groups={
                    "grounding_type": "basic",
                    "platform": ("os_web", "os_mac")[n % 2],
                    "data_type": "icon",
                },
            )
        )
    return samples


def in_space(space: str, form: str = "({x}, {y})", digits: int = 0) -> Writer:
    """A model that writes points in a space."""

    def write(x: float, y: float, size: Size) -> str:
        point = Point(x, y, UNIT).to(Space.parse(space), size)
        return form.format(x=f"{point.x:.{digits}f}", y=f"{point.y:.{digits}f}")

    return write


def replies(
    samples: Sequence[GroundingSample], write: Writer, right: float, seed: int = 2
) -> list[str]:
    """What a model says that hits so large a share of the targets, and else clicks anywhere."""
    rng = random.Random(seed)
    said = []
    for sample in samples:
        x1, y1, x2, y2 = sample.shapes[0]
        x, y = rng.uniform(x1, x2), rng.uniform(y1, y2)
        if rng.random() >= right:
            x, y = rng.random(), rng.random()
        said.append(write(x, y, Size(sample.width, sample.height)))
    return said


def audit(
    profile: str, samples: Sequence[GroundingSample], said: Sequence[str | Reply | None]
) -> dict[str, Any]:
    benchmark = MMBenchL2(L2Options(profile=profile))
    benchmark.settle_profile(None, None)
    found: dict[str, Any] = benchmark.summarise(answered(benchmark, samples, said))["audit"]
    return found


DIALECTS = [
    pytest.param(
        "ui-tars-1.5", in_space("permille", "Action: click(start_box='({x},{y})')"), LAPTOP,
        "0–1000", "ui-tars-1.5@permille", id="permille read as UI-TARS-1.5",
    ),
    pytest.param(
        "permille", in_space("pixel"), LAPTOP, "pixels of the image", "pixel",
        id="pixels read as permille",
    ),
    pytest.param(
        "pixel", in_space("resized(28, 3136, 2116800)"), ((2560, 1440),),
        "pixels after Qwen2.5-VL's resize to 2.1 megapixels",
        "pixel@resized(28, 3136, 2116800)", id="a capped resize read as pixels",
    ),
    pytest.param(
        "pixel", in_space("fitted(1568, 28, 1568)"), LAPTOP, "pixels after Claude's resize",
        "pixel@fitted(1568, 28, 1568)", id="Claude's pixels read as those of the image",
    ),
    pytest.param(
        "permille", in_space("permille", "({y}, {x})"), LAPTOP, "0–1000, y before x", None,
        id="y first read as x first",
    ),
    pytest.param(
        "permille", in_space("unit", digits=3), LAPTOP, "0–1", "unit",
        id="fractions read as permille",
    ),
    pytest.param(
        "unit", in_space("percent", digits=1), LAPTOP, "0–100", "percent",
        id="percent read as fractions",
    ),
    pytest.param(
        "gemini", in_space("permille", '{{"point": [{x}, {y}]}}'), LAPTOP,
        "0–1000, x before y", None, id="x first read as y first",
    ),
]  # fmt: skip


@pytest.mark.parametrize("right", [0.3, 0.9])
@pytest.mark.parametrize(("profile", "write", "sizes", "reading", "option"), DIALECTS)
def test_a_wrong_profile_is_found_and_the_right_reading_named(
    profile: str,
    write: Writer,
    sizes: Any,
    reading: str,
    option: str | None,
    right: float,
) -> None:
    samples = screens(240, sizes)
    found = audit(profile, samples, replies(samples, write, right))
    better = found["better_reading"]
    assert better is not None
    assert reading in better["reading"].split(" or ")
    assert better["profile"] == option
    assert better["accuracy"] == pytest.approx(right, abs=0.12)
    line = found["warnings"][0]
    assert line.startswith(f"read as {better['reading']} these replies would score ")
    assert "is the profile right?" in line
    assert ("--profile" in line) == (option is not None)


def test_a_small_resize_is_found_among_many_small_targets() -> None:
    """2560x1440 becomes 2548x1428: up to 12 pixels, which small targets show."""
    samples = screens(900, ((2560, 1440),))
    small = [s for s in samples if s.shapes[0][2] - s.shapes[0][0] < 0.02]
    found = audit("pixel", small, replies(small, in_space("resized(28, 3136, 12845056)"), 1))
    assert found["better_reading"]["reading"] == "pixels after Qwen2.5-VL's resize"
    assert found["better_reading"]["accuracy"] > 0.95


@settings(max_examples=25)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["pixel", "permille", "unit", "qwen2.5-vl", "ui-tars-1.5", "claude"]),
    st.sampled_from([0.0, 0.6, 1.0]),
)
def test_no_false_alarm_about_a_right_profile(seed: int, profile: str, right: float) -> None:
    samples = screens(60, seed=seed)
    digits = 3 if profile == "unit" else 0
    write = in_space(profiles()[profile].space, digits=digits)
    found = audit(profile, samples, replies(samples, write, right, seed + 1))
    assert found["better_reading"] is None
    assert not [line for line in found["warnings"] if "is the profile right" in line]


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_no_reading_is_made_of_luck(seed: int) -> None:
    """One place whatever is asked, and a target that many items share: another reading hits it."""
    rng = random.Random(seed)
    samples = [
        one if n % 3 else GroundingSample(
            id=one.id, index=n, image_path=one.image_path, file="", width=1280, height=800,
            instruction=one.instruction, shapes=((0.35, 0.58, 0.45, 0.68),), groups=one.groups,
        )
        for n, one in enumerate(screens(120, ((1280, 800),), seed))
    ]  # fmt: skip
    said = [f"({500 + rng.randint(-9, 9)}, {500 + rng.randint(-9, 9)})" for _ in samples]
    found = audit("permille", samples, said)
    pixels = next(row for row in found["readings"] if row["reading"].startswith("pixels of the im"))
    assert pixels["accuracy"] > 0.3, "else this shows nothing"
    assert found["better_reading"] is None


class TestScaled:
    """Images that were scaled before they were sent."""

    def said(self, samples: Any, texts: Sequence[str], sent: Size) -> list[Reply]:
        return [
            Reply(
                text,
                images=(
                    SentImage(
                        "", "image/png", 1, sent.width, sent.height,
                        original_width=s.width, original_height=s.height,
                    ),
                ),
            )
            for s, text in zip(samples, texts, strict=True)
        ]  # fmt: skip

    def test_pixels_of_the_image_as_sent_read_as_permille(self) -> None:
        samples, sent = screens(120, ((2560, 1440),)), Size(1280, 720)
        rng = random.Random(1)
        texts = [
            f"({rng.uniform(x1, x2) * 1280:.0f}, {rng.uniform(y1, y2) * 720:.0f})"
            for s in samples
            for x1, y1, x2, y2 in s.shapes
        ]
        found = audit("permille", samples, self.said(samples, texts, sent))
        assert "pixels of the image" in found["better_reading"]["reading"].split(" or ")
        assert found["better_reading"]["accuracy"] > 0.9
        assert audit("pixel", samples, self.said(samples, texts, sent))["better_reading"] is None

    def test_pixels_of_the_image_before_it_was_scaled(self) -> None:
        samples, sent = screens(120, ((2560, 1440),)), Size(1280, 720)
        texts = replies(samples, in_space("pixel"), 1)
        better = audit("pixel", samples, self.said(samples, texts, sent))["better_reading"]
        assert better["reading"] == "pixels of the image before it was scaled"
        assert better["profile"] is None

    def test_a_models_own_resize_of_what_it_was_sent(self) -> None:
        samples, sent = screens(120, ((2560, 1440),)), Size(1000, 562)
        inner = smart_resize(sent, 28, 3136, 12845056)
        texts = [
            f"({(x1 + x2) / 2 * inner.width:.0f}, {(y1 + y2) / 2 * inner.height:.0f})"
            for s in samples
            for x1, y1, x2, y2 in s.shapes
        ]
        found = audit("qwen2.5-vl", samples, self.said(samples, texts, sent))
        assert found["as_read"]["accuracy"] == 1
        assert found["better_reading"] is None


class TestHonesty:
    def test_readings_that_are_one_on_these_images_are_named_together(self) -> None:
        samples = screens(80, ((1000, 1000),))
        said = replies(samples, in_space("permille"), 0.9)
        found = audit("unit", samples, said)
        better = found["better_reading"]
        assert better["reading"].startswith("0–1000 or pixels of the image")
        right = audit("pixel", samples, said)
        assert right["better_reading"] is None
        assert "0–1000" in right["as_read"]["same_as"]
        assert all(row["reading"] != "0–1000" for row in right["readings"])

    def test_readings_that_the_replies_do_not_tell_apart_are_named(self) -> None:
        # 1288x812 after Qwen2.5-VL's resize: three pixels more or less at the far edge.
        samples = screens(80, ((1291, 811),))
        said = [
            f"({(x1 + x2) / 2 * 1291:.0f}, {(y1 + y2) / 2 * 811:.0f})"
            for s in samples
            for x1, y1, x2, y2 in s.shapes
        ]
        found = audit("permille", samples, said)
        better = found["better_reading"]
        names = {better["reading"], *better["not_told_apart"]}
        assert any("pixels of the image" in name for name in names)
        assert any("Qwen2.5-VL's resize" in name for name in names)
        assert "Not told apart by these replies: " in found["warnings"][0]

    def test_percent_signs_speak_for_themselves(self) -> None:
        samples = screens(60)
        said = replies(samples, in_space("percent", "({x}%, {y}%)", digits=1), 0.8)
        found = audit("permille", samples, said)
        assert found["better_reading"] is None
        assert found["as_read"]["accuracy"] > 0.6

    def test_boxes_are_tried_by_their_middle(self) -> None:
        samples = screens(60)
        said = [
            "[" + ", ".join(f"{number * 1000:.0f}" for number in s.shapes[0]) + "]" for s in samples
        ]
        better = audit("qwen2.5-vl", samples, said)["better_reading"]
        assert better["reading"] == "0–1000"
        assert better["accuracy"] > 0.95

    def test_compat_scoring_has_no_profile_to_audit(self) -> None:
        benchmark = MMBenchL2(L2Options(scoring="compat"))
        samples = screens(12)
        results = benchmark.summarise(answered(benchmark, samples, ["(1, 1)"] * 12))
        assert results["audit"] is None

    def test_no_items_at_all(self) -> None:
        found = audit("pixel", [], [])
        assert (found["readings"], found["warnings"]) == ([], [])
        assert found["as_read"]["accuracy"] is None


class TestFlags:
    def only(self, found: dict[str, Any], words: str) -> str:
        (line,) = [line for line in found["warnings"] if words in line]
        return str(line)

    @pytest.mark.parametrize(
        ("text", "reason", "words"),
        [
            pytest.param("The menu is at the top.", None, "most hold no coordinates", id="dropped"),
            pytest.param("", None, "most are empty", id="empty"),
            pytest.param("<think>First I", "length", "raise --max-tokens", id="cut off"),
            pytest.param("(10, 20) or (300, 400)", None, "most name several places", id="several"),
            pytest.param(
                "I'm sorry, but I can't assist with that request.", None, "most decline to answer",
                id="declined",
            ),
        ],
    )  # fmt: skip
    def test_why_nearly_nothing_could_be_read(
        self, text: str, reason: str | None, words: str
    ) -> None:
        samples = screens(20)
        said = [Reply(text, finish_reason=reason)] * 18 + [Reply("(5, 5)")] * 2
        line = self.only(audit("pixel", samples, said), "hold no answer")
        assert line.startswith("18 of 20 replies hold no answer")
        assert words in line

    def test_another_form_than_the_profiles(self) -> None:
        samples = screens(20)
        said = replies(samples, in_space("permille", '<point x="{x}" y="{y}">it</point>'), 1)
        line = self.only(audit("qwen-vl", samples, said), "hold no answer")
        assert "though most hold coordinates" in line
        assert "another --profile" in line

    def test_numbers_beyond_the_profiles_range(self) -> None:
        samples = screens(60, ((2560, 1440),))
        found = audit("unit", samples, replies(samples, in_space("pixel"), 0.8))
        assert "though most hold coordinates" in self.only(found, "hold no answer")
        assert "pixels of the image" in self.only(found, "is the profile right?")

    def test_declined_targets_are_answers(self) -> None:
        assert audit("pixel", screens(20), ["not on screen"] * 20)["warnings"] == []

    def test_absent_targets_of_which_none_is_declined(self) -> None:
        absent = [
            structs.replace(one, shapes=(), target="absent", id=f"no {one.id}")
            for one in screens(12, seed=4)
        ]
        samples = [*screens(20), *absent]
        said = [*replies(samples[:20], in_space("pixel"), 1), *["(5, 5)"] * 12]
        line = self.only(audit("pixel", samples, said), "was declined")
        assert line.startswith("none of the 12 absent targets was declined, 12 were pointed at")
        once = audit("pixel", samples, [*said[:-1], "not on screen"])
        assert once["warnings"] == []

    def test_failures_to_ask_are_no_replies(self) -> None:
        assert audit("pixel", screens(20), [None] * 20)["warnings"] == []

    def test_points_outside_their_image(self) -> None:
        samples = screens(40)
        said = ["(3000, 100)"] * 10 + replies(samples, in_space("pixel"), 1)[10:]
        line = self.only(audit("pixel", samples, said), "outside their image")
        assert line.startswith("10 of 40 points lie outside")

    def test_one_place_whatever_was_asked(self) -> None:
        samples = screens(40)
        said = ["(1, 1)"] * 15 + replies(samples, in_space("pixel"), 1)[15:]
        line = self.only(audit("pixel", samples, said), "whatever was asked")
        assert line.startswith("15 of 40 points are at 0.00, 0.00")

    def test_one_place_that_is_asked_for_again_and_again(self) -> None:
        samples = [screens(1, ((1920, 1080),))[0]] * 30
        found = audit("pixel", samples, replies(samples, in_space("pixel"), 1))
        assert found["warnings"] == []

    @pytest.mark.parametrize(("wrong", "share"), [(True, "0"), (False, "100")])
    def test_a_stratum_that_is_all_or_nothing(self, wrong: bool, share: str) -> None:
        samples = screens(80)
        right = replies(samples, in_space("pixel", digits=2), 1)
        miss = "(9999, 9999)"
        said = [
            (miss if wrong else text)
            if s.groups["platform"] == "os_web"
            else (text if n % 3 else miss)
            for n, (s, text) in enumerate(zip(samples, right, strict=True))
        ]
        line = self.only(audit("pixel", samples, said), "exactly")
        assert line.startswith(f"exactly {share} % of 40 in basic/os_web")
