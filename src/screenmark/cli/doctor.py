"""``screenmark doctor``."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from screenmark.cli.declared import parameter, with_parameters
from screenmark.cli.run import run_parameters
from screenmark.cli.shared import AsJson, Format, chosen_format

HELP = """\b
Looks at the machine, and with --benchmark at everything about a run that can be known before
its first request: options, model, profile, data, images, prompts. Nothing is sent. Takes all
options of `screenmark run`.

\b
Examples:
  screenmark doctor
  screenmark doctor --benchmark mmbench-gui-l2 --model Qwen2.5-VL-7B --api-base URL
  screenmark doctor --benchmark mmbench-gui-l1 --model m --prompt mine.txt --json
  screenmark doctor --config configs/config_local_mine.json

\b
Exit codes:
  0  nothing failed
  2  something has to be mended
"""

_COLUMNS = ("check", "status", "detail", "remedy")


def _doctor(**given: Any) -> None:
    import msgspec

    from screenmark.cli.doctor_screen import screen
    from screenmark.doctor import check_machine
    from screenmark.reports import render
    from screenmark.types import Table

    shape = chosen_format(given.pop("format"), given.pop("as_json"))
    config, benchmark = given.pop("config"), given.pop("benchmark")
    options = {name: value for name, value in given.items() if value is not None}
    sections = [("this machine", list(check_machine(Path(options.get("runs_dir", "runs")))))]
    sections += _setups(config, benchmark, options)
    rows = [
        {"about": about, **msgspec.to_builtins(finding)}
        for about, findings in sections
        for finding in findings
    ]
    tables = [
        Table(
            title=about,
            columns=_COLUMNS,
            rows=tuple((f.check, f.status, f.detail, f.remedy) for f in findings),
        )
        for about, findings in sections
    ]
    shown = screen(sections) if shape == "table" else render(tables, rows, shape)
    typer.echo(shown, nl=False)
    raise typer.Exit(2 if any(row["status"] == "failed" for row in rows) else 0)


def _setups(
    config: Path | None, benchmark: str | None, options: dict[str, Any]
) -> list[tuple[str, list[Any]]]:
    """One section for each pair of a model and a benchmark."""
    from screenmark.configs import load_config
    from screenmark.configs.mmbench import check_exists
    from screenmark.doctor import Finding, check_setup
    from screenmark.doctor.remedies import failed
    from screenmark.errors import DataError, UsageError

    if config is None:
        if benchmark is not None:
            return [(benchmark, list(check_setup(benchmark, options)))]
        if set(options) - {"runs_dir"}:
            raise UsageError("which benchmark are these options for? Name it with --benchmark")
        return []
    sections = []
    for pair in load_config(config).pairs:
        if benchmark not in {None, pair.benchmark, pair.dataset}:
            continue
        found = [Finding(check="config", status="warning", detail=text) for text in pair.warnings]
        try:
            check_exists(pair)
        except DataError as error:
            found.append(failed("benchmark", error))
        else:
            found += check_setup(pair.benchmark, {**pair.options, **options})
        sections.append((f"{pair.name} on {pair.dataset}", found))
    return sections


def _parameters() -> list[inspect.Parameter]:
    about = Annotated[
        str | None,
        typer.Option(help="Which benchmark the other options are for.", metavar="ID"),
    ]
    shared = [p for p in run_parameters() if p.name not in {"benchmark", "resume", "fork"}]
    others = [p for p in shared if p.name not in {"format", "as_json"}]
    return [
        parameter("benchmark", about),
        *others,
        parameter("format", Format, "table"),
        parameter("as_json", AsJson, False),
    ]


command = with_parameters(_doctor, _parameters())
