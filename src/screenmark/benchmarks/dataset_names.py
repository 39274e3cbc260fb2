"""Benchmarks under the names that MMBench-GUI's own functions and configurations know."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks.base import Benchmark

DATASET_NAMES = {
    "mmbench-gui-l1": "GUIContentUnderstanding",
    "mmbench-gui-l2": "GUIElementGrounding",
    "mmbench-gui-l3": "GUITaskAutomation",
    "mmbench-gui-l4": "GUITaskCollaboration",
}
"""Our id to the public name."""


def dataset_name(benchmark: Benchmark[Any, Any]) -> str:
    """The benchmark's public name, or its id where it has none."""
    return DATASET_NAMES.get(benchmark.info.id, benchmark.info.id)
