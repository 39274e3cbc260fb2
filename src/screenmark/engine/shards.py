"""Which worker has which samples: handing out, counting in, taking back from the lost.

Pure bookkeeping; `sharded` does the talking.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from screenmark.engine.runner import Work

BATCHES: Final = 2
"""Batches that a worker holds, so that it never waits for the next one."""
BATCH_WINDOWS: Final = 2
"""Samples in a batch, for each request that a worker has in flight."""

Key = tuple[str, int]


class Share(NamedTuple):
    """A worker's part of the endpoints.

    Attributes:
        api_base: its addresses; empty if the model has none or only its vendor's.
        sharers: workers that ask the same addresses, this one included.
        rank: which one of these it is, from 0.
    """

    api_base: tuple[str, ...]
    sharers: int = 1
    rank: int = 0

    def concurrency(self, wanted: int | Literal["auto"]) -> int | Literal["auto"]:
        """Its part of the requests in flight that an endpoint is given by all of its sharers.

        At least one each; ``auto`` finds its own level.
        """
        if wanted == "auto":
            return wanted
        return max(1, wanted // self.sharers + (self.rank < wanted % self.sharers))


def share_endpoints(addresses: Sequence[str], workers: int) -> list[Share]:
    """Deal addresses out in turn; with fewer of them than workers, several ask one."""
    if not addresses:
        return [Share((), workers, n) for n in range(workers)]
    count = len(addresses)
    shares = []
    for n in range(workers):
        if count >= workers:
            shares.append(Share(tuple(addresses[n::workers])))
        else:
            own = n % count
            sharers = len(range(own, workers, count))
            shares.append(Share((addresses[own],), sharers, n // count))
    return shares


class Ledger:
    """Every sample is with one worker, waiting for one, or done.

    Args:
        work: what to ask, drawn as it is handed out.
        count: how much that is.
        workers: how many there are to be.
    """

    def __init__(self, work: Iterable[Work], count: int, workers: int) -> None:
        self._fresh = iter(work)
        self._workers = max(1, workers)
        self._returned: deque[Work] = deque()
        self._held: dict[int, dict[Key, Work]] = {}
        self._lost_before: set[Key] = set()
        self.unfinished = count

    def held_by(self, worker: int) -> int:
        """Samples that a worker has."""
        return len(self._held.get(worker, {}))

    def hand_out(self, worker: int, window: int) -> list[Work]:
        """What a worker is given now; it holds these samples from then on.

        A worker gets two batches. Towards the end it gets less, so that none sits on a heap
        while the others have nothing to do: no more than its share beyond what it has in
        flight (guided self-scheduling; Polychronopoulos and Kuck, 1987).

        Args:
            window: requests that the worker may have in flight.
        """
        fair = math.ceil(self.unfinished / self._workers)
        most = min(
            BATCHES * BATCH_WINDOWS * window,
            max(min(window, fair), math.ceil(fair / 2)),
        )
        room = min(most - self.held_by(worker), BATCH_WINDOWS * window)
        given = [work for work in (self._next() for _ in range(room)) if work is not None]
        self._held.setdefault(worker, {}).update({_key(work): work for work in given})
        return given

    def _next(self) -> Work | None:
        if self._returned:
            return self._returned.popleft()
        return next(self._fresh, None)

    def settle(self, worker: int, key: Key) -> bool:
        """A record came in; False if the worker does not hold that sample any more."""
        if self._held.get(worker, {}).pop(key, None) is None:
            return False
        self.unfinished -= 1
        return True

    def give_back(self, worker: int) -> int:
        """What a worker holds is for the others, and nobody's fault; how much that is."""
        held = self._held.pop(worker, {})
        self._returned.extend(held.values())
        return len(held)

    def lost(self, worker: int) -> list[Work]:
        """A worker died: its samples are run again once.

        Returns:
            Those lost for the second time, done now as far as this ledger goes.
        """
        held = self._held.pop(worker, {})
        again = [work for key, work in held.items() if key not in self._lost_before]
        given_up = [work for key, work in held.items() if key in self._lost_before]
        self._returned.extend(again)
        self._lost_before.update(map(_key, again))
        self.unfinished -= len(given_up)
        return given_up


def _key(work: Work) -> Key:
    return (work.sample.id, work.repeat)
