"""Results as the tables that every command shows: the benchmark's own, and repetitions."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks import benchmark_class
from screenmark.types import Table


def result_tables(results: dict[str, Any]) -> list[Table]:
    """Tables of the content of ``results.json``, the most important first."""
    first, *rest = benchmark_class(results["benchmark"]).tables(results)
    repeats = [_repeats(results["repeats"])] if "repeats" in results else []
    return [first, *repeats, *rest]


def _repeats(block: dict[str, Any]) -> Table:
    """One line: what repetitions come to, and how often a sample ends differently."""
    reducers = block["reducers"]
    cells = {
        "mean %": reducers["mean"],
        "median %": reducers["median"],
        "deviation %": block["mean_standard_deviation"],
        "value differs %": block["value_flip_rate"],
    }
    note = None
    if block["pass_from"] is not None:
        cells |= {f"pass@{k} %": value for k, value in reducers["pass_at_k"].items()}
        cells |= {
            "majority %": reducers["majority"],
            "all %": reducers["all"],
            "flips %": block["flip_rate"],
        }
        note = f"a sample passes from {block['metric']} {100 * block['pass_from']:g} % on"
    return Table(
        title=f"{block['n']} repetitions of {block['num_samples']} samples, by {block['metric']}",
        columns=tuple(cells),
        rows=(tuple(cells.values()),),
        note=note,
    )
