"""Many samples: asking, retrying, recording, resuming, summing up."""

from __future__ import annotations

from screenmark.engine.api import rescore, run
from screenmark.engine.options import EngineOptions
from screenmark.engine.progress import Display, Progress
from screenmark.engine.run_view import Run
from screenmark.engine.side_by_side import side_by_side

__all__ = ["Display", "EngineOptions", "Progress", "Run", "rescore", "run", "side_by_side"]
