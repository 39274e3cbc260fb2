"""``screenmark gis draft-expectations``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

SUMMARY = "Have a model draft what right outputs satisfy, for a person to confirm."
HELP = """\b
Each entry is marked as a draft; `run gis-bench --expect` uses it once "_draft" is taken away.

\b
Examples:
  screenmark gis draft-expectations tasks.xlsx -o expectations.json \\
      --model claude-sonnet-4-6 --adapter anthropic
  screenmark gis draft-expectations tasks.csv -o drafts.json \\
      --model NAME --api-base URL
"""


def command(
    sheet: Annotated[Path, typer.Argument(help="The task sheet.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File for the drafts.", metavar="FILE")
    ],
    model: Annotated[str, typer.Option(help="Who drafts.", metavar="NAME")],
    adapter: Annotated[str | None, typer.Option(help="As for run.", metavar="NAME")] = None,
    api_base: Annotated[str | None, typer.Option(help="As for run.", metavar="URL")] = None,
    api_key: Annotated[str | None, typer.Option(help="As for run.", metavar="KEY")] = None,
    preset: Annotated[str | None, typer.Option(help="As for run.", metavar="NAME")] = None,
    max_tokens: Annotated[int, typer.Option(help="Most tokens in a reply.", min=1)] = 2048,
    temperature: Annotated[float, typer.Option(help="Sampling temperature.", min=0, max=2)] = 0.0,
) -> None:
    from screenmark.benchmarks.map_judging.drafts import draft
    from screenmark.benchmarks.map_judging.sheet import read_sheet
    from screenmark.cli.messages import note, say
    from screenmark.errors import UsageError
    from screenmark.jsonfile import check_writable, dump_json, write_atomically
    from screenmark.models import ModelOptions, build_adapter

    check_writable(output)
    if output.exists():
        raise UsageError(f"--output {output}: is there already; drafts replace nothing")
    tasks = read_sheet(sheet)
    options = ModelOptions(
        model=model,
        adapter=adapter,
        api_base=() if api_base is None else (api_base,),
        api_key=api_key,
        preset=preset,
        max_tokens=max_tokens,
        temperature=temperature,
    )
    found = asyncio.run(
        draft(tasks.tasks, build_adapter(options), max_tokens=max_tokens, temperature=temperature)
    )
    write_atomically(output, dump_json(found))
    for problem in tasks.problems:
        note("problem", str(problem), "red")
    for number, entry in found.items():
        if "_problem" in entry:
            note("problem", f"task {number}: {entry['_problem']}", "red")
    say(f"{len(found)} drafts written to {output}; confirm each by taking '_draft' away")
    failed = tasks.problems or any("_problem" in entry for entry in found.values())
    raise typer.Exit(2 if failed else 0)
