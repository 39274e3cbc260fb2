"""Turns at endpoints: order, replicas, health, holds; the clock is fake."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine.endpoints import Endpoints, Turn
from screenmark.engine.limiter import Limiter
from screenmark.errors import RejectedError, ReplyTimeoutError, TransientError
from screenmark.models import BaseLLMAdapter
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages


class Nobody(BaseLLMAdapter):
    def infer(self, image_path: str, prompt: str) -> str:
        raise AssertionError("not asked here")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def with_endpoints(
    count: int, window: int, work: Callable[[Endpoints, Clock], Awaitable[Any]]
) -> Any:
    async def main() -> Any:
        clock = Clock()
        adapters = [Nobody() for _ in range(count)]
        endpoints = Endpoints(adapters, lambda adapter: Limiter(window, window), clock)
        await endpoints.start()
        try:
            return await work(endpoints, clock)
        finally:
            await endpoints.close()

    return asyncio.run(main())


def test_the_least_loaded_replica_takes_the_next_request() -> None:
    async def work(endpoints: Endpoints, clock: Clock) -> list[int]:
        turns = [await endpoints.acquire() for _ in range(4)]
        endpoints.release(turns[1], None)
        turns.append(await endpoints.acquire())
        return [endpoints.all.index(turn.endpoint) for turn in turns]

    assert with_endpoints(2, 4, work) == [0, 1, 0, 1, 1]


def test_those_who_wait_are_served_in_order() -> None:
    async def work(endpoints: Endpoints, clock: Clock) -> list[int]:
        first = await endpoints.acquire()
        served: list[int] = []

        async def wait(number: int) -> None:
            turn = await endpoints.acquire()
            served.append(number)
            await asyncio.sleep(0)
            endpoints.release(turn, None)

        tasks = [asyncio.create_task(wait(n)) for n in range(5)]
        await asyncio.sleep(0)
        assert served == []
        endpoints.release(first, None)
        await asyncio.gather(*tasks)
        return served

    assert with_endpoints(1, 1, work) == [0, 1, 2, 3, 4]


def test_a_turn_given_to_a_cancelled_request_goes_to_the_next() -> None:
    async def work(endpoints: Endpoints, clock: Clock) -> bool:
        first = await endpoints.acquire()
        waiting = [asyncio.create_task(endpoints.acquire()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        endpoints.release(first, None)
        waiting[1].cancel()
        turn = await asyncio.wait_for(waiting[2], 5)
        return isinstance(turn, Turn) and endpoints.all[0].limiter.in_flight == 1

    assert with_endpoints(1, 1, work)


def test_an_unhealthy_replica_is_set_aside_and_tried_again() -> None:
    async def work(endpoints: Endpoints, clock: Clock) -> None:
        sick, well = endpoints.all
        endpoints.release(await endpoints.acquire(), TransientError("reset"))
        assert sick.rests_until == clock.now + 1
        for _ in range(4):
            assert (await endpoints.acquire()).endpoint is well
        clock.now += 1
        probe = await endpoints.acquire()
        assert probe.endpoint is sick
        endpoints.release(probe, TransientError("reset"))
        assert sick.rests_until == clock.now + 2
        clock.now += 2
        probe = await endpoints.acquire()
        endpoints.release(probe, None)
        assert sick.strikes == 0
        assert (await endpoints.acquire()).endpoint is sick

    with_endpoints(2, 8, work)


def test_a_single_endpoint_is_never_set_aside() -> None:
    async def work(endpoints: Endpoints, clock: Clock) -> None:
        for _ in range(10):
            endpoints.release(await endpoints.acquire(), TransientError("reset"))
        assert endpoints.choose() is endpoints.all[0]

    with_endpoints(1, 4, work)


def test_a_hold_is_for_the_whole_endpoint_and_ends() -> None:
    async def work(endpoints: Endpoints, clock: Clock) -> None:
        turn = await endpoints.acquire()
        endpoints.release(turn, TransientError("busy", status=429))
        endpoints.hold(turn.endpoint, 90)
        assert endpoints.choose() is None
        clock.now += 89
        assert endpoints.choose() is None
        clock.now += 1
        assert endpoints.choose() is endpoints.all[0]

    with_endpoints(1, 4, work)


def test_those_who_wait_out_a_hold_are_woken_by_the_clock() -> None:
    async def main() -> float:
        endpoints = Endpoints([Nobody()], lambda adapter: Limiter(4, 4))
        began = endpoints.clock()
        endpoints.hold(endpoints.all[0], 0.05)
        await asyncio.wait_for(endpoints.acquire(), 5)
        await endpoints.close()
        return endpoints.clock() - began

    assert asyncio.run(main()) >= 0.049


@pytest.mark.parametrize(
    ("error", "window"),
    [
        pytest.param(TransientError("", status=429), 2, id="429"),
        pytest.param(TransientError("", status=503), 3, id="503"),
        pytest.param(ReplyTimeoutError(""), 3, id="timeout"),
        pytest.param(TransientError("connection reset"), 10, id="reset"),
        pytest.param(RejectedError("", status=400), 10, id="400"),
        pytest.param(None, 10, id="answered"),
    ],
)
def test_what_cuts_the_window(error: Exception | None, window: int) -> None:
    async def work(endpoints: Endpoints, clock: Clock) -> list[int]:
        for _ in range(3):
            clock.now += 1
            endpoints.release(await endpoints.acquire(), error)
        return endpoints.windows

    # A 429 counts each time, a failure from the second one on.
    assert with_endpoints(1, 10, work) == [window]


@pytest.mark.usefixtures("in_tmp", "quick_retries")
class TestRuns:
    def test_replicas_share_the_work(self, tmp_path: Path) -> None:
        annotation = make_pages(tmp_path, 12)
        slow = [Act(content=REPLY, seconds=0.02)]
        with FakeEndpoint(slow) as one, FakeEndpoint(slow) as other:
            run = screenmark.run(
                "gui-hallubench", annotation=annotation, model="m",
                api_base=[one.url, other.url], concurrency=2,
            )  # fmt: skip
        assert run.results["outcomes"] == {"ok": 12}
        assert len(one.requests) + len(other.requests) == 12
        assert min(len(one.requests), len(other.requests)) >= 3
        assert run.manifest.sessions[0].api_base == [one.url, other.url]

    def test_a_dead_replica_costs_no_sample(self, tmp_path: Path) -> None:
        annotation = make_pages(tmp_path, 12)
        with FakeEndpoint([Act(content=REPLY)]) as well:
            run = screenmark.run(
                "gui-hallubench", annotation=annotation, model="m",
                api_base=["http://127.0.0.1:9/v1", well.url], concurrency=2,
            )  # fmt: skip
        assert run.results["outcomes"] == {"ok": 12}
        assert len(well.requests) == 12

    def test_auto(self, tmp_path: Path) -> None:
        annotation = make_pages(tmp_path, 4)
        with FakeEndpoint([Act(content=REPLY)]) as endpoint:
            run = screenmark.run(
                "gui-hallubench", annotation=annotation, model="m",
                api_base=endpoint.url, concurrency="auto",
            )  # fmt: skip
        assert run.results["outcomes"] == {"ok": 4}
