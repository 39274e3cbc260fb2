"""Requests gathered into batches, with a model that notes what it is given."""

import asyncio
from collections.abc import Awaitable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from screenmark.models.local.batching import Batcher


@dataclass(eq=False)
class Job:
    name: str
    cells: int = 100
    kind: Hashable | None = "a"
    dropped: bool = False

    def drop(self) -> None:
        self.dropped = True


class Bench:
    """Asks jobs at once; ``batches`` are the names that came together."""

    def __init__(self, rows: int) -> None:
        self.batches: list[list[str]] = []
        self._rows = rows

    def answer(self, jobs: Sequence[Job]) -> list[str | Exception]:
        self.batches.append([job.name for job in jobs])
        if any(job.name == "all fail" for job in jobs):
            raise RuntimeError("the whole batch")
        return [ValueError(job.name) if job.name == "bad" else job.name.upper() for job in jobs]

    def ask(self, *jobs: Job) -> list[str | BaseException]:
        async def ready(job: Job) -> Job:
            await asyncio.sleep(0)
            return job

        async def main() -> list[str | BaseException]:
            with ThreadPoolExecutor(1) as thread:
                batcher = Batcher[Job, str](self.answer, lambda cells: self._rows, thread)
                asked: list[Awaitable[str]] = [batcher.ask(ready(job)) for job in jobs]
                return await asyncio.gather(*asked, return_exceptions=True)

        return asyncio.run(main())


def named(names: str) -> list[Job]:
    return [Job(name) for name in names]


def test_what_comes_together_is_asked_together_and_everybody_gets_their_own() -> None:
    bench = Bench(rows=3)
    assert bench.ask(*named("abcdefg")) == list("ABCDEFG")
    assert bench.batches == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


def test_a_lone_request_waits_for_nobody() -> None:
    bench = Bench(rows=8)
    assert bench.ask(Job("a")) == ["A"]


@pytest.mark.parametrize(
    ("jobs", "batches"),
    [
        ([Job("a", 100), Job("b", 400), Job("c", 110), Job("d", 390)], [["a", "c"], ["b", "d"]]),
        ([Job("a"), Job("b", kind="b"), Job("c")], [["a", "c"], ["b"]]),
        ([Job("a", kind=None), Job("b", kind=None)], [["a"], ["b"]]),
        ([Job("a", 100), Job("b", 120), Job("c", 95)], [["a", "c"], ["b"]]),
    ],
    ids=["size", "kind", "alone", "too far apart together"],
)
def test_like_goes_with_like_and_the_oldest_first(
    jobs: list[Job], batches: list[list[str]]
) -> None:
    bench = Bench(rows=4)
    bench.ask(*jobs)
    assert bench.batches == batches


def test_one_bad_answer_is_its_own() -> None:
    found = Bench(rows=3).ask(Job("a"), Job("bad"), Job("c"))
    assert (found[0], found[2]) == ("A", "C")
    assert isinstance(found[1], ValueError)


def test_a_failing_batch_leaves_nobody_waiting() -> None:
    found = Bench(rows=2).ask(Job("a"), Job("all fail"), Job("c"))
    assert [type(one) for one in found] == [RuntimeError, RuntimeError, str]


def test_a_request_that_cannot_be_made_ready_holds_up_nobody() -> None:
    bench = Bench(rows=8)

    async def ready(job: Job) -> Job:
        return job

    async def fails() -> Job:
        await asyncio.sleep(0.01)
        raise ValueError("no image")

    async def main() -> list[str | BaseException]:
        with ThreadPoolExecutor(1) as thread:
            batcher = Batcher[Job, str](bench.answer, lambda cells: 8, thread)
            asked = [batcher.ask(ready(Job("a"))), batcher.ask(fails())]
            return await asyncio.gather(*asked, return_exceptions=True)

    first, second = asyncio.run(asyncio.wait_for(main(), 10))
    assert first == "A"
    assert isinstance(second, ValueError)


def test_who_gives_up_in_the_queue_is_not_asked() -> None:
    bench = Bench(rows=1)
    gone = Job("gone")

    async def ready(job: Job) -> Job:
        return job

    async def main() -> str:
        with ThreadPoolExecutor(1) as thread:
            batcher = Batcher[Job, str](bench.answer, lambda cells: 1, thread)
            first = asyncio.create_task(batcher.ask(ready(Job("a"))))
            second = asyncio.create_task(batcher.ask(ready(gone)))
            await asyncio.sleep(0)
            second.cancel()
            await asyncio.gather(second, return_exceptions=True)
            return await first

    assert asyncio.run(main()) == "A"
    assert bench.batches == [["a"]]
    assert gone.dropped
