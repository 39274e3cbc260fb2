"""``screenmark run --config``: the pairs of a file one after the other, and a table at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import typer

from screenmark.cli.messages import note, say
from screenmark.cli.outcome import finish
from screenmark.configs import Config, Pair, load_config, run_pair
from screenmark.engine import Run
from screenmark.errors import RunInterrupted, ScreenmarkError, UsageError
from screenmark.reports import render
from screenmark.reports.progress import make_display
from screenmark.reports.tables import json_text
from screenmark.types import Table


class _Ended(NamedTuple):
    """What became of a pair."""

    pair: Pair
    run: Run | None
    code: int
    error: str | None


def run_config(path: Path, benchmark: str | None, overrides: dict[str, Any], shape: str) -> int:
    """Run every pair, print what came out, and return the worst exit code.

    One pair's error does not keep the others from running; an interruption does.

    Raises:
        RunInterrupted: stopped; the same command goes on.
        UsageError, DataError: the file, or an option for all pairs, is wrong.
    """
    config = load_config(path)
    pairs = [p for p in config.pairs if benchmark in {None, p.benchmark, p.dataset}]
    if not pairs:
        raise UsageError(f"{path} has no pair with the benchmark {benchmark}")
    if len(pairs) > 1 and "output" in overrides:
        raise UsageError(
            "--output is for one run; this file has several. Their results are in their run folders"
        )
    ended = [_run(pair, overrides, shape, alone=len(pairs) == 1) for pair in pairs]
    if shape == "json":
        typer.echo(json_text([_as_json(one) for one in ended]), nl=False)
    elif len(pairs) > 1:
        typer.echo(render([_table(config, ended)], None, shape), nl=False)
    return max(one.code for one in ended)


def _run(pair: Pair, overrides: dict[str, Any], shape: str, *, alone: bool) -> _Ended:
    if not alone:
        say(f"── {pair.name} on {pair.dataset} ──")
    for line in pair.warnings:
        note("warning", line, "yellow")
    try:
        run = run_pair(pair, display=make_display(), **overrides)
    except (RunInterrupted, KeyboardInterrupt):
        raise RunInterrupted("interrupted; give the same command again to go on") from None
    except ScreenmarkError as error:
        note("error", str(error), "red")
        return _Ended(pair, None, error.exit_code, str(error))
    code = finish(run, None if shape == "json" else shape)
    return _Ended(pair, run, code, None)


def _table(config: Config, ended: list[_Ended]) -> Table:
    rows = []
    for one in ended:
        head = {} if one.run is None else one.run.results["headline"]
        where = one.error if one.run is None else str(one.run.path)
        rows.append(
            (
                one.pair.name,
                one.pair.dataset,
                head.get("metric"),
                head.get("value"),
                head.get("low"),
                head.get("high"),
                where,
            )
        )
    columns = ("model", "benchmark", "metric", "value %", "low %", "high %", "run folder")
    return Table(title=f"All of {config.path.name}", columns=columns, rows=tuple(rows))


def _as_json(one: _Ended) -> dict[str, Any]:
    return {
        "model": one.pair.name,
        "dataset": one.pair.dataset,
        "benchmark": one.pair.benchmark,
        "run": None if one.run is None else str(one.run.path),
        "results": None if one.run is None else one.run.results,
        "error": one.error,
    }
