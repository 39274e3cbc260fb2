"""The system's Chromium: where it is, and how it has to be started."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from screenmark.rendering.errors import RenderingError

VARIABLE = "SCREENMARK_CHROMIUM"
"""Environment variable with the path of the browser."""

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

# Port 9 answers nobody. What escapes the route table (sockets, pre-connections, shared workers)
# ends there, whatever its address; <-loopback> keeps addresses of this machine from going round.
_NOWHERE = (
    "--proxy-server=socks5://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
)
_SAME_PIXELS = (
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--disable-partial-raster",
    # Drawn by the processor: graphics drivers, and the emulation of one, place letters by what
    # they have drawn before. WebGL goes on, in software.
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
)
_QUIET = (
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-features=Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions",
    "--mute-audio",
)


def find_chromium(
    given: Path | None = None, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """The browser to use: the one given, the one of ``SCREENMARK_CHROMIUM``, or the system's.

    Returns:
        None if there is none.

    Raises:
        RenderingError: one is given, but it is not there or cannot be run.
    """
    named = given or environment.get(VARIABLE)
    if named:
        path = Path(named).expanduser()
        if path.is_file() and os.access(path, os.X_OK):
            return path
        source = "--browser" if given else VARIABLE
        raise RenderingError(f"{source} {path}: no program there; expected Chromium's path")
    for name in _NAMES:
        if found := shutil.which(name):
            return Path(found)
    return next((Path(place) for place in _PLACES if Path(place).is_file()), None)


def need_chromium(given: Path | None = None) -> Path:
    """As `find_chromium`, but there has to be one.

    Raises:
        RenderingError: there is none; the message says what to install.
    """
    path = find_chromium(given)
    if path is None:
        raise RenderingError(
            "no Chromium found: install it (Debian: apt-get install chromium fonts-noto-cjk), "
            f"or name it with {VARIABLE}"
        )
    return path


def arguments(memory_mb: int) -> list[str]:
    """Command line of a browser without a network whose pixels are the same everywhere.

    Args:
        memory_mb: memory that a page's scripts may hold, in MiB.
    """
    heap = f"--js-flags=--max-old-space-size={memory_mb}"
    return [*_NOWHERE, *_SAME_PIXELS, *_QUIET, heap]
