"""``screenmark gis bias``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from screenmark.cli.gis_reliability import Resamples
from screenmark.cli.shared import AsJson, Format, chosen_format

SUMMARY = "Show what a change of prompt, picture or order did to a judge's marks."
HELP = """\b
Compares two runs over the same outputs, output by output, and says which options differ.

\b
Examples:
  screenmark run gis-bench --tasks T.xlsx --outputs BASE --runs-dir plain
  screenmark run gis-bench --tasks T.xlsx --outputs BASE \\
      --probe planted-text --runs-dir planted
  screenmark gis bias plain/gis-bench-… planted/gis-bench-…
"""

_CONTENTS: Final = {
    "annotation": "the tasks, expectations or outputs",
    "prompt": "the words of the prompt",
}
"""What is known by a hash alone."""


def command(
    base: Annotated[Path, typer.Argument(help="Folder of the run without the change.")],
    other: Annotated[Path, typer.Argument(help="Folder of the run with it.")],
    resamples: Resamples = 1000,
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.benchmarks.map_judging.reliability import bias
    from screenmark.benchmarks.map_judging.reliability_tables import bias_table
    from screenmark.cli.gis_runs import few, read_marks
    from screenmark.cli.messages import note
    from screenmark.errors import UsageError
    from screenmark.reports import render

    shape = chosen_format(format, as_json)
    first, second = read_marks(base), read_marks(other)
    if first.path == second.path:
        raise UsageError(f"{base}, {other}: the same run; bias is between two")
    found = {
        "options": _differing(first.identity, second.identity),
        **bias(first.marks, second.marks, resamples=resamples),
    }
    if not found["num_outputs"]:
        raise UsageError(f"{base}, {other}: they have no output in common")
    table = bias_table(found, first.path.name, second.path.name)
    typer.echo(render([table], found, shape), nl=False)
    for path, lone in ((base, found["only_base"]), (other, found["only_other"])):
        if lone:
            said = f"{len(lone)} outputs have marks in this run alone: {few(lone)}"
            note("warning", f"{path}: left out: {said}", "yellow")


def _differing(base: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The options that change answers and differ, each with its two values."""
    names = [name for name in sorted({*base, *other}) if base.get(name) != other.get(name)]
    if "language" in names and "prompt" in names:
        names.remove("prompt")  # it follows from the language
    return [
        _CONTENTS.get(name) or f"{name}: {_words(base.get(name))} and {_words(other.get(name))}"
        for name in names
    ]


def _words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
