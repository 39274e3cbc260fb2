"""A cache that stays within its bytes, also when threads use it at once."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.image_cache import BoundedCache

THREADS = ThreadPoolExecutor(2)


def text_cache(max_bytes: int = 10) -> BoundedCache[str]:
    def size(value: str) -> int | None:
        return None if value.startswith("-") else len(value)

    return BoundedCache(max_bytes, size, THREADS)


def test_made_once() -> None:
    cache = text_cache()
    assert cache.get("a", lambda: "first") == "first"
    assert cache.get("a", lambda: pytest.fail("made again")) == "first"
    assert (len(cache), cache.bytes) == (1, 5)


def test_the_one_used_longest_ago_goes_first() -> None:
    cache = text_cache()
    for key in "abc":
        cache.get(key, lambda: "....")
        cache.get("a", lambda: "again")
    assert cache.get("b", lambda: "new!") == "new!", "a was used since, b was not"
    assert cache.get("a", lambda: "new!") == "...."


@pytest.mark.parametrize("value", ["-", "longer than the cache"])
def test_not_worth_keeping(value: str) -> None:
    cache = text_cache()
    cache.get("kept", lambda: "1234")
    assert cache.get("a", lambda: value) == value
    assert cache.get("a", lambda: "other") == "other"
    assert cache.get("kept", lambda: "gone") == "1234"


def test_clear() -> None:
    cache = text_cache()
    cache.get("a", lambda: "1")
    cache.clear()
    assert (len(cache), cache.bytes) == (0, 0)
    assert cache.get("a", lambda: "2") == "2"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12))))
def test_never_over_its_bytes(uses: list[tuple[int, int]]) -> None:
    cache = text_cache()
    for key, size in uses:
        cache.get(key, lambda size=size: "." * size)  # type: ignore[misc]
        assert 0 <= cache.bytes <= 10
    held = [cache.get(key, lambda: "-") for key in range(10)]
    assert sum(len(value) for value in held if value != "-") == cache.bytes


def test_threads_that_ask_at_once_share_one_making() -> None:
    cache, started, go_on = text_cache(), threading.Event(), threading.Event()
    made = []

    def slowly() -> str:
        started.set()
        assert go_on.wait(10)
        made.append(1)
        return "value"

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(cache.get, "a", slowly) for _ in range(4)]
        assert started.wait(10)
        go_on.set()
        assert [one.result(10) for one in asked] == ["value"] * 4
    assert made == [1]


def test_a_failure_is_raised_and_not_kept() -> None:
    cache = text_cache()

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.get("a", fail)
    assert cache.get("a", lambda: "fine") == "fine"


@pytest.mark.parametrize("value", ["value", "-not kept"])
def test_tasks_and_threads_share_one_making(value: str) -> None:
    cache, go_on = text_cache(), threading.Event()
    made = []

    def slowly() -> str:
        assert go_on.wait(10)
        made.append(1)
        return value

    def four_wait() -> None:
        while "a" not in cache or cache._making["a"].waiting < 4:
            time.sleep(0.001)

    async def main() -> list[str]:
        tasks = [asyncio.create_task(cache.get_async("a", slowly)) for _ in range(3)]
        thread = asyncio.create_task(asyncio.to_thread(cache.get, "a", slowly))
        await asyncio.to_thread(four_wait)
        tasks.pop().cancel()  # which the others do not notice
        await asyncio.sleep(0)
        go_on.set()
        return await asyncio.gather(*tasks, thread)

    assert asyncio.run(main()) == [value] * 3
    assert made == [1]
    assert ("a" in cache) is (value == "value")


def test_a_failure_reaches_all_tasks_and_the_next_one_tries_again() -> None:
    cache = text_cache()

    def fail() -> str:
        raise ValueError("no")

    async def main() -> list[str | BaseException]:
        asked = [cache.get_async("a", fail) for _ in range(3)]
        return await asyncio.gather(*asked, return_exceptions=True)

    assert [str(error) for error in asyncio.run(main())] == ["no"] * 3
    assert "a" not in cache
    assert asyncio.run(cache.get_async("a", lambda: "fine")) == "fine"
    assert asyncio.run(cache.get_async("a", lambda: "again")) == "fine"
