"""Latency and the value for --concurrency, from made-up times."""

import pytest

from screenmark.doctor.asking import Heard, Interview
from screenmark.doctor.model_list import NONE
from screenmark.doctor.pace import check_pace, suggest
from screenmark.errors import ReplyTimeoutError, TransientError
from screenmark.models import ModelOptions
from screenmark.types import Reply

REPLY = Reply(text="(1, 2)")
LATE = Heard(None, ReplyTimeoutError("no reply within 120 s"), 120.0)
BUSY = Heard(None, TransientError("slow down", status=429), 0.1)


def fine(seconds: float) -> Heard:
    return Heard(REPLY, None, seconds)


@pytest.mark.parametrize(
    ("together", "concurrency", "status", "words"),
    [
        pytest.param(2.2, 32, "ok", "try --concurrency auto", id="all at once"),
        pytest.param(4.5, 32, "ok", "try --concurrency 4", id="two at once"),
        pytest.param(8.0, 32, "ok", "one after another; --concurrency 2 is enough", id="in turn"),
        pytest.param(8.0, 256, "warning", "the last would wait for 9 min", id="too many in turn"),
        pytest.param(8.0, "auto", "warning", "With 1024 in flight", id="auto in turn"),
    ],
)
def test_what_fits(together: float, concurrency: object, status: str, words: str) -> None:
    finding = suggest(
        alone=2.0,
        together=together,
        heard=[fine(together)] * 4,
        model=ModelOptions(concurrency=concurrency),  # type: ignore[arg-type]
        samples=600,
    )
    assert finding.status == status
    assert words in finding.detail
    assert "600 samples take" in finding.detail
    assert finding.remedy == ("--concurrency 2" if status == "warning" else "")


def test_a_fast_endpoint_is_not_judged_by_noise() -> None:
    finding = suggest(
        alone=0.004, together=0.02, heard=[fine(0.01)] * 4, model=ModelOptions(), samples=0
    )
    assert finding.detail.endswith("try --concurrency auto")
    assert "samples" not in finding.detail


def test_an_endpoint_that_refuses_many_at_once() -> None:
    finding = suggest(
        alone=2.0, together=2.0, heard=[fine(2.0), BUSY], model=ModelOptions(), samples=0
    )
    assert finding.detail.startswith("1 of 2 at once were refused")
    assert finding.remedy == "--concurrency 1 --min-interval 2"


@pytest.mark.parametrize(
    ("alone", "others", "status", "words", "remedy"),
    [
        (fine(2.0), [fine(2.5)], "ok", "2.0 s for a question", ""),
        (fine(70.0), [fine(70.0)], "warning", "--timeout is 120", "--timeout 280"),
        (fine(2.0), [LATE], "warning", "1 got no reply", "--timeout 240"),
        (LATE, [LATE], "failed", "none of 2 questions", "--timeout 240"),
    ],
    ids=["quick", "slow", "one is lost", "all are lost"],
)
def test_latency(alone: Heard, others: list[Heard], status: str, words: str, remedy: str) -> None:
    found = Interview(NONE, fine(1.0), alone=alone, together=others, together_seconds=120.0)
    latency = next(iter(check_pace(found, ModelOptions(), 0)))
    assert (latency.check, latency.status) == ("latency", status)
    assert words in latency.detail
    assert latency.remedy.startswith(remedy)


def test_nothing_is_said_of_targets_that_were_not_asked() -> None:
    assert list(check_pace(Interview(NONE, fine(1.0)), ModelOptions(), 5)) == []
