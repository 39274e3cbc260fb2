"""``screenmark audit``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screenmark.cli.declared import option_parameter, parameter, with_parameters
from screenmark.cli.shared import AsJson, Format, chosen_format

if TYPE_CHECKING:
    from screenmark.options import OptionField
    from screenmark.types import Table

HELP = """\b
Computes the blind baselines of a benchmark's data and warns where one comes near what papers
report for models. No model is asked. Exit codes: 0, or 2 for wrong use or data.

\b
Examples:
  screenmark audit uibert-refexp
  screenmark audit uibert-refexp --variant matched-distractors
  screenmark audit mmbench-gui-l1 --annotation L1_annotations.json --json
"""


def _audit(benchmark: str, *, format: str, as_json: bool, **given: Any) -> None:
    from screenmark.cli.messages import note
    from screenmark.engine.audit import audit_benchmark
    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    options = {name: value for name, value in given.items() if value is not None}
    found = audit_benchmark(benchmark, options)
    typer.echo(render(list(_tables(found)), found, shape), nl=False)
    for line in found["warnings"]:
        note("warning", line, "yellow")
    for line in found["left_out"]:
        note("problem", line, "red")
    raise typer.Exit(2 if found["left_out"] else 0)


def _tables(found: Mapping[str, Any]) -> Sequence[Table]:
    from screenmark.types import Table

    blind = found["blind_baselines"]
    keys = list(dict.fromkeys(k for part in blind.values() for k, v in part.items() if _shown(v)))
    rows = tuple(
        (name, *(part.get(key) for key in keys), part["what"]) for name, part in blind.items()
    )
    title = f"{found['benchmark']} · {found['num_samples']} samples · blind baselines"
    columns = ("baseline", *(f"{key} %" for key in keys), "what it does")
    tables = [Table(title=title, columns=columns, rows=rows, note=found["data_note"])]
    published = tuple((f["model"], f["value"], f["data"], f["source"]) for f in found["published"])
    if published:
        heads = ("published", f"{found['metric']} %", "measured on", "source")
        tables.append(Table(title="What papers report", columns=heads, rows=published))
    return tables


def _shown(value: Any) -> bool:
    return value is None or isinstance(value, int | float)


def audit_parameters() -> list[inspect.Parameter]:
    """The command's parameters, from the declared options of all benchmarks."""
    from screenmark.benchmarks import BENCHMARKS, benchmark_class
    from screenmark.cli.benchmark_options import either
    from screenmark.options import declared

    found: dict[str, OptionField] = {}
    for name in BENCHMARKS:
        for field in declared(benchmark_class(name).options_type):
            found[field.name] = either(found.get(field.name, field), field)
    which = Annotated[str, typer.Argument(help="Which benchmark; see: list benchmarks.")]
    return [
        inspect.Parameter("benchmark", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=which),
        *(option_parameter("Data and benchmark", field) for field in found.values()),
        parameter("format", Format, "table"),
        parameter("as_json", AsJson, False),
    ]


command = with_parameters(_audit, audit_parameters())
