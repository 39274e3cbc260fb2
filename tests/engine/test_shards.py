"""Dealing out endpoints and samples."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.benchmarks import Sample
from screenmark.engine.runner import Work
from screenmark.engine.shards import Ledger, Share, share_endpoints


def works(count: int) -> list[Work]:
    return [Work(n, 0, Sample(id=str(n))) for n in range(count)]


def ledger(count: int, workers: int) -> Ledger:
    return Ledger(iter(works(count)), count, workers)


@pytest.mark.parametrize(
    ("addresses", "workers", "expected"),
    [
        pytest.param("", 2, [Share((), 2, 0), Share((), 2, 1)], id="the vendor's address"),
        pytest.param("a", 1, [Share(("a",))], id="one each"),
        pytest.param("abc", 2, [Share(("a", "c")), Share(("b",))], id="more addresses"),
        pytest.param(
            "ab",
            3,
            [Share(("a",), 2, 0), Share(("b",), 1, 0), Share(("a",), 2, 1)],
            id="more workers",
        ),
    ],
)
def test_endpoints_are_dealt_out_in_turn(
    addresses: str, workers: int, expected: list[Share]
) -> None:
    assert share_endpoints(list(addresses), workers) == expected


@pytest.mark.parametrize(
    ("wanted", "sharers", "expected"),
    [
        pytest.param(32, 1, [32], id="alone"),
        pytest.param(32, 3, [11, 11, 10], id="divided"),
        pytest.param(1, 3, [1, 1, 1], id="at least one"),
        pytest.param("auto", 2, ["auto", "auto"], id="auto"),
    ],
)
def test_those_who_share_an_endpoint_share_its_requests_in_flight(
    wanted: int | Literal["auto"], sharers: int, expected: list[int | Literal["auto"]]
) -> None:
    shares = [Share(("a",), sharers, rank) for rank in range(sharers)]
    assert [share.concurrency(wanted) for share in shares] == expected


def test_a_worker_holds_two_batches_and_is_topped_up() -> None:
    books = ledger(1000, 2)
    assert len(books.hand_out(0, 8)) == 16
    assert len(books.hand_out(0, 8)) == 16
    assert books.hand_out(0, 8) == []
    assert books.settle(0, ("5", 0))
    assert [work.sample.id for work in books.hand_out(0, 8)] == ["32"]


def test_a_small_run_is_for_all_workers() -> None:
    books = ledger(10, 3)
    assert len(books.hand_out(0, 32)) == 4
    assert len(books.hand_out(1, 32)) == 4
    assert len(books.hand_out(2, 32)) == 2


def test_lost_samples_come_back_once() -> None:
    books = ledger(4, 1)
    assert len(books.hand_out(0, 32)) == 4
    books.settle(0, ("0", 0))
    assert books.lost(0) == []
    again = books.hand_out(0, 32)
    assert [work.sample.id for work in again] == ["1", "2", "3"]
    assert books.lost(0) == again
    assert books.unfinished == 0
    assert books.hand_out(0, 32) == []


def test_what_is_given_back_does_not_count_as_lost() -> None:
    books = ledger(2, 1)
    books.hand_out(0, 2)
    assert books.give_back(0) == 2
    books.hand_out(1, 2)
    assert books.lost(1) == []


def test_a_record_of_a_sample_that_is_with_another_worker_by_now_does_not_count() -> None:
    books = ledger(1, 2)
    books.hand_out(0, 1)
    books.lost(0)
    books.hand_out(1, 1)
    assert not books.settle(0, ("0", 0))
    assert books.settle(1, ("0", 0))
    assert books.unfinished == 0


@given(
    count=st.integers(0, 60),
    workers=st.integers(1, 4),
    window=st.integers(1, 9),
    steps=st.lists(st.tuples(st.sampled_from("hsslg"), st.integers(0, 3)), max_size=80),
)
def test_every_sample_ends_once_whatever_happens(
    count: int, workers: int, window: int, steps: list[tuple[str, int]]
) -> None:
    books = ledger(count, workers)
    holds: dict[int, list[Work]] = {n: [] for n in range(workers)}
    ended: Counter[str] = Counter()

    def settle(worker: int) -> None:
        work = holds[worker].pop(0)
        assert books.settle(worker, (work.sample.id, work.repeat))
        ended[work.sample.id] += 1

    for step, number in steps:
        worker = number % workers
        if step == "h":
            holds[worker] += books.hand_out(worker, window)
            assert len(holds[worker]) <= 4 * window
        elif step == "s" and holds[worker]:
            settle(worker)
        elif step == "l":
            ended.update(work.sample.id for work in books.lost(worker))
            holds[worker] = []
        elif step == "g":
            books.give_back(worker)
            holds[worker] = []
        assert books.held_by(worker) == len(holds[worker])
    for _ in range(count + 1):
        for worker in range(workers):
            holds[worker] += books.hand_out(worker, window)
            while holds[worker]:
                settle(worker)
    assert books.unfinished == 0
    assert ended == Counter(str(n) for n in range(count))
