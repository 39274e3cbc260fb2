"""Programs of the machine that some benchmarks need: a browser, fonts, a display."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from screenmark.doctor.finding import Finding
from screenmark.rendering import RenderingError, find_chromium
from screenmark.rendering.assets import AssetStore, asset_folder
from screenmark.rendering.chromium import VARIABLE

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
    yield _assets()
    yield _fonts()
    if sys.platform == "linux":
        yield _display()


def _browser() -> Finding:
    try:
        found = find_chromium()
    except RenderingError as error:
        return Finding(
            check="browser", status="failed", detail=str(error), remedy=f"unset {VARIABLE}"
        )
    if found is None:
        return Finding(
            check="browser",
            status="note",
            detail="no Chromium or Chrome; for pages that are rendered and tasks in a browser",
            remedy="apt-get install chromium",
        )
    return Finding(check="browser", status="ok", detail=str(found))


def _assets() -> Finding:
    store = AssetStore(asset_folder())
    missing = [package for package in store.missing() if package.group != "large"]
    if missing:
        return Finding(
            check="assets",
            status="note",
            detail=f"{len(missing)} libraries for rendered pages are not in {store.folder}",
            remedy="screenmark assets fetch",
        )
    return Finding(check="assets", status="ok", detail=str(store.folder))


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
