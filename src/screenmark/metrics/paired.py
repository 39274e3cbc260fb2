"""Two readings or two models on the same samples."""

from __future__ import annotations

import math
from typing import Final

_EXACT: Final = 1000


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
