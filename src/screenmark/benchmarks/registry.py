"""Benchmarks by id, loaded when asked for."""

from __future__ import annotations

import difflib
import importlib
from typing import Any

from screenmark.benchmarks.base import Benchmark
from screenmark.errors import UsageError

BENCHMARKS: dict[str, str] = {
    "gui-hallubench": "screenmark.benchmarks.page_parsing:PageParsing",
    "mmbench-gui-l1": "screenmark.benchmarks.content_understanding:ContentUnderstanding",
    "mmbench-gui-l2": "screenmark.benchmarks.element_grounding:MMBenchL2",
    "screenspot": "screenmark.benchmarks.element_grounding:ScreenSpot",
    "screenspot-v2": "screenmark.benchmarks.element_grounding:ScreenSpotV2",
    "screenspot-pro": "screenmark.benchmarks.element_grounding:ScreenSpotPro",
    "osworld-g": "screenmark.benchmarks.element_grounding:OSWorldG",
    "uibert-refexp": "screenmark.benchmarks.ui_components:RefExp",
    "uibert-appsim-rico": "screenmark.benchmarks.ui_components:AppSimRico",
    "uibert-appsim-web": "screenmark.benchmarks.ui_components:AppSimWeb",
    "mmbench-gui-l3": "screenmark.benchmarks.task_automation:MMBenchL3",
    "miniwob": "screenmark.benchmarks.task_automation:MiniWobBenchmark",
    "gis-bench": "screenmark.benchmarks.map_judging:MapJudging",
    "uibert-sync": "screenmark.benchmarks.ui_classification:Sync",
    "uibert-app-type": "screenmark.benchmarks.ui_classification:AppType",
    "uibert-icon-32": "screenmark.benchmarks.ui_classification:IconCoarse",
    "uibert-icon-77": "screenmark.benchmarks.ui_classification:IconFine",
}
"""``module:Class`` of every benchmark."""

_TOOLS: dict[str, str] = {
    "calibration": "screenmark.benchmarks.calibration:Calibration",
}
"""What runs as a benchmark does but measures nothing that anybody compares."""


def benchmark_class(benchmark_id: str) -> type[Benchmark[Any, Any]]:
    """Look a benchmark up.

    Raises:
        UsageError: there is none by that id; the nearest one is named.
    """
    target = BENCHMARKS.get(benchmark_id) or _TOOLS.get(benchmark_id)
    if target is None:
        close = difflib.get_close_matches(benchmark_id, BENCHMARKS, n=1, cutoff=0.4)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(
            f"unknown benchmark {benchmark_id!r}{hint} (see: screenmark list benchmarks)"
        )
    module, _, name = target.partition(":")
    found: type[Benchmark[Any, Any]] = getattr(importlib.import_module(module), name)
    return found
