"""Task automation: agents that act in one application until a task is done."""

from screenmark.benchmarks.task_automation.benchmark import (
    MiniWobBenchmark,
    MMBenchL3,
    TaskAutomation,
)

__all__ = ["MMBenchL3", "MiniWobBenchmark", "TaskAutomation"]
