"""Settings beside the command: a file ``.env`` and MMBench-GUI's environment variables."""

from __future__ import annotations

import os
import re
from pathlib import Path

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*", re.ASCII)
_NO = {"", "0", "false", "no", "off"}


def load_env_file(path: Path) -> None:
    """Set what the file says and the shell has not said already."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        name, value = found[1], found[2]
        if value[:1] in {"'", '"'} and value[-1:] == value[:1] and len(value) > 1:
            value = value[1:-1]
        else:
            value = re.split(r"\s#", value, maxsplit=1)[0].rstrip()
        if value and not os.environ.get(name):
            os.environ[name] = value


def is_on(name: str) -> bool:
    """Whether an environment variable says yes."""
    return os.environ.get(name, "").strip().lower() not in _NO
