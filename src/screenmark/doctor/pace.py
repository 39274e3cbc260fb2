"""How fast an endpoint answers, and how many requests it can have in flight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from screenmark.doctor.asking import Heard, Interview
from screenmark.doctor.finding import Finding
from screenmark.models import ModelOptions

_AT_ONCE = 1.6
"""Requests asked together that take no longer than this many times one are answered at once."""

_FAST = 0.05
"""Seconds a request below which a ratio is noise."""

_IN_TURN = 0.7
"""And those that take this share of one after another are answered one after another."""


def check_pace(found: Interview, model: ModelOptions, samples: int) -> Iterator[Finding]:
    """Latency, and a suggestion for ``--concurrency``.

    Args:
        samples: that the run asks about; 0 if there is no run.
    """
    if found.alone is None:
        return
    times = [one.seconds for one in found.targets if one.reply is not None]
    lost = [one for one in found.targets if one.reply is None]
    if not times:
        yield Finding(
            check="latency",
            status="failed",
            detail=f"none of {len(lost)} questions with an image got a reply in time",
            remedy=f"--timeout {2 * model.timeout:g}, or --max-image-pixels N",
        )
        return
    yield _latency(found.alone.seconds, max(times), len(lost), model.timeout)
    yield suggest(
        alone=found.alone.seconds if found.alone.reply is not None else min(times),
        together=found.together_seconds,
        heard=found.together,
        model=model,
        samples=samples,
    )


def _latency(alone: float, longest: float, lost: int, timeout: float) -> Finding:
    detail = f"{_seconds(alone)} for a question with an image"
    if lost:
        detail += f"; {lost} got no reply"
    if longest < timeout / 2 and not lost:
        return Finding(check="latency", status="ok", detail=detail)
    return Finding(
        check="latency",
        status="warning",
        detail=f"{detail}; the longest took {_seconds(longest)}, --timeout is {timeout:g}",
        remedy=f"--timeout {max(2 * timeout, 4 * longest):.0f}, or --max-image-pixels N",
    )


def suggest(
    *,
    alone: float,
    together: float,
    heard: Sequence[Heard],
    model: ModelOptions,
    samples: int,
) -> Finding:
    """A value for ``--concurrency`` from one request alone and a few together.

    Args:
        alone: seconds of one request while there was no other.
        together: seconds in which those of ``heard`` were done, asked at once.
        samples: that the run asks about.
    """
    count = len(heard)
    if any(one.busy for one in heard):
        return Finding(
            check="concurrency",
            status="warning",
            detail=f"{sum(one.busy for one in heard)} of {count} at once were refused: too many",
            remedy=f"--concurrency 1 --min-interval {max(1.0, alone):.0f}",
        )
    ratio = together / max(alone, 1e-9) if together > _FAST * count else 1.0
    taken = f"{count} at once took {_seconds(together)}, one {_seconds(alone)}"
    duration = f"; at that pace {samples:,} samples take {_seconds(samples * together / count)}"
    detail = taken + (duration if samples else "")
    if ratio <= _AT_ONCE:
        return _fine(f"{detail}; try --concurrency auto")
    if ratio < _IN_TURN * count:
        return _fine(f"{detail}; try --concurrency {count}")
    queue = model.most_in_flight * alone
    if queue <= model.timeout:
        return _fine(f"{detail}: one after another; --concurrency 2 is enough")
    return Finding(
        check="concurrency",
        status="warning",
        detail=f"{detail}: it answers one after another. With {model.most_in_flight} in flight "
        f"the last would wait for {_seconds(queue)}, --timeout is {model.timeout:g}",
        remedy="--concurrency 2",
    )


def _fine(detail: str) -> Finding:
    return Finding(check="concurrency", status="ok", detail=detail)


def _seconds(value: float) -> str:
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 120:
        return f"{value:.1f} s"
    return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"
