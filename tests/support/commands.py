"""Commands as a person gives them, and a small run to give them about."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import screenmark
from screenmark.cli import main as cli
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


class _Terminal(io.StringIO):
    """A keyboard with somebody at it."""

    def isatty(self) -> bool:
        return True


class _Screen(io.BytesIO):
    """What somebody looks at."""

    def isatty(self) -> bool:
        return True


def command(
    *arguments: object, keys: str | None = None, stdin: str = "", terminal: bool = False
) -> Done:
    """Run a command in this process, as the entry point does.

    ``keys`` is what a person types at a terminal; else ``stdin`` comes through a pipe. With
    ``terminal``, standard output goes to one.
    """
    piped = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8")), encoding="ascii")
    screen = _Screen() if terminal else io.BytesIO()
    out, err = (io.TextIOWrapper(raw, encoding="ascii") for raw in (screen, io.BytesIO()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["screenmark", *map(str, arguments)])
        patch.setattr(sys, "stdin", piped if keys is None else _Terminal(keys))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        # Another test's model that has not let go yet would end the tests' own process.
        patch.setattr(cli, "_leave", sys.exit)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        code = ended.value.code
    texts = []
    for stream in (out, err):
        stream.flush()
        assert isinstance(stream.buffer, io.BytesIO)
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    return Done(code if isinstance(code, int) else 0, *texts)


def small_run(folder: Path, *acts: Act, pages: int = 3, **options: Any) -> Path:
    """The folder of a finished run over ``pages`` pages, by default with right answers."""
    with FakeEndpoint(acts or (Act(content=REPLY),)) as endpoint:
        finished = screenmark.run(
            "gui-hallubench",
            annotation=make_pages(folder, pages),
            model="m",
            api_base=[endpoint.url],
            concurrency=1,
            **options,
        )
    return finished.path
