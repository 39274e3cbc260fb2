"""``difflib``'s count of matching characters, for many pairs of short strings at once.

``difflib.SequenceMatcher`` takes the longest common block of two strings (of several, the
one that starts earliest in the first string and then earliest in the second), and goes on in
what lies before it and behind it in both. A data set has tens of thousands of descriptions to
compare, and one call for each costs more than all the rest of the metrics. Here all pairs
advance together: a *word* holds, for one character of the first string, one bit for each
position of the second string that has the same character. A block of length ``n`` starts at
``(i, j)`` if bit ``j + m`` of word ``i + m`` is set for all ``m < n``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[Any]
"""Unsigned integers, shape (characters of the first string + 1, pairs), the last row zero."""

Ints: TypeAlias = NDArray[np.int64]

MAX_LENGTH = 64
"""Longest string that fits; difflib's special case for popular characters starts at 200."""

_DTYPES = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}

_PAD_A, _PAD_B = 0xFFFFFFFE, 0xFFFFFFFF
"""Code points that no string has; they differ, so that padding matches nothing."""


class _Blocks(NamedTuple):
    """The longest block of each pair: where it starts in both strings, and its length."""

    start_a: Ints
    start_b: Ints
    length: Ints


def similarity_ratios(a: Sequence[str], b: Sequence[str]) -> list[float]:
    """``SequenceMatcher(None, a[k], b[k]).ratio()`` for each k; no pair may be all empty.

    No string may be longer than :data:`MAX_LENGTH`.
    """
    lengths = _lengths(a), _lengths(b)
    longest = np.maximum(*lengths)
    matching = np.zeros(len(a), dtype=np.int64)
    shorter = 0
    for bits, dtype in _DTYPES.items():
        chosen = np.flatnonzero((longest > shorter) & (longest <= bits))
        shorter = bits
        if len(chosen):
            of_size = [[strings[k] for k in chosen.tolist()] for strings in (a, b)]
            words = _equal_characters(_codes(of_size[0], _PAD_A), _codes(of_size[1], _PAD_B), dtype)
            matching[chosen] = _count(words)
    ratios: list[float] = (2.0 * matching / (lengths[0] + lengths[1])).tolist()
    return ratios


def _count(words: Words) -> Ints:
    matching = np.zeros(words.shape[1], dtype=np.int64)
    active = np.arange(len(matching))
    while True:
        found = np.flatnonzero(np.bitwise_or.reduce(words, axis=0))
        if not len(found):
            return matching
        if len(found) < len(active):
            words, active = words.take(found, axis=1), active[found]
        blocks = _longest_blocks(words)
        matching[active] += blocks.length
        words &= _before_and_behind(blocks, words)


def _lengths(strings: Sequence[str]) -> Ints:
    return np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))


def _codes(strings: list[str], padding: int) -> NDArray[np.uint32]:
    """Code points, shape (longest string, strings)."""
    lengths = _lengths(strings)
    width = max(1, lengths.max())
    codes = np.array(strings, dtype=f"U{width}").view(np.uint32).reshape(-1, width).T.copy()
    codes[np.arange(width)[:, np.newaxis] >= lengths] = padding
    return codes


def _equal_characters(a: NDArray[np.uint32], b: NDArray[np.uint32], dtype: Any) -> Words:
    """The words of the module's description, from code points of shape (characters, pairs)."""
    octets = np.zeros((dtype(0).itemsize, *a.shape), dtype=np.uint8)
    for position, codes in enumerate(b):
        octet, bit = divmod(position, 8)
        octets[octet] |= (a == codes).view(np.uint8) << np.uint8(bit)
    words = np.zeros((len(a) + 1, a.shape[1]), dtype=dtype)
    for octet, values in enumerate(octets):
        words[:-1] |= values.astype(dtype) << dtype(8 * octet)
    return words


def _longest_blocks(words: Words) -> _Blocks:
    """The block that difflib would take first, of each pair; every pair must have one."""
    dtype = words.dtype.type
    pairs = words.shape[1]
    starts, length = _long_starts(words)
    flat = words.ravel()
    at = np.flatnonzero(starts != 0)
    bits = starts.ravel()[at]
    pair = at % pairs
    start = np.zeros(pairs, dtype=np.int64)
    first = np.zeros(pairs, dtype=dtype)
    while len(at):
        # Written from the back, so that the earliest start of a pair is what remains.
        start[pair[::-1]] = at[::-1]
        first[pair[::-1]] = bits[::-1]
        reached = length[pair]
        bits = bits & (flat[at + reached * pairs] >> reached.astype(dtype))
        longer = np.flatnonzero(bits)
        at, bits, pair = at[longer], bits[longer], pair[longer]
        length[pair] = reached[longer] + 1
    lowest = first & (~first + dtype(1))
    start_b = np.frexp(lowest.astype(np.float64))[1].astype(np.int64) - 1
    return _Blocks(start // pairs, start_b, length)


def _long_starts(words: Words) -> tuple[Words, Ints]:
    """Where blocks start whose length is the greatest power of two that the pair has."""
    starts = words.copy()
    length = np.ones(words.shape[1], dtype=np.int64)
    doubled, size = words, 1
    while True:
        doubled = doubled[:-size] & (doubled[size:] >> words.dtype.type(size))
        present = np.bitwise_or.reduce(doubled, axis=0) != 0
        if not present.any():
            return starts, length
        size *= 2
        length[present] = size
        # Where doubled is present it takes the place of all starts found before.
        starts &= np.where(present, words.dtype.type(0), ~words.dtype.type(0))
        starts[: len(doubled)] |= doubled


def _before_and_behind(blocks: _Blocks, words: Words) -> Words:
    """Bits of the positions before the block in both strings, or behind it in both."""
    dtype = words.dtype.type
    one = dtype(1)
    row = np.arange(len(words), dtype=np.uint8)[:, np.newaxis]
    end_a = (blocks.start_a + blocks.length).astype(np.uint8)
    before = (one << blocks.start_b.astype(dtype)) - one
    behind = ~((one << (blocks.start_b + blocks.length).astype(dtype)) - one)
    chosen: Words = np.where(row < blocks.start_a.astype(np.uint8), before, dtype(0))
    np.copyto(chosen, behind, where=row >= end_a)
    return chosen
