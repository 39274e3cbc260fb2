"""``screenmark run``."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screenmark.cli.benchmark_options import RunCommand, offered
from screenmark.cli.declared import option_parameter, parameter, with_parameters
from screenmark.cli.shared import AsJson, Format, chosen_format

if TYPE_CHECKING:
    pass

HELP = """\b
Examples:
  screenmark run gui-hallubench --model ocr
  screenmark run gui-hallubench --model ocr --split zh --max-samples 3
  screenmark run gui-hallubench --annotation data/ui_elements_en.json \\
      --model qwen-vl-max --api-base http://localhost:8000/v1
  screenmark run gui-hallubench --predictions predictions.jsonl
  screenmark run --config models.toml
  screenmark run --resume runs/gui-hallubench-ocr-0123456789
  screenmark run gis-bench --help

\b
The same command goes on with its unfinished run. Exit codes:
  0  done
  1  done, with more failures than --max-error-rate
  2  wrong use, configuration or data
  3  interrupted; the same command goes on
"""

_WHICH = "Which benchmark (see: list benchmarks); with --help, what that one takes."


def _run(benchmark: str | None, **given: Any) -> None:
    from screenmark.cli.outcome import finish
    from screenmark.engine import run
    from screenmark.errors import RunInterrupted
    from screenmark.reports.progress import make_display

    shape = chosen_format(given.pop("format"), given.pop("as_json"))
    config = given.pop("config")
    options = {name: value for name, value in given.items() if value is not None}
    if config is not None:
        from screenmark.cli.config_runs import run_config

        raise typer.Exit(run_config(config, benchmark, options, shape))
    try:
        finished = run(benchmark, display=make_display(), **options)
    except KeyboardInterrupt:
        # Before the first request or after the last reply; in between the runner sees to it.
        raise RunInterrupted("interrupted; give the same command again to go on") from None
    raise typer.Exit(finish(finished, shape))


def run_parameters() -> list[inspect.Parameter]:
    """The command's parameters, from the declared options of all benchmarks.

    All of them default to None, so that what was said can be told from what was not.
    """
    from screenmark.engine.options import EngineOptions
    from screenmark.models.base import ModelOptions
    from screenmark.options import declared

    parameters = [
        parameter(
            "benchmark",
            Annotated[str | None, typer.Argument(help=_WHICH)],
        ),
        parameter(
            "config",
            Annotated[
                Path | None,
                typer.Option(
                    help="Run every model of this file on every benchmark of it: our TOML, YAML "
                    "or JSON, or MMBench-GUI's JSON. Other options hold for all of them.",
                    metavar="FILE",
                    show_default=False,
                ),
            ],
        ),
    ]
    parameters += [option_parameter("Model", field) for field in declared(ModelOptions)]
    parameters += [option_parameter(*each) for each in offered()]
    parameters += [option_parameter("Run", field) for field in declared(EngineOptions)]
    parameters += [parameter("format", Format, "table"), parameter("as_json", AsJson, False)]
    return parameters


command_class = RunCommand
command = with_parameters(_run, run_parameters())
