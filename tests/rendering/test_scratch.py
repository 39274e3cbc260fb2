"""A browser's temporary folder goes at the end, and when whoever made it is killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from screenmark.rendering.scratch import Scratch


def test_it_goes_at_the_end() -> None:
    scratch = Scratch()
    assert scratch.environment["TMPDIR"] == str(scratch.path)
    (scratch.path / "org.chromium.Chromium.x").mkdir()
    scratch.close()
    assert not scratch.path.exists()
    scratch.close()


def test_a_path_that_is_too_long_for_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / ("x" * 60)
    far.mkdir()
    monkeypatch.setenv("TMPDIR", str(far))
    monkeypatch.setattr(tempfile, "tempdir", str(far))
    scratch = Scratch()
    assert scratch.path.parent == Path("/tmp")
    assert scratch.environment["TMPDIR"] == str(scratch.path)
    scratch.close()
    assert not scratch.path.exists()


def test_it_goes_with_who_made_it() -> None:
    code = (
        "from screenmark.rendering.scratch import Scratch\n"
        "scratch = Scratch()\n(scratch.path / 'x').mkdir()\n"
        "print(scratch.path, flush=True)\nimport time\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as maker:
        assert maker.stdout is not None
        folder = Path(maker.stdout.readline().strip())
        assert folder.is_dir()
        maker.kill()
        for _ in range(200):
            if not folder.exists():
                break
            time.sleep(0.05)
    assert not folder.exists()
