"""The ``screenmark`` command, from its first moment to its exit code.

Light on purpose: a signal must find its handler before anything large is loaded.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from screenmark.cli.signals import Stopped, stoppable
from screenmark.cli.streams import OutputLost, guard_streams

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run", "Ask a model about every sample of a benchmark and score it."),
    "score": ("score", "Score a finished run again, without asking the model."),
    "show": ("show", "Show the results of a run, or one of its samples."),
    "replay": ("replay", "Do the recorded actions of agents again and compare the screens."),
    "env": ("env", "Check the worlds that agents act in."),
    "runs": ("runs", "List the runs in a folder."),
    "rm": ("rm", "Remove runs."),
    "export": ("export", "Write a run as Parquet, CSV, XLSX or JSON."),
    "list": ("listing", "List benchmarks, models, adapters or profiles."),
    "data": ("data", "Fetch public data sets."),
    "cache": ("cache", "Look into a cache of replies, or empty it."),
    "doctor": ("doctor", "Look for what is wrong with a set-up, before it costs anything."),
    "compare": ("compare", "Hold runs against each other, sample by sample."),
    "audit": ("audit", "Show what rules that see nothing of what is asked get on a benchmark."),
    "calibrate": ("calibrate", "Find out in which coordinate space a model answers."),
    "gis": ("gis", "Look at the judge of gis-bench, or draft expectations for its tasks."),
    "parse": ("parse", "Show what the harness makes of a model's reply."),
    "render": ("render", "Photograph an HTML page, offline and the same on every machine."),
    "assets": ("assets", "Fetch libraries and base maps for pages that are rendered."),
    "serve": ("serve", "Serve an embedded or local model as an OpenAI-compatible endpoint."),
}
"""Command to its module in this package and the line that ``--help`` shows."""


def main() -> None:
    """Entry point: an error of ours becomes one message and its exit code."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    used = words[0] if words else None
    goes_on = used == "run" or words[:2] == ["data", "download"]
    hint = "; give the same command again to go on" if goes_on else ""
    line = f"error: interrupted{hint}"
    with stoppable(line):
        guard_streams()
        code = _run(used, line)
    _leave(code)


def _run(used: str | None, interrupted: str) -> int:
    """The exit code of a command; ``interrupted`` is what to say if it is told to stop."""
    try:
        code = _call(used)
        sys.stdout.flush()
    except Stopped as stopped:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{interrupted}\n")
        return _number(stopped)
    except OutputLost as lost:
        if not lost.matters:
            return 0
        from screenmark.cli.messages import note

        note("error", f"standard output cannot be written ({lost})", "red")
        return 2
    return code


def _call(used: str | None) -> int:
    from screenmark.errors import ScreenmarkError

    try:
        from screenmark.cli.app import make_app

        make_app(used)()
    except ScreenmarkError as error:
        from screenmark.cli.messages import note

        for line in error.lines:
            note("error", line, "red")
        return error.exit_code
    except Stopped:
        raise
    except SystemExit as ended:
        return _number(ended)
    return 0


def _number(ended: SystemExit) -> int:
    return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


def _leave(code: int) -> NoReturn:
    """Exit, without waiting for a model of the user's own that does not answer."""
    base = sys.modules.get("screenmark.models.base")
    prefix = getattr(base, "INFER_THREADS", None)
    if prefix and any(thread.name.startswith(prefix) for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, OutputLost):
                stream.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
