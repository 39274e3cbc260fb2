"""How long to wait, and how often to try."""

from __future__ import annotations

import pytest

from screenmark.engine.retry import RetryPolicy
from screenmark.errors import TransientError, UnreachableError
from screenmark.models.wire import retry_after

FAULT = TransientError("busy")


@pytest.mark.parametrize(
    ("retry", "error", "jitter", "seconds"),
    [
        pytest.param(0, FAULT, 1.0, 1.0, id="first"),
        pytest.param(3, FAULT, 1.0, 8.0, id="doubles"),
        pytest.param(3, FAULT, 0.0, 4.0, id="jitter halves at most"),
        pytest.param(20, FAULT, 1.0, 120.0, id="capped"),
        pytest.param(5000, FAULT, 1.0, 120.0, id="no overflow"),
        pytest.param(0, TransientError("", retry_after=7.0), 0.0, 7.0, id="server's wish"),
        pytest.param(0, TransientError("", retry_after=7.0), 1.0, 7.25, id="jitter adds"),
        pytest.param(0, TransientError("", retry_after=9999.0), 0.0, 120.0, id="wish capped"),
    ],
)
def test_delay(retry: int, error: TransientError, jitter: float, seconds: float) -> None:
    assert RetryPolicy().delay(retry, error, jitter) == seconds


def test_an_address_where_nobody_ever_answered_is_given_up_early() -> None:
    policy, error = RetryPolicy(max_retries=5), UnreachableError("refused")
    assert [policy.allows(n, error, ever_answered=False) for n in range(4)] == [True] * 2 + [
        False
    ] * 2
    assert policy.allows(4, error, ever_answered=True)
    assert not policy.allows(5, error, ever_answered=True)
    assert not RetryPolicy(max_retries=0).allows(0, error, ever_answered=False)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        pytest.param(None, None, id="absent"),
        pytest.param("", None, id="empty"),
        pytest.param("12", 12.0, id="seconds"),
        pytest.param("0.5", 0.5, id="fraction"),
        pytest.param("-3", 0.0, id="negative"),
        pytest.param("nan", None, id="not a number"),
        pytest.param("soon", None, id="words"),
        pytest.param("Wed, 21 Oct 2015 07:28:00 GMT", 0.0, id="date in the past"),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_retry_after_as_a_date_to_come() -> None:
    from datetime import UTC, datetime, timedelta
    from email.utils import format_datetime

    header = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    seconds = retry_after(header)
    assert seconds is not None
    assert 85 < seconds <= 90
