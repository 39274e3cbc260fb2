"""What people see: tables and progress."""

from __future__ import annotations

from screenmark.reports.progress import make_display
from screenmark.reports.tables import FORMATS, render

__all__ = ["FORMATS", "make_display", "render"]
