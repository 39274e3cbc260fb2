"""A simulated cluster: many endpoints with faults, the engine's own windows and routing.

Twenty workers share a thousand endpoints, fifty each. An endpoint answers so many requests
at a time, each in about its own latency, and refuses what is beyond (429); now and then it is
down for a while. The clock is simulated and everything is drawn from one seed, so the same
command prints the same figures. What is measured is the share of the cluster's capacity that
the windows and the routing make use of.
"""

from __future__ import annotations

import argparse
import heapq
import random
from typing import NamedTuple

from screenmark.engine.endpoints import Endpoints, Turn
from screenmark.engine.limiter import AUTO_START, Limiter
from screenmark.errors import TransientError
from screenmark.models import BaseLLMAdapter
from screenmark.models.base import AUTO_MOST

WORKERS, ENDPOINTS = 20, 1000


class Nobody(BaseLLMAdapter):
    """Stands for an endpoint; never asked."""

    def infer(self, image_path: str, prompt: str) -> str:
        raise AssertionError("simulated")


class Server:
    """What an endpoint can do, and when it is down."""

    def __init__(self, dice: random.Random, seconds: float) -> None:
        self.room = dice.choice([4, 8, 16, 32, 64])
        self.latency = dice.uniform(0.5, 3.0)
        self.busy = 0
        self.outages: list[tuple[float, float]] = []
        if dice.random() < 0.2:
            begin = dice.uniform(0, seconds)
            self.outages.append((begin, begin + dice.uniform(10, 60)))

    def is_down(self, now: float) -> bool:
        return any(begin <= now < end for begin, end in self.outages)

    def capacity(self, seconds: float) -> float:
        """Requests that it could answer in so long."""
        down = sum(min(end, seconds) - min(begin, seconds) for begin, end in self.outages)
        return self.room / self.latency * (seconds - down)


class End(NamedTuple):
    """A request ends."""

    time: float
    number: int
    turn: Turn
    server: Server
    error: TransientError | None


class Worker:
    """One worker of the cluster: its share of the endpoints, always with work to do."""

    def __init__(self, dice: random.Random, seconds: float) -> None:
        self.dice = dice
        self.now = 0.0
        count = ENDPOINTS // WORKERS
        self.servers = [Server(dice, seconds) for _ in range(count)]
        self.endpoints = Endpoints(
            [Nobody() for _ in range(count)], lambda _: Limiter(AUTO_START, AUTO_MOST), self.clock
        )
        self.by_endpoint = dict(zip(map(id, self.endpoints.all), self.servers, strict=True))
        self.ends: list[End] = []
        self.sent = self.answered = self.refused = self.failed = 0

    def clock(self) -> float:
        return self.now

    def run(self, seconds: float) -> None:
        """Keep every window full until the time is over."""
        while True:
            while (chosen := self.endpoints.choose()) is not None:
                self._send(self.endpoints._begin(chosen))
            if not self.ends or self.ends[0].time > seconds:
                return
            end = heapq.heappop(self.ends)
            self.now = end.time
            if end.error is None or end.error.status != 429:
                end.server.busy -= 1
            self.answered += end.error is None
            self.endpoints.release(end.turn, end.error)

    def _send(self, turn: Turn) -> None:
        server = self.by_endpoint[id(turn.endpoint)]
        self.sent += 1
        took = server.latency * self.dice.lognormvariate(0, 0.2)
        error: TransientError | None = None
        if server.is_down(self.now):
            error, took = TransientError("connection refused"), 0.01
            server.busy += 1
            self.failed += 1
        elif server.busy >= server.room:
            error, took = TransientError("busy", status=429), 0.02
            self.refused += 1
        else:
            server.busy += 1
            if self.dice.random() < 0.01:
                error, took = TransientError("oops", status=500), took / 2
                self.failed += 1
        heapq.heappush(self.ends, End(self.now + took, self.sent, turn, server, error))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=WORKERS)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    workers = [Worker(dice, options.seconds) for _ in range(options.workers)]
    for worker in workers:
        worker.run(options.seconds)
    capacity = sum(s.capacity(options.seconds) for w in workers for s in w.servers)
    answered, refused, failed = (
        sum(getattr(w, name) for w in workers) for name in ("answered", "refused", "failed")
    )
    count = options.workers * (ENDPOINTS // WORKERS)
    print(f"{count:,} endpoints, {options.workers} workers, {options.seconds:g} simulated seconds")
    print(f"answered {answered:,} of a capacity of {capacity:,.0f}: {answered / capacity:.0%}")
    print(
        f"refused {refused / (answered + refused):.1%}, failed {failed / (answered + failed):.1%}"
    )


if __name__ == "__main__":
    main()
