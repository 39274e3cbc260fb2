"""Worlds that agents act in: one contract, and the worlds that come with the package."""

from screenmark.environments.base import (
    DEFAULT_BUDGET,
    Environment,
    ImpossibleAction,
    Observation,
    Step,
    Suite,
    Task,
    Turns,
    Verdict,
    View,
    World,
)
from screenmark.environments.registry import world_class

__all__ = [
    "DEFAULT_BUDGET",
    "Environment",
    "ImpossibleAction",
    "Observation",
    "Step",
    "Suite",
    "Task",
    "Turns",
    "Verdict",
    "View",
    "World",
    "world_class",
]
