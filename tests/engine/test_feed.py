"""The feed that workers draw from."""

from __future__ import annotations

import asyncio

from screenmark.engine.feed import Feed


async def take_all(feed: Feed[int], taken: list[int]) -> None:
    async for item in feed:
        taken.append(item)
        await asyncio.sleep(0)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_many_takers_get_each_item_once() -> None:
    async def scenario() -> list[int]:
        feed = Feed(range(20))
        taken: list[int] = []
        await asyncio.gather(*(take_all(feed, taken) for _ in range(3)))
        return taken

    assert asyncio.run(scenario()) == list(range(20))


def test_takers_wait_for_more_until_it_is_finished() -> None:
    async def scenario() -> None:
        feed = Feed([0], more=True)
        taken: list[int] = []
        takers = [asyncio.create_task(take_all(feed, taken)) for _ in range(3)]
        await settle()
        assert taken == [0]
        feed.add([1, 2, 3, 4])
        feed.finish()
        await asyncio.gather(*takers)
        assert taken == [0, 1, 2, 3, 4]

    asyncio.run(scenario())


def test_a_closed_feed_hands_out_nothing_and_wakes_those_who_wait() -> None:
    async def scenario() -> None:
        waiting: Feed[int] = Feed(more=True)
        taken: list[int] = []
        takers = [asyncio.create_task(take_all(waiting, taken)) for _ in range(2)]
        await settle()
        waiting.close()
        waiting.add([1])
        await asyncio.gather(*takers)
        full = Feed([1, 2], more=True)
        full.close()
        await take_all(full, taken)
        assert taken == []

    asyncio.run(scenario())
