"""Checks of what the live maps of a page really show, against what a right output satisfies."""

from screenmark.benchmarks.map_judging.map_checks.checker import map_checks
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations, expectations_of

__all__ = ["Expectations", "expectations_of", "map_checks"]
