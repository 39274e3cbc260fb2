"""The command line: every subcommand by name, the one in use in full."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from screenmark.cli.main import COMMANDS

_INTRODUCTION = """Measure what a model can do with a screen.

\b
Examples:
  screenmark run gui-hallubench --model ocr
  screenmark run gui-hallubench --model qwen-vl-max \\
      --api-base http://localhost:8000/v1
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
        kind = TyperCommand
        text = summary
        if name == used:
            loaded = importlib.import_module(f"screenmark.cli.{module}")
            text = f"{summary}\n\n{loaded.HELP}"
            if hasattr(loaded, "group"):
                app.add_typer(loaded.group, name=name, help=text, short_help=summary)
                continue
            function = loaded.command
            kind = getattr(loaded, "command_class", TyperCommand)
        app.command(name, cls=kind, help=text, short_help=summary)(function)
    return app


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
