"""``screenmark doctor``."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screenmark.cli.declared import parameter, with_parameters
from screenmark.cli.run import run_parameters
from screenmark.cli.shared import AsJson, Format, chosen_format

if TYPE_CHECKING:
    from screenmark.doctor import Finding
    from screenmark.engine.plan import Plan

HELP = """\b
Looks at the machine; with --model at the endpoint, which it asks some ten
short questions; with --benchmark or --config at everything about a run that
can be known before its first request. Takes all options of `screenmark run`.

\b
Examples:
  screenmark doctor
  screenmark doctor --model NAME --api-base http://localhost:8000/v1
  screenmark doctor --benchmark mmbench-gui-l2 --model NAME --api-base URL
  screenmark doctor --benchmark mmbench-gui-l1 --model NAME --preset openai \\
    --prompt mine.txt --offline --json
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
    config, benchmark, offline = (given.pop(n) for n in ("config", "benchmark", "offline"))
    options = {name: value for name, value in given.items() if value is not None}
    looked_at = _set_ups(config, benchmark, options)
    sections = [("this machine", list(check_machine(Path(options.get("runs_dir", "runs")))))]
    sections += [(about, findings) for about, findings, _ in looked_at]
    if not offline:
        sections += _endpoints([plan for _, _, plan in looked_at if plan is not None])
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


def _set_ups(
    config: Path | None, benchmark: str | None, options: dict[str, Any]
) -> list[tuple[str, list[Finding], Plan | None]]:
    """A title, what was found and the plan for each pair of a model and a benchmark."""
    from screenmark.doctor import look_at

    if config is not None:
        return _pairs(config, benchmark, options)
    if benchmark is not None:
        return [(benchmark, *look_at(benchmark, options))]
    return _model_alone(options)


def _model_alone(options: dict[str, Any]) -> list[tuple[str, list[Finding], Plan | None]]:
    from screenmark.doctor import look_at_model
    from screenmark.engine.options import EngineOptions
    from screenmark.errors import UsageError
    from screenmark.models import ModelOptions
    from screenmark.options import declared

    if not set(options) - {"runs_dir"}:
        return []
    known = {field.name for part in (ModelOptions, EngineOptions) for field in declared(part)}
    if not (set(options) <= known and {"model", "adapter", "preset"} & set(options)):
        raise UsageError("which benchmark are these options for? Name it with --benchmark")
    name = options.get("model") or options.get("adapter") or options["preset"]
    return [(str(name), *look_at_model(options))]


def _pairs(
    config: Path, benchmark: str | None, options: dict[str, Any]
) -> list[tuple[str, list[Finding], Plan | None]]:
    from screenmark.configs import load_config
    from screenmark.configs.mmbench import check_exists
    from screenmark.doctor import Finding, look_at
    from screenmark.doctor.remedies import failed
    from screenmark.errors import DataError

    looked_at = []
    for pair in load_config(config).pairs:
        if benchmark not in {None, pair.benchmark, pair.dataset}:
            continue
        found = [Finding(check="config", status="warning", detail=text) for text in pair.warnings]
        plan = None
        try:
            check_exists(pair)
        except DataError as error:
            found.append(failed("benchmark", error))
        else:
            more, plan = look_at(pair.benchmark, {**pair.options, **options})
            found += more
        looked_at.append((f"{pair.name} on {pair.dataset}", found, plan))
    return looked_at


def _endpoints(plans: list[Plan]) -> list[tuple[str, list[Finding]]]:
    """One section for each model that is asked, however many benchmarks it is to run on."""
    from screenmark.cli.messages import say
    from screenmark.doctor import check_endpoint

    models = []
    for plan in plans:
        if plan.model not in models:
            models.append(plan.model)
    sections = []
    for model in models:
        findings = list(check_endpoint([p for p in plans if p.model == model], say))
        if findings:
            sections.append((f"endpoint of {model.model or model.adapter}", findings))
    return sections


def _parameters() -> list[inspect.Parameter]:
    about = Annotated[
        str | None,
        typer.Option(help="Which benchmark the other options are for.", metavar="ID"),
    ]
    offline = Annotated[bool, typer.Option("--offline", help="Send nothing to the endpoint.")]
    shared = [p for p in run_parameters() if p.name not in {"benchmark", "resume", "fork"}]
    others = [p for p in shared if p.name not in {"format", "as_json"}]
    return [
        parameter("benchmark", about),
        parameter("offline", offline, False),
        *others,
        parameter("format", Format, "table"),
        parameter("as_json", AsJson, False),
    ]


command = with_parameters(_doctor, _parameters())
