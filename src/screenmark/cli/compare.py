"""``screenmark compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from screenmark.cli.shared import AsJson, Format, chosen_format

if TYPE_CHECKING:
    from screenmark.types import Table

HELP = """\b
Holds runs of one benchmark against the first of them, sample by sample: the difference with a
95 % paired bootstrap interval, how many samples were gained and lost, and McNemar's exact test.
Of gis-bench outputs are paired, and p is of a sign-flip test over tasks.
Exit codes: 0; 1 with --fail-if-worse if a run is worse than the first one, that is, the interval
of its difference lies below zero and p below 0.05; 2 for wrong use.

\b
Examples:
  screenmark compare runs/uibert-refexp-minilm-0123456789 \\
      runs/uibert-refexp-mine-0123456789
  screenmark compare runs/released runs/candidate --fail-if-worse --json
"""

_FIGURES: Final = ("difference", "low", "high")


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
    runs, comparisons = found["runs"], found["comparisons"]
    unit, first = found["unit"], runs[0]["model"]
    title = f"{found['benchmark']} · {found['num_samples']} {unit} · against {first}"
    paths = "Runs: " + ", ".join(f"{run['model']} {run['path']}" for run in runs)
    if unit == "samples":
        note = (
            f"%: mean of {found['metric']}. ±: difference in points, and its 95 % paired "
            "bootstrap interval; won:lost: samples; p: McNemar, exact. better, worse: by "
            f"both; open: not told apart. {paths}"
        )
        return [_table(title, "%", [run["value"] for run in runs], runs, comparisons, 1.0, note)]
    values, passes = ([run[key] for run in runs] for key in ("value", "pass_rate"))
    passing = [one["passes"] for one in comparisons]
    most = found["out_of"]
    note = (
        f"score: mean, out of {most:g}. ±: difference in points, and its 95 % paired bootstrap "
        "interval over tasks; won:lost: outputs; p: sign-flip test over tasks. better, worse: by "
        f"both; open: not told apart. Paired: {found['paired']}. {paths}"
    )
    return [
        _table(title, "score", [f"{v:.1f}" for v in values], runs, comparisons, most, note),
        _table("Share that passes", "pass %", passes, runs, passing, 1.0, ""),
    ]


def _table(
    title: str,
    heading: str,
    values: Sequence[float | str],
    runs: Sequence[dict[str, Any]],
    comparisons: Sequence[dict[str, Any]],
    most: float,
    note: str,
) -> Table:
    """A row a run; differences are out of ``most`` and shown out of 100."""
    from screenmark.types import Table

    rows: list[tuple[Any, ...]] = [(runs[0]["model"], values[0], *[None] * 5)]
    for run, value, one in zip(runs[1:], values[1:], comparisons, strict=True):
        verdict = "worse" if one["worse"] else "better" if one["better"] else "open"
        points = [None if one[key] is None else _points(one[key] / most) for key in _FIGURES]
        ends = None if points[1] is None else f"{points[1]}…{points[2]}"
        p_value = None if one["p_value"] is None else _p(one["p_value"])
        moved = f"{one['gained']}:{one['lost']}"
        rows.append((run["model"], value, points[0], ends, moved, p_value, verdict))
    columns = ("run", heading, "±", "95 %", "won:lost", "p", "is")
    return Table(title=title, columns=columns, rows=tuple(rows), note=note)


def _points(value: float) -> str:
    return f"{round(100 * value, 1) + 0.0:+.1f}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
