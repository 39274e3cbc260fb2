"""The window of an endpoint under a fake clock."""

from __future__ import annotations

import pytest

from screenmark.engine.limiter import AUTO_START, Limiter
from screenmark.models.base import AUTO_MOST


class Server:
    """A simulated endpoint: fixed latency, at most ``room`` requests at a time, else 429."""

    def __init__(self, limiter: Limiter, room: int, latency: float = 1.0) -> None:
        self.limiter, self.room, self.latency = limiter, room, latency
        self.now = 0.0
        self.running: list[tuple[float, bool]] = []
        self.answered = self.refused = 0

    def run(self, seconds: float) -> None:
        """Keep the window full for so long, in steps of a tenth of the latency."""
        end = self.now + seconds
        while self.now < end:
            for started, ok in [r for r in self.running if r[0] + self.latency <= self.now]:
                self.running.remove((started, ok))
                self.limiter.end(started, self.now, answered=ok, refused=not ok)
                self.answered += ok
                self.refused += not ok
            while self.limiter.ready_at(self.now) == self.now:
                accepted = sum(ok for _, ok in self.running) < self.room
                self.limiter.start(self.now)
                self.running.append((self.now, accepted))
            self.now += self.latency / 10


def test_a_patient_endpoint_gets_what_was_asked_for() -> None:
    server = Server(Limiter(32, 32), room=100)
    server.run(50)
    assert server.limiter.limit == 32
    assert server.refused == 0
    assert server.answered >= 32 * 48


def test_a_small_endpoint_settles_near_its_room() -> None:
    server = Server(Limiter(32, 32), room=8)
    server.run(30)
    before_answers, before_refusals = server.answered, server.refused
    server.run(100)
    answered = server.answered - before_answers
    refused = server.refused - before_refusals
    assert answered >= 0.6 * 8 * 100
    assert refused <= 0.25 * answered


def test_one_burst_of_refusals_is_one_cut() -> None:
    limiter = Limiter(32, 32)
    for _ in range(32):
        limiter.start(0.0)
    for _ in range(32):
        limiter.end(0.0, 1.0, answered=False, refused=True)
    assert limiter.limit == pytest.approx(32 * 0.6)
    limiter.start(2.0)
    limiter.end(2.0, 3.0, answered=False, refused=True)
    assert limiter.limit == pytest.approx(32 * 0.36)


def test_the_window_never_closes() -> None:
    limiter = Limiter(4, 4)
    for n in range(20):
        limiter.start(float(n))
        limiter.end(float(n), n + 0.5, answered=False, refused=True)
    assert limiter.limit == 1
    assert limiter.ready_at(30.0) == 30.0


def test_the_rate_recovers_after_a_long_hold() -> None:
    server = Server(Limiter(32, 32), room=100)
    server.run(10)
    server.room = 0
    server.run(3)
    assert server.limiter.limit < 20
    server.limiter.hold(server.now + 120)
    quiet = server.answered
    server.run(119)
    assert server.answered == quiet, "nothing starts during the hold"
    server.room = 100
    server.run(40)
    assert server.limiter.limit == 32


def test_an_accident_now_and_then_cuts_nothing() -> None:
    limiter = Limiter(32, 32)
    for n in range(1000):
        limiter.start(float(n))
        limiter.end(float(n), n + 0.5, answered=n % 50 != 0, failed=n % 50 == 0)
    assert limiter.limit == 32


def test_failures_in_a_row_cut_like_a_refusal() -> None:
    limiter = Limiter(32, 32)
    for n in range(3):
        limiter.start(float(n))
        limiter.end(float(n), n + 0.5, answered=False, failed=True)
    assert limiter.limit < 32


def test_a_neutral_end_changes_nothing() -> None:
    limiter = Limiter(8, 32)
    limiter.start(0.0)
    limiter.end(0.0, 1.0, answered=False)
    assert limiter.limit == 8
    assert limiter.in_flight == 0


def test_auto_grows_as_long_as_it_helps() -> None:
    server = Server(Limiter(AUTO_START, AUTO_MOST), room=200)
    server.run(15)
    assert 100 <= server.limiter.limit <= 300
    assert server.refused <= 0.1 * server.answered


def test_auto_stops_growing_when_answers_only_take_longer() -> None:
    limiter = Limiter(AUTO_START, AUTO_MOST)
    now = 0.0
    # A server that works on 64 at a time: beyond that, latency grows with the window.
    for _ in range(4000):
        limiter.start(now)
        latency = max(1.0, limiter.limit / 64)
        limiter.end(now, now + latency, answered=True)
        now += 0.01
    assert 64 <= limiter.limit <= 180


def test_starts_are_spaced() -> None:
    limiter = Limiter(10, 10, min_interval=1.5)
    assert limiter.ready_at(5.0) == 5.0
    limiter.start(5.0)
    assert limiter.ready_at(5.2) == 6.5
    assert limiter.ready_at(7.0) == 7.0


@pytest.mark.parametrize("in_flight", [0, 1, 2])
def test_a_full_window_has_no_time(in_flight: int) -> None:
    limiter = Limiter(2, 2)
    for _ in range(in_flight):
        limiter.start(0.0)
    assert limiter.ready_at(1.0) == (None if in_flight == 2 else 1.0)
