"""Prompt, reading, scoring and summing up of page parsing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from screenmark.benchmarks.page_parsing import PageParsing, PageParsingOptions
from screenmark.benchmarks.page_parsing.dataset import PageSample
from screenmark.errors import DataError, UsageError
from screenmark.types import Image, Outcome, Record, Reply, SentImage, Text
from tests.support.pages import ELEMENT


def make(profile: str | None = None, **options: Any) -> PageParsing:
    benchmark = PageParsing(PageParsingOptions(profile=profile, **options))
    benchmark.settle_profile(None)
    return benchmark


def sample(id: str = "p.png", **changes: Any) -> PageSample:
    fields: dict[str, Any] = {
        "width": 200,
        "height": 100,
        "elements": (ELEMENT,),
        "language": "en",
        **changes,
    }
    return PageSample(id=id, image_path=id, file=f"/data/{id}", **fields)


def prompt(benchmark: PageParsing, page: PageSample) -> str:
    (message,) = benchmark.build_prompt(page)
    image, text = message.parts
    assert image == Image(page.file)
    assert isinstance(text, Text)
    return text.text


@pytest.mark.parametrize(
    ("profile", "language", "words"),
    [
        (None, "en", "x from 0 to 200, y from 0 to 100"),
        ("permille", "en", "from 0 to 1000"),
        ("unit", "en", "from 0 to 1"),
        ("percent", "en", "from 0 to 100"),
        (None, "zh", "x 从 0 到 200，y 从 0 到 100"),
        ("permille", "zh", "归一化到 0 到 1000"),
    ],
)
def test_the_prompt_states_size_and_space(profile: str | None, language: str, words: str) -> None:
    text = prompt(make(profile), sample(language=language))
    assert words in text
    assert "200" in text
    assert "{width}" not in text
    assert "[x1, y1, x2, y2]" in text


@pytest.mark.parametrize(
    ("language", "size"), [("en", "It is 200 pixels wide"), ("zh", "宽 200 像素")]
)
def test_a_family_is_asked_in_its_own_convention(language: str, size: str) -> None:
    told = prompt(make("gta1"), sample(language=language))
    untold = prompt(make("qwen2.5-vl"), sample(language=language))
    assert size in told, "this family's own prompt states the size"
    assert size not in untold
    assert "200" not in untold
    assert "{" not in untold.replace('{"type"', "")
    for other in ("0 to 1000", "0 到 1000", "in pixels", "像素为单位"):
        assert other not in untold


def test_a_familys_boxes_are_read_in_its_space() -> None:
    benchmark = make("qwen2.5-vl")
    page = sample(
        width=2560, height=1440, elements=({**ELEMENT, "coordinates": [0, 0, 1280, 720]},)
    )
    reply = Reply(json.dumps([{**ELEMENT, "coordinates": [0, 0, 1274, 714]}]))
    answer = benchmark.parse(reply, page)
    assert answer.value[0]["coordinates"] == pytest.approx([0, 0, 1280, 720])
    seen = SentImage("", "image/png", 1, 280, 140, original_width=2560, original_height=1440)
    scaled = Reply(json.dumps([{**ELEMENT, "coordinates": [0, 0, 140, 70]}]), images=(seen,))
    assert benchmark.parse(scaled, page).value[0]["coordinates"] == pytest.approx([0, 0, 1280, 720])


@pytest.mark.parametrize(
    ("option", "only", "model", "name", "source"),
    [
        (None, None, "Qwen2.5-VL-7B", "pixel", "default"),
        (None, "pixel", "ocr", "pixel", "only"),
        ("pixel", "pixel", "ocr", "pixel", "option"),
        ("qwen3-vl", None, "Qwen2.5-VL-7B", "qwen3-vl", "option"),
    ],
)
def test_the_results_say_how_the_profile_was_chosen(
    option: str | None, only: str | None, model: str, name: str, source: str
) -> None:
    benchmark = PageParsing(PageParsingOptions(profile=option))
    benchmark.settle_profile(only, model)
    profile = benchmark.summarise([])["profile"]
    assert (profile["name"], profile["chosen_by"]) == (name, source)


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text('Size {width}x{height}. Answer {"elements": []}', encoding="utf-8")
    assert prompt(make(prompt=file), sample()) == 'Size 200x100. Answer {"elements": []}'
    file.write_text("  \n", encoding="utf-8")
    with pytest.raises(DataError, match="the prompt file is empty"):
        make(prompt=file)


@pytest.mark.parametrize(
    ("profile", "box"),
    [
        ("pixel", [10, 10, 40, 30]),
        ("unit", [0.05, 0.1, 0.2, 0.3]),
        ("percent", [5, 10, 20, 30]),
        ("permille", [50, 100, 200, 300]),
    ],
)
def test_boxes_are_read_in_the_declared_space(profile: str, box: list[float]) -> None:
    benchmark = make(profile)
    reply = Reply(json.dumps([{**ELEMENT, "coordinates": box}]))
    answer = benchmark.parse(reply, sample())
    assert answer.value[0]["coordinates"] == pytest.approx([10, 10, 40, 30])
    assert benchmark.score(sample(), answer)["tp"] == 1


def test_a_wrong_profile_is_never_guessed_right() -> None:
    benchmark = make("unit")
    answer = benchmark.parse(Reply(json.dumps([ELEMENT])), sample())
    assert benchmark.score(sample(), answer)["tp"] == 0


def test_a_model_with_one_space_refuses_another_profile() -> None:
    benchmark = PageParsing(PageParsingOptions(profile="unit"))
    with pytest.raises(UsageError, match="answers in pixel only"):
        benchmark.settle_profile("pixel")


def records(benchmark: PageParsing, replies: dict[str, str | None]) -> list[Record]:
    made = []
    for position, (id, text) in enumerate(replies.items()):
        page = sample(id, platform="mobile" if position % 2 else "desktop")
        answer = None if text is None else benchmark.parse(Reply(text), page)
        outcome = Outcome.API_ERROR if answer is None else answer.outcome
        made.append(
            Record(
                sample_id=id,
                position=position,
                outcome=outcome,
                sample=msgspec.to_builtins(page),
                answer=answer,
                score=benchmark.score(page, answer),
            )
        )
    return made


GOOD = json.dumps([ELEMENT])
TWICE = json.dumps([ELEMENT, {**ELEMENT, "description": "Cancel"}])


def test_summary_counts_missing_answers_as_missed_and_shows_the_answered() -> None:
    benchmark = make()
    results = benchmark.summarise(records(benchmark, {"a": GOOD, "b": None, "c": TWICE}))
    assert (results["total_tp"], results["total_fp"], results["total_fn"]) == (2, 1, 1)
    assert results["overall_precision"] == pytest.approx(2 / 3)
    assert results["overall_recall"] == pytest.approx(2 / 3)
    answered = results["answered_only"]
    assert (answered["num_samples"], answered["total_fn"]) == (2, 0)
    assert results["prediction_errors"]["duplicate"] == 1
    assert results["truth_errors"]["missed"] == 1
    assert results["by_platform"]["desktop"]["num_samples"] == 2
    assert results["by_type"]["button"] == {
        "num_elements": 3,
        "matched": 2,
        "recall": pytest.approx(2 / 3),
        "avg_description_similarity": 1.0,
    }
    assert [row["outcome"] for row in results["per_sample"]] == ["ok", "api_error", "ok"]
    low, high = results["headline"]["low"], results["headline"]["high"]
    assert 0 <= low <= results["overall_f1"] <= high <= 1


def test_the_seed_formats_keys_are_all_there() -> None:
    benchmark = make()
    results = benchmark.summarise(records(benchmark, {"a": GOOD}))
    assert {
        "total_tp", "total_fp", "total_fn", "overall_precision", "overall_recall", "overall_f1",
        "avg_description_similarity", "per_sample",
    } <= set(results)  # fmt: skip
    assert {
        "image_path", "precision", "recall", "tp", "fp", "fn", "avg_description_similarity",
    } <= set(results["per_sample"][0])  # fmt: skip


def test_ratios_of_nothing_are_null_in_strict_and_zero_in_compat_scoring() -> None:
    for scoring, expected in (("strict", None), ("compat", 0.0)):
        benchmark = make(scoring=scoring)
        results = benchmark.summarise(records(benchmark, {"a": "[]"}))
        assert results["overall_precision"] is expected or results["overall_precision"] == expected
        assert results["per_sample"][0]["precision"] == expected
        assert results["avg_description_similarity"] == expected


def test_the_blind_baseline_copies_the_previous_page_of_the_same_size() -> None:
    benchmark = make()
    results = benchmark.summarise(records(benchmark, {"a": "[]", "b": "[]", "c": "[]"}))
    blind = results["blind_baselines"]["previous_page"]
    assert blind["overall_recall"] == pytest.approx(2 / 3)
    assert blind["overall_precision"] == 1.0


def test_repetitions_of_a_page_are_one_page_to_intervals_and_baseline() -> None:
    benchmark = make()
    once = records(benchmark, {"a": GOOD, "b": TWICE})
    thrice = [record for record in once for _ in range(3)]
    few, many = benchmark.summarise(once), benchmark.summarise(thrice)
    assert many["intervals"] == few["intervals"]
    assert many["blind_baselines"] == few["blind_baselines"]
    assert many["overall_f1"] == few["overall_f1"]


def test_no_records_at_all_summarise_to_nulls() -> None:
    results = make().summarise([])
    assert results["overall_f1"] is None
    assert results["headline"]["low"] is None


def test_dropped_elements_and_repairs_are_counted() -> None:
    benchmark = make()
    text = "```json\n" + json.dumps([ELEMENT, {**ELEMENT, "coordinates": [1, 2]}]) + "\n```"
    results = benchmark.summarise(records(benchmark, {"a": text}))
    assert results["dropped_elements"] == 1
    assert results["repairs"] == {"fenced": 1}


def test_tables_cover_the_results() -> None:
    benchmark = make()
    part = benchmark.summarise(records(benchmark, {"a": GOOD, "b": TWICE}))
    head = {"benchmark": "b", "model": "m", "num_samples": 2, "scoring": "strict"}
    head |= {"num_planned": 2, "complete": True, "outcomes": {"ok": 2}}
    unfinished = PageParsing.tables({**head, **part, "complete": False, "num_planned": 9})
    assert "UNFINISHED: 2 of 9 pages" in unfinished[0].title
    tables = PageParsing.tables({**head, **part})
    assert "2 pages · IoU > 0.5" in tables[0].title
    assert tables[0].rows[0][:2] == ("F1", part["overall_f1"])
    for table in tables:
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_one_page_as_tables_and_boxes() -> None:
    benchmark = make()
    (record,) = records(benchmark, {"a": TWICE})
    tables = PageParsing.sample_tables(record)
    assert [table.title for table in tables[1:]] == [
        "1 matched pairs", "1 predicted without a match", "0 true without a match",
    ]  # fmt: skip
    labels = [(box.label, box.truth) for box in PageParsing.sample_boxes(record)]
    assert labels == [("found", True), ("matched", False), ("wrong", False)]
