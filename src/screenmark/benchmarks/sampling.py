"""Choosing some of the samples of a data set."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def choose(
    samples: Sequence[T], count: int | None, seed: int | None, group_of: Callable[[T], str]
) -> Sequence[T]:
    """The first ``count`` samples, or with a seed a sample stratified by group.

    Each group gets its share by largest remainder, ties by the group's first appearance;
    data order is kept.
    """
    if count is None or count >= len(samples):
        return samples
    if seed is None:
        return samples[:count]
    groups: dict[str, list[int]] = defaultdict(list)
    for position, sample in enumerate(samples):
        groups[group_of(sample)].append(position)
    shares = _largest_remainder({g: len(members) for g, members in groups.items()}, count)
    generator = random.Random(seed)  # noqa: S311 - a draw to repeat, not a secret
    chosen: list[int] = []
    for group, members in groups.items():
        chosen += generator.sample(members, shares[group])
    return [samples[position] for position in sorted(chosen)]


def _largest_remainder(sizes: dict[str, int], count: int) -> dict[str, int]:
    total = sum(sizes.values())
    shares = {group: size * count // total for group, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda group: -(sizes[group] * count % total))
    for group in by_remainder[: count - sum(shares.values())]:
        shares[group] += 1
    return shares
