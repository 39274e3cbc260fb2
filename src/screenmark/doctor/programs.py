"""Programs of the machine that some benchmarks need: a browser, fonts, a display."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from screenmark.doctor.finding import Finding

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")
_MAC_BROWSERS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_CJK_FILES = ("cjk", "wqy", "sourcehan", "droidsansfallback", "uming", "ukai", "ipa", "nanum")
_DISPLAY = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "xdotool": "xdotool",
    "wmctrl": "wmctrl",
    "xclip": "xclip",
    "dbus-launch": "dbus-x11",
}
"""Programs of a virtual desktop, and the Debian packages that they come in."""
_SECONDS = 20


def check_programs() -> Iterator[Finding]:
    """Browser, fonts and display tools; nothing here fails, since few benchmarks need them."""
    yield _browser()
    yield _fonts()
    if sys.platform == "linux":
        yield _display()


def _browser() -> Finding:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    found = found or next((place for place in _MAC_BROWSERS if Path(place).is_file()), None)
    if found is None:
        return Finding(
            check="browser",
            status="note",
            detail="no Chromium or Chrome; for pages that are rendered and tasks in a browser",
            remedy="apt-get install chromium",
        )
    return Finding(check="browser", status="ok", detail=found)


def _fonts() -> Finding:
    if sys.platform != "linux" or _has_cjk_font():
        return Finding(check="fonts", status="ok", detail="Chinese, Japanese, Korean")
    return Finding(
        check="fonts",
        status="warning",
        detail="none with Chinese, Japanese, Korean: rendered pages would show boxes",
        remedy="apt-get install fonts-noto-cjk",
    )


def _has_cjk_font() -> bool:
    listing = shutil.which("fc-list")
    if listing is not None:
        try:
            done = subprocess.run(  # noqa: S603 - found on PATH, nothing of a user's in it
                [listing, ":lang=zh", "family"], capture_output=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.SubprocessError):
            pass
        else:
            return bool(done.stdout.strip())
    for folder in _FONT_FOLDERS:
        for _, _, files in os.walk(Path(folder).expanduser()):
            if any(part in name.lower() for name in files for part in _CJK_FILES):
                return True
    return False


def _display() -> Finding:
    missing = [name for name in _DISPLAY if shutil.which(name) is None]
    if not missing:
        return Finding(check="display", status="ok", detail=", ".join(_DISPLAY))
    packages = " ".join(_DISPLAY[name] for name in missing)
    return Finding(
        check="display",
        status="note",
        detail=f"no {', '.join(missing)}; for tasks on a virtual desktop",
        remedy=f"apt-get install {packages}",
    )
