"""A wall clock that a test sets; the monotonic clock goes on as ever."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from screenmark.engine import manifest
from screenmark.models import wire

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class WallClock:
    """Stands in for the clock wherever the product asks what time of day it is."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.time = START
        clock = self

        class Datetime(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Datetime:
                now = clock.time.astimezone(tz)
                return cls.combine(now.date(), now.timetz())

        patch.setattr(manifest, "datetime", Datetime)
        patch.setattr(wire, "datetime", Datetime)
        patch.setattr(time, "time", self.seconds)

    def seconds(self) -> float:
        """Since 1970."""
        return self.time.timestamp()

    def jump(self, hours: float) -> None:
        self.time += timedelta(hours=hours)
