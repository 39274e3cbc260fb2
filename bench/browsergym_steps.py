"""BrowserGym's steps a second on a page of MiniWoB++; run in an environment of its own.

Its chat window starts a second browser at a path that only Playwright's own download has; a link
there points to the system's Chromium.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def main(seconds: float, html: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "chromium-1117" / "chrome-linux" / "chrome"
        place.parent.mkdir(parents=True)
        program = shutil.which("chromium") or shutil.which("google-chrome")
        assert program is not None
        place.symlink_to(program)
        os.environ["PLAYWRIGHT_BROWSERS_PATH"] = folder
        os.environ["MINIWOB_URL"] = f"file://{html}/miniwob/"
        print(json.dumps({"steps_a_second": measure(seconds)}))


def measure(seconds: float) -> float:
    gymnasium: Any = importlib.import_module("gymnasium")
    importlib.import_module("browsergym.miniwob")
    environment = gymnasium.make(
        "browsergym/miniwob.click-button",
        pre_observation_delay=0,
        slow_mo=0,
        pw_chromium_kwargs={"executable_path": shutil.which("chromium")},
    )
    environment.reset(seed=0)
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        environment.step("mouse_click(300, 200)")
        steps += 1
    took = time.perf_counter() - began
    environment.close()
    return steps / took


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2])
