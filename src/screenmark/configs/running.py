"""Running the pairs of a configuration, one after the other."""

from __future__ import annotations

from typing import Any

from screenmark.configs.mmbench import check_exists
from screenmark.configs.pairs import Pair
from screenmark.engine import Run, run
from screenmark.engine.progress import Display


def run_pair(pair: Pair, *, display: Display | None = None, **overrides: Any) -> Run:
    """Run one pair; ``overrides`` take the place of the file's options.

    Raises:
        DataError: the benchmark is not there yet, or its data is wrong.
        ScreenmarkError: as `screenmark.run`.
    """
    check_exists(pair)
    return run(pair.benchmark, display=display, **{**pair.options, **overrides})
