"""``screenmark run``."""

from __future__ import annotations

import inspect
import typing
from pathlib import Path
from typing import Annotated, Any

import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

HELP = """\b
Examples:
  screenmark run gui-hallubench --model ocr
  screenmark run gui-hallubench --model ocr --split zh --max-samples 3
  screenmark run gui-hallubench --annotation data/ui_elements_en.json \\
      --model qwen-vl-max --api-base http://localhost:8000/v1 --output result.json
  screenmark run gui-hallubench --predictions predictions.jsonl
  screenmark run --resume runs/gui-hallubench-ocr-0123456789

\b
The same command goes on with its unfinished run. Exit codes:
  0  done
  1  done, with more failures than --max-error-rate
  2  wrong use, configuration or data
  3  interrupted; the same command goes on
"""


def _run(benchmark: str | None, **given: Any) -> None:
    from screenmark.cli.outcome import finish
    from screenmark.engine import run
    from screenmark.errors import RunInterrupted
    from screenmark.reports.progress import make_display

    shape = chosen_format(given.pop("format"), given.pop("as_json"))
    options = {name: value for name, value in given.items() if value is not None}
    try:
        finished = run(benchmark, display=make_display(), **options)
    except KeyboardInterrupt:
        # Before the first request or after the last reply; in between the runner sees to it.
        raise RunInterrupted("interrupted; give the same command again to go on") from None
    raise typer.Exit(finish(finished, shape))


def _parameters() -> list[inspect.Parameter]:
    """The command's parameters, from the declared options of all benchmarks.

    All of them default to None, so that what was said can be told from what was not.
    """
    from screenmark.benchmarks import BENCHMARKS, benchmark_class
    from screenmark.engine.options import EngineOptions
    from screenmark.models.base import ModelOptions
    from screenmark.options import OptionField, declared

    panels: list[tuple[str, type[Any]]] = [("Model", ModelOptions)]
    panels += [("Data and benchmark", benchmark_class(name).options_type) for name in BENCHMARKS]
    panels += [("Run", EngineOptions)]
    found: dict[str, tuple[str, OptionField]] = {}
    for panel, struct in panels:
        for field in declared(struct):
            found.setdefault(field.name, (panel, field))
    parameters = [
        _parameter(
            "benchmark",
            Annotated[str | None, typer.Argument(help="Which benchmark; see: list benchmarks.")],
        )
    ]
    parameters += [_option(panel, field) for panel, field in found.values()]
    parameters += [_parameter("format", Format, "table"), _parameter("as_json", AsJson, False)]
    return parameters


def _parameter(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=default)


def _option(panel: str, field: Any) -> inspect.Parameter:
    text = field.info.help
    if field.choices:
        text += f" One of {', '.join(field.choices)}."
    if field.default not in {None, ()} and field.type is not bool:
        text += f" (default {field.default})"
    names = [field.flag]
    detail = typer.Option(
        *names,
        help=text,
        metavar=field.info.metavar,
        rich_help_panel=panel,
        show_default=False,
    )
    return _parameter(field.name, Annotated[_command_line_type(field.type), detail])


def _command_line_type(declared: Any) -> Any:
    """What Typer reads from the command line for a declared type; None stands for unset."""
    if typing.get_origin(declared) is tuple:
        return list[str] | None
    if typing.Literal["auto"] in typing.get_args(declared):
        return str | None  # a number or that word
    members = [t for t in typing.get_args(declared) if t is not type(None)]
    if type(None) in typing.get_args(declared):
        declared = members[0]
    if declared is Path or typing.get_origin(declared) is typing.Literal:
        return str | None
    return declared | None


def _with_signature() -> Any:
    def command(**given: Any) -> None:
        _run(**given)

    parameters = _parameters()
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


command = _with_signature()
