"""A cache that stays within its bytes, also when threads use it at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.image_cache import BoundedCache


def text_cache(max_bytes: int = 10) -> BoundedCache[str]:
    return BoundedCache(max_bytes, lambda value: None if value.startswith("-") else len(value))


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
