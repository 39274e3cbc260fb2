"""What a person sees of a download."""

from __future__ import annotations

import io
import sys

import pytest

from screenmark.cli import data_progress
from screenmark.cli.data_progress import Bar, Lines, make_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    progress = make_progress()
    assert isinstance(progress, Bar)
    with progress:
        progress.phase("fetching", None)
        progress.expect(4_000_000)
        progress.expect(4_000_000)
        progress.advance(2_000_000)
        progress.say("f.zip: [bold]breaks off\x1b[2J; next try in 1.0 s")
        progress.phase("unpacking f.zip", 1)
    text = shown.getvalue()
    assert "2.0/8.0 MB" in text
    assert "f.zip: [bold]breaks off\\x1b[2J; next try" in text
    assert "unpacking f.zip" in text


def test_lines_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_progress, "_LINE_SECONDS", 0.0)
    progress = make_progress()
    assert isinstance(progress, Lines)
    with progress:
        progress.phase("fetching", None)
        progress.advance(1_000_000)
        progress.expect(4_000_000)
        progress.advance(1_000_000)
        progress.phase("unpacking f.zip", 3_000_000)
    assert capsys.readouterr().err.splitlines() == [
        "fetching …",
        "fetching: 1.0 MB",
        "fetching: 2.0 of 4.0 MB",
        "unpacking f.zip, 3.0 MB …",
    ]
