"""``screenmark run --config``: the pairs of a file one after the other, and a table at the end."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import typer

from screenmark.cli.messages import note, say
from screenmark.cli.outcome import finish
from screenmark.configs import Config, Pair, load_config, run_pair
from screenmark.engine import Run
from screenmark.errors import RunInterrupted, ScreenmarkError, UsageError
from screenmark.jsonfile import dump_json, write_atomically
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
    _check_outputs(path, pairs)
    done = _Done(path, pairs, overrides)
    ended = []
    for pair in pairs:
        # What an interrupted pass of the same command finished is not asked, and paid, again.
        given = {**overrides, "reuse": True} if done.has(pair) else overrides
        one = _run(path, pair, given, shape, alone=len(pairs) == 1)
        if one.run is not None:
            done.add(pair)
        ended.append(one)
    done.forget()
    if shape == "json":
        typer.echo(json_text([_as_json(one) for one in ended]), nl=False)
    elif len(pairs) > 1:
        typer.echo(render([_table(config, ended)], None, shape), nl=False)
    return max(one.code for one in ended)


def _check_outputs(path: Path, pairs: list[Pair]) -> None:
    """Refuse two pairs that would write their results to one file."""
    outputs = [str(pair.options["output"]) for pair in pairs if pair.options.get("output")]
    for output in outputs:
        if outputs.count(output) > 1:
            raise UsageError(f"{path}: output: several of its runs would write to {output}")


class _Done:
    """The pairs that an unfinished pass through a file has behind it, kept in a small file."""

    def __init__(self, path: Path, pairs: list[Pair], overrides: dict[str, Any]) -> None:
        folder = overrides.get("runs_dir") or pairs[0].options.get("runs_dir") or "runs"
        said = dump_json([str(path.resolve()), sorted(map(str, overrides.items()))])
        digest = hashlib.sha256(said.encode("utf-8")).hexdigest()[:10]
        self._file = Path(folder) / f".config-{path.stem}-{digest}.json"
        self._names: list[str] = []
        with suppress(OSError, ValueError):
            found = json.loads(self._file.read_text(encoding="utf-8"))
            self._names = [str(name) for name in found] if isinstance(found, list) else []

    def has(self, pair: Pair) -> bool:
        return _name(pair) in self._names

    def add(self, pair: Pair) -> None:
        self._names.append(_name(pair))
        with suppress(OSError):
            write_atomically(self._file, dump_json(self._names))

    def forget(self) -> None:
        """All pairs are through: the same command starts anew."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)


def _name(pair: Pair) -> str:
    return f"{pair.name} on {pair.dataset}"


def _run(path: Path, pair: Pair, overrides: dict[str, Any], shape: str, *, alone: bool) -> _Ended:
    if not alone:
        say(f"── {pair.name} on {pair.dataset} ──")
    for line in pair.warnings:
        note("warning", line, "yellow")
    try:
        run = run_pair(pair, display=make_display(), **overrides)
    except (RunInterrupted, KeyboardInterrupt):
        raise RunInterrupted("interrupted; give the same command again to go on") from None
    except ScreenmarkError as error:
        # Options contradict each other, or need what is not here: say whose they are.
        whose = f"{path}: {_name(pair)}: " if isinstance(error, UsageError) else ""
        note("error", f"{whose}{error}", "red")
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
