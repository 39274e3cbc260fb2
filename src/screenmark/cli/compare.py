"""``screenmark compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

if TYPE_CHECKING:
    from screenmark.types import Table

HELP = """\b
Holds runs of one benchmark against the first of them, sample by sample: the difference with a
95 % paired bootstrap interval, how many samples were gained and lost, and McNemar's exact test.
Exit codes: 0; 1 with --fail-if-worse if a run is worse than the first one, that is, the interval
of its difference lies below zero and McNemar's p below 0.05; 2 for wrong use.

\b
Examples:
  screenmark compare runs/uibert-refexp-minilm-0123456789 runs/uibert-refexp-mine-0123456789
  screenmark compare runs/released runs/candidate --fail-if-worse --json
"""


def command(
    run: Annotated[list[Path], typer.Argument(help="Run folders; the first is the yardstick.")],
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit with 1 if a run is worse than the first.")
    ] = False,
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.cli.messages import note
    from screenmark.engine.compare import compare_runs
    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    found = compare_runs(run)
    typer.echo(render(_tables(found), found, shape), nl=False)
    for line in found["warnings"]:
        note("warning", line, "yellow")
    worse = [one["path"] for one in found["comparisons"] if one["worse"]]
    if fail_if_worse and worse:
        note("failed", f"worse than {found['runs'][0]['path']}: {', '.join(worse)}", "red")
        raise typer.Exit(1)


def _tables(found: dict[str, Any]) -> list[Table]:
    from screenmark.types import Table

    first, *others = found["runs"]
    rows: list[tuple[Any, ...]] = [(first["model"], first["value"], *[None] * 5)]
    for run, one in zip(others, found["comparisons"], strict=True):
        p_value = None if one["p_value"] is None else _p(one["p_value"])
        verdict = "worse" if one["worse"] else "better" if one["better"] else "open"
        ends = None if one["low"] is None else f"{_points(one['low'])}…{_points(one['high'])}"
        moved = f"{one['gained']}:{one['lost']}"
        rows.append(
            (run["model"], run["value"], _points(one["difference"]), ends, moved, p_value, verdict)
        )
    title = f"{found['benchmark']} · {found['num_samples']} samples · against {first['model']}"
    return [
        Table(
            title=title,
            columns=("run", "%", "±", "95 %", "won:lost", "p", "is"),
            rows=tuple(rows),
            note=(
                f"%: mean of {found['metric']}. ±: difference in points, and its 95 % paired "
                "bootstrap interval; won:lost: samples; p: McNemar, exact. better, worse: by "
                "both; open: not told apart. Runs: "
                + ", ".join(f"{run['model']} {run['path']}" for run in found["runs"])
            ),
        )
    ]


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
