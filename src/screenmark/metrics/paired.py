"""Two readings or two models on the same samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

_EXACT: Final = 1000
_MOST_COUNTED: Final = 16
_DRAWS: Final = 100_000
_BLOCK: Final = 1000


def mcnemar_p_value(gained: int, lost: int) -> float:
    """Exact two-sided McNemar test from the samples on which two sides differ.

    Under the hypothesis of no difference each of them falls to either side with probability
    one half (McNemar 1947; exact binomial form). 1 if they never differ.

    Raises:
        ValueError: a count is negative.
    """
    if gained < 0 or lost < 0:
        raise ValueError(f"expected counts, got {gained} and {lost}")
    n, fewer = gained + lost, min(gained, lost)
    if n > _EXACT:
        # The normal approximation with continuity correction; beyond a thousand they agree.
        z = (abs(gained - lost) - 1) / math.sqrt(n)
        return min(1.0, math.erfc(max(0.0, z) / math.sqrt(2)))
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    # Python's whole numbers divide exactly, so nothing under- or overflows.
    return float(min(1.0, tail / 2 ** (n - 1))) if n else 1.0


def sign_flip_p_value(differences: Sequence[float]) -> float:
    """Two-sided sign-flip (permutation) test of paired differences.

    Under the hypothesis of no difference each of them could as well have the other sign; p is
    the share of all ways to choose the signs whose sum is at least as far from 0 (Fisher 1935).
    Up to 16 differences other than 0 all ways are counted, of more 100,000 are drawn, always the
    same. 1 if there is no difference.

    Args:
        differences: one for each unit that is independent of the others, such as the sum of a
            cluster's.

    Raises:
        ValueError: a difference is not finite.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("expected finite differences")
    values = values[values != 0]
    if not len(values):
        return 1.0
    # Rounding must not make the ways that come to the same sum differ.
    seen = abs(float(values.sum())) - 1e-9 * float(np.abs(values).sum())
    if len(values) <= _MOST_COUNTED:
        ways = np.arange(2 ** len(values))[:, None] >> np.arange(len(values)) & 1
        return float((np.abs((2 * ways - 1) @ values) >= seen).mean())
    rng = np.random.default_rng(0)
    as_far = 0
    for _ in range(_DRAWS // _BLOCK):
        signs = rng.integers(0, 2, size=(_BLOCK, len(values))) * 2 - 1
        as_far += int((np.abs(signs @ values) >= seen).sum())
    # The signs that were seen are one of the ways.
    return (as_far + 1) / (_DRAWS + 1)
