"""An answer against the right class."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.types import Answer


def score_class(sample: ClassSample, answer: Answer | None) -> dict[str, Any]:
    """``correct`` is 1 or 0; without an answer it is 0."""
    chosen = answer.value if answer is not None else None
    return {"correct": int(chosen == sample.label), "chosen": chosen, "label": sample.label}
