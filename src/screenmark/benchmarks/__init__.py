"""What is measured: one folder a family."""

from __future__ import annotations

from screenmark.benchmarks.base import (
    Benchmark,
    BenchmarkInfo,
    DataOptions,
    Dataset,
    Sample,
)
from screenmark.benchmarks.registry import BENCHMARKS, benchmark_class

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "BenchmarkInfo",
    "DataOptions",
    "Dataset",
    "Sample",
    "benchmark_class",
]
