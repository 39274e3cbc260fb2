"""The wall clock jumps, by hours, back and forth: only labels show it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine import job
from screenmark.engine.budget import Budget
from screenmark.engine.cache import ReplyCache
from screenmark.engine.options import EngineOptions
from screenmark.engine.retry import RetryPolicy
from screenmark.errors import RunInterrupted, TransientError
from screenmark.models.wire import retry_after
from screenmark.types import Outcome
from tests.support.commands import command
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages
from tests.support.wall_clock import START, WallClock

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")

DAY = 24.0


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    return WallClock(monkeypatch)


def run(endpoint: FakeEndpoint, annotation: Path, **options: Any) -> screenmark.Run:
    options = {"model": "m", "concurrency": 2, **options}
    return screenmark.run("gui-hallubench", annotation=annotation, api_base=endpoint.url, **options)


def records_of(path: Path) -> list[dict[str, Any]]:
    lines = (path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("hours", [5.0, -5.0, 400 * DAY, -400 * DAY])
def test_a_run_whose_clock_jumps_at_every_request(
    tmp_path: Path, wall: WallClock, hours: float
) -> None:
    annotation = make_pages(tmp_path, 8)

    def jumps(number: int, body: dict[str, Any]) -> Act:
        wall.jump(hours if number % 3 else -hours / 2)
        # Also while requests wait for another try.
        return Act(status=429, headers={"Retry-After": "1"}) if number == 4 else Act(content=REPLY)

    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        still = run(endpoint, annotation, runs_dir="still")
        endpoint.requests.clear()
        endpoint.script = jumps
        # It would be over at the first jump, were it of the wall clock.
        jumped = run(endpoint, annotation, deadline="2h", min_interval=0.001)
    assert len(endpoint.requests) == 9
    assert jumped.folder.results.read_bytes() == still.folder.results.read_bytes()
    records = records_of(jumped.path)
    assert len({record["started"] for record in records}) > 1
    assert all(0 <= record["seconds"] < 3600 for record in records)


def test_a_resume_in_the_past(tmp_path: Path, wall: WallClock) -> None:
    annotation = make_pages(tmp_path, 6)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        with pytest.raises(RunInterrupted):
            run(endpoint, annotation, concurrency=1, max_total_tokens=25)
        wall.jump(-3 * DAY)
        finished = run(endpoint, annotation, concurrency=1, max_total_tokens=1000)
    assert len(endpoint.requests) == 6
    assert finished.resumed >= 3
    assert finished.manifest.status == "finished"
    assert finished.results["outcomes"] == {"ok": 6}
    first, second = finished.manifest.sessions
    assert second.started < first.started


def test_a_later_record_holds_although_its_clock_was_behind(
    tmp_path: Path, wall: WallClock
) -> None:
    annotation = make_pages(tmp_path, 3)
    with FakeEndpoint([Act(status=400)]) as endpoint:
        failed = run(endpoint, annotation)
        wall.jump(-DAY)
        endpoint.script = [Act(content=REPLY)]
        again = screenmark.run(resume=failed.path)
    assert again.results["outcomes"] == {"ok": 3}
    assert [record.outcome for record in again.records] == [Outcome.OK] * 3


def test_the_newest_run_is_the_last_one_made(tmp_path: Path, wall: WallClock) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        run(endpoint, annotation, model="first")
        wall.jump(-3)
        run(endpoint, annotation, model="second")
        wall.jump(400 * DAY)
        run(endpoint, annotation, model="third")
        wall.jump(-500 * DAY)
        newest = run(endpoint, annotation, model="first", prompt=None)
    assert newest.path.name.endswith("-2")
    for name in ("score", "show"):
        assert f"newest run: {Path('runs') / newest.path.name}" in command(name).stderr
    listed = json.loads(command("runs", "--json").stdout)
    assert [item["model"] for item in listed] == ["first", "third", "second", "first"]
    assert listed[0]["path"].endswith("-2")


def test_what_is_cached_does_not_age(tmp_path: Path, wall: WallClock) -> None:
    annotation = make_pages(tmp_path, 2)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        for hours in (0.0, -10_000.0, 30_000.0):
            wall.jump(hours)
            run(endpoint, annotation, cache="kept")
        wall.jump(-5_000.0)
        run(endpoint, annotation, cache="kept", temperature=0.5)
    assert len(endpoint.requests) == 4
    stats = ReplyCache(Path("kept")).stats()
    assert stats.replies == 4
    assert stats.oldest is not None
    assert stats.newest is not None
    assert stats.oldest < stats.newest


@pytest.mark.parametrize(
    ("now", "passed"), [(59.9, False), (60.0, True), (1e6, True)], ids=["just not", "just", "long"]
)
def test_a_deadline_is_of_the_clock_that_only_goes_forward(
    wall: WallClock, now: float, passed: bool
) -> None:
    time = 0.0
    budget = Budget(EngineOptions(deadline="1m"), None, clock=lambda: time)
    wall.jump(-DAY if passed else DAY)
    time = now
    assert (budget.exhausted() is not None) is passed


def http(when: datetime) -> str:
    return format_datetime(when, usegmt=True)


@pytest.mark.parametrize(
    ("our_hours", "seconds", "waits"),
    [
        pytest.param(0, 30, 30.0, id="right"),
        pytest.param(-DAY, 30, 30.0, id="ours is a day behind"),
        pytest.param(DAY, 30, 30.0, id="ours is a day ahead"),
        pytest.param(0, -30, 0.0, id="passed"),
        pytest.param(0, 10 * 86_400, 86_400.0, id="ten days"),
    ],
)
def test_retry_after_as_a_date_goes_by_the_servers_clock(
    wall: WallClock, our_hours: float, seconds: int, waits: float
) -> None:
    wall.jump(our_hours)
    assert retry_after(http(START + timedelta(seconds=seconds)), http(START)) == waits


@pytest.mark.parametrize("date", [None, "", "yesterday", "12"])
@pytest.mark.parametrize("our_hours", [-400 * DAY, -5.0, 5.0, 400 * DAY])
def test_a_wrong_clock_of_ours_never_makes_a_long_wait_or_none(
    wall: WallClock, our_hours: float, date: str | None
) -> None:
    wall.jump(our_hours)
    wait = retry_after(http(START + timedelta(seconds=30)), date)
    delay = RetryPolicy().delay(3, TransientError("busy", status=429, retry_after=wait), 0.5)
    assert delay == (120.0 if our_hours < 0 else 6.0)


def test_the_date_of_a_response_is_used(
    tmp_path: Path, wall: WallClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = {"Date": http(START), "Retry-After": http(START + timedelta(hours=1))}
    waits: list[float | None] = []

    class Policy(RetryPolicy, frozen=True):
        def delay(self, retry: int, error: TransientError, jitter: float) -> float:
            waits.append(error.retry_after)
            return 0.0

    monkeypatch.setattr(job, "RetryPolicy", lambda max_retries: Policy(cap=0.01))
    wall.jump(12.0)
    with FakeEndpoint([Act(status=429, headers=headers), Act()]) as endpoint:
        run(endpoint, make_pages(tmp_path, 1))
    assert waits == [3600.0]
