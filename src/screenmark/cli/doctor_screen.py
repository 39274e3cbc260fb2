"""What doctor found, for a person at a terminal: one line a check, what mends it below."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screenmark.doctor import Finding

_PIPED = 100
_NARROWEST = 60
_STYLES = {"ok": "green", "note": "cyan", "warning": "yellow", "failed": "bold red"}


def screen(sections: Sequence[tuple[str, Sequence[Finding]]]) -> str:
    """The sections with their titles, and what it comes to, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from screenmark.reports.tables import printable

    terminal = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = max(_NARROWEST, shutil.get_terminal_size((_PIPED, 24)).columns)
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=terminal, highlight=False)
    for title, findings in sections:
        console.print(Text(printable(title), "bold"))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for finding in findings:
            said = Text(printable(finding.detail))
            if finding.remedy:
                said.append("\n→ ", "bold").append(printable(finding.remedy), "bold")
            status = Text("  " + finding.status, _STYLES[finding.status])
            grid.add_row(status, Text(printable(finding.check)), said)
        console.print(grid)
        console.print()
    console.print(Text(_verdict([f for _, findings in sections for f in findings])))
    return "".join(line.rstrip() + "\n" for line in buffer.getvalue().splitlines())


def _verdict(findings: Sequence[Finding]) -> str:
    failed, warned = (sum(f.status == s for f in findings) for s in ("failed", "warning"))
    if not (failed or warned):
        return "Nothing is in the way."
    warnings = f"{warned} warning{'' if warned == 1 else 's'}"
    told = ", ".join([f"{failed} failed"] * bool(failed) + [warnings] * bool(warned))
    return f"{told}. What mends it stands behind →"
