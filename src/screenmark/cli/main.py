"""The ``screenmark`` command: a table of subcommands, each loaded when it is used."""

from __future__ import annotations

import importlib
import io
import os
import sys
import threading
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run", "Ask a model about every sample of a benchmark and score it."),
    "score": ("score", "Score a finished run again, without asking the model."),
    "show": ("show", "Show the results of a run, or one of its samples."),
    "runs": ("runs", "List the runs in a folder."),
    "rm": ("rm", "Remove runs."),
    "export": ("export", "Write a run as Parquet, CSV, XLSX or JSON."),
    "list": ("listing", "List benchmarks, models or adapters."),
    "cache": ("cache", "Look into a cache of replies, or empty it."),
    "parse": ("parse", "Show what the harness makes of a model's reply."),
    "serve": ("serve", "Serve an embedded or local model as an OpenAI-compatible endpoint."),
}
"""Command to its module in this package and the line that ``--help`` shows."""

_INTRODUCTION = """Measure what a model can do with a screen.

\b
Examples:
  screenmark run gui-hallubench --model ocr
  screenmark run gui-hallubench --model qwen-vl-max --api-base http://localhost:8000/v1
  screenmark runs
"""


def make_app(used: str | None) -> typer.Typer:
    """The command line with the subcommand ``used`` loaded and the others by name only."""
    app = typer.Typer(
        name="screenmark",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=_INTRODUCTION)(_root)
    for name, (module, summary) in COMMANDS.items():
        function: Callable[..., Any] = _not_loaded
        text = summary
        if name == used:
            loaded = importlib.import_module(f"screenmark.cli.{module}")
            function = loaded.command
            text = f"{summary}\n\n{loaded.HELP}"
        app.command(name, help=text, short_help=summary)(function)
    return app


def main() -> None:
    """Entry point: an error of ours becomes one message and its exit code."""
    from screenmark.errors import ScreenmarkError

    for stream in (sys.stdout, sys.stderr):
        # Whatever the locale says: tables and messages hold text in any language.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    used = next((word for word in sys.argv[1:] if not word.startswith("-")), None)
    try:
        make_app(used)()
    except ScreenmarkError as error:
        typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
        typer.echo(str(error), err=True)
        _leave(error.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone, as with `| head`: nothing to report.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _leave(code: int) -> NoReturn:
    """Exit, without waiting for a model of the user's own that does not answer."""
    from screenmark.models.base import INFER_THREADS

    if any(thread.name.startswith(INFER_THREADS) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _print_version(wanted: bool) -> None:
    if wanted:
        from screenmark import __version__

        typer.echo(__version__)
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def _not_loaded() -> None:
    raise AssertionError("only the subcommand in use is loaded")
