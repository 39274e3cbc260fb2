"""Browser, fonts and display tools, as if they were there or not."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from screenmark.doctor import Finding, programs
from screenmark.rendering import chromium
from screenmark.rendering.assets import VARIABLE, AssetStore


def look(monkeypatch: pytest.MonkeyPatch, *found: str, fonts: bytes = b"") -> dict[str, Finding]:
    def run(command: list[str], **_: Any) -> Any:
        return subprocess.CompletedProcess(command, 0, stdout=fonts)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in found else None)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(chromium, "_PLACES", ())
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    return {finding.check: finding for finding in programs.check_programs()}


def test_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AssetStore, "missing", lambda _: [])
    display = ("Xvfb", "openbox", "xdotool", "wmctrl", "xclip", "dbus-launch")
    found = look(monkeypatch, "google-chrome", "fc-list", *display, fonts=b"Noto Sans CJK SC\n")
    assert {f.status for f in found.values()} == {"ok"}
    assert found["browser"].detail == "/bin/google-chrome"


def test_nothing_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs, "_FONT_FOLDERS", (str(tmp_path),))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "assets"))
    for found in (look(monkeypatch), look(monkeypatch, "fc-list")):
        assert {name: f.status for name, f in found.items()} == {
            "browser": "note",
            "assets": "note",
            "fonts": "warning",
            "display": "note",
        }
        assert found.pop("assets").remedy == "screenmark assets fetch"
        assert all(f.remedy.startswith("apt-get install ") for f in found.values())
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "NotoSansCJK-Regular.ttc").write_bytes(b"")
    assert look(monkeypatch)["fonts"].status == "ok"


def test_the_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = look(monkeypatch, "Xvfb", "openbox", "wmctrl", "xclip", "dbus-launch")
    assert found["display"].remedy == "apt-get install xdotool"


def test_a_browser_that_is_named_and_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chromium.VARIABLE, "/no/chromium")
    [found] = [f for f in programs.check_programs() if f.check == "browser"]
    assert found.status == "failed"
    assert "/no/chromium" in found.detail
