"""Replies used again: what is kept, what tells requests apart, what breaks."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import screenmark
from screenmark.engine.cache import FILE_NAME, ReplyCache, worth_keeping
from screenmark.errors import DataError
from screenmark.types import Answer, Outcome, Reply
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")


def run(endpoint: FakeEndpoint, annotation: Path, **options: Any) -> screenmark.Run:
    return screenmark.run(
        "gui-hallubench",
        annotation=annotation,
        api_base=endpoint.url,
        **{"model": "m", "cache": "replies", **options},
    )


def test_the_second_run_asks_nothing_and_says_so(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 3)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        first = run(endpoint, annotation)
        second = run(endpoint, annotation)
    assert len(endpoint.requests) == 3
    assert [r.cached for r in first.records] == [False] * 3
    assert [(r.cached, r.attempts) for r in second.records] == [(True, 0)] * 3
    assert second.results["overall_f1"] == 1.0
    assert second.results["per_sample"] == first.results["per_sample"]


def test_without_a_cache_every_run_asks_anew(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        for cache in (None, "off"):
            run(endpoint, annotation, cache=cache)
    assert len(endpoint.requests) == 4
    assert not Path("off").exists()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"temperature": 0.5}, id="temperature"),
        pytest.param({"max_tokens": 7}, id="max tokens"),
        pytest.param({"model": "other"}, id="model"),
        pytest.param({"profile": "unit"}, id="prompt"),
    ],
)
def test_what_changes_an_answer_changes_the_key(tmp_path: Path, change: dict[str, Any]) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        run(endpoint, annotation)
        run(endpoint, annotation, **change)
    assert len(endpoint.requests) == 2


def test_an_image_counts_by_its_content(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        run(endpoint, annotation)
        Image.new("RGB", (100, 80), "white").save(tmp_path / "images/0.png")
        run(endpoint, annotation)
        make_pages(tmp_path / "moved", 1)
        run(endpoint, tmp_path / "moved/pages.json")
    assert len(endpoint.requests) == 2


def test_repetitions_are_kept_apart(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    replies = [Act(content=REPLY), Act(content="[]")]
    with FakeEndpoint(replies) as endpoint:
        first = run(endpoint, annotation, repeats=2, concurrency=1)
        second = run(endpoint, annotation, repeats=2, concurrency=1)
    assert len(endpoint.requests) == 2
    assert [r.score["f1"] for r in first.records] == [r.score["f1"] for r in second.records]


@pytest.mark.parametrize(
    ("act", "kept"),
    [
        pytest.param(Act(content=REPLY), True, id="ok"),
        pytest.param(Act(content="no idea"), True, id="unparseable"),
        pytest.param(Act(content=None), False, id="empty"),
        pytest.param(Act(content=REPLY, finish_reason="length"), False, id="truncated"),
        pytest.param(Act(content="", finish_reason="content_filter"), False, id="refused"),
        pytest.param(Act(status=400), False, id="failed"),
    ],
)
def test_what_is_kept(tmp_path: Path, act: Act, kept: bool) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint([act]) as endpoint:
        run(endpoint, annotation)
        run(endpoint, annotation)
    assert len(endpoint.requests) == (1 if kept else 2)


def test_an_absent_target_is_an_answer_and_kept() -> None:
    assert worth_keeping(Answer(Outcome.REFUSED, reason="target_absent"))
    assert not worth_keeping(Answer(Outcome.REFUSED, reason="policy"))


def test_several_writers_at_once(tmp_path: Path) -> None:
    def write(number: int) -> None:
        cache = ReplyCache(tmp_path)
        for n in range(50):
            cache.put(f"{number}-{n}", f"m{number}", Reply("文字"))
        cache.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache = ReplyCache(tmp_path)
    stats = cache.stats()
    assert (stats.replies, stats.models["m3"]) == (200, 50)
    assert cache.get("2-7") == Reply("文字")
    assert cache.clear("m1") == 50
    assert cache.clear() == 150
    cache.close()


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" * 9])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(DataError, match=FILE_NAME):
        ReplyCache(tmp_path)


def test_a_cache_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    ReplyCache(tmp_path).close()
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(DataError, match="newer"):
        ReplyCache(tmp_path)


def test_the_records_alone_are_enough_to_score_again(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        run(endpoint, annotation)
        second = run(endpoint, annotation)
    written = json.loads(second.folder.results.read_text(encoding="utf-8"))
    assert screenmark.engine.rescore(second.path) == written
