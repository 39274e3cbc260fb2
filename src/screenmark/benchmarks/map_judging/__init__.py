"""Map judging (GIS-Bench): rendered maps scored against a rubric, and what they really show."""

from screenmark.benchmarks.map_judging.benchmark import MapJudging

__all__ = ["MapJudging"]
