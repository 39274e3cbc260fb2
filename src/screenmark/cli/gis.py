"""``screenmark gis``: a group of commands, each in a module of its own."""

from __future__ import annotations

import typer

from screenmark.cli import gis_bias, gis_draft, gis_reliability

group = typer.Typer(no_args_is_help=True)
HELP = """\b
Examples:
  screenmark gis reliability runs/gis-bench-claude-sonnet-4-6-0123456789 \\
      --human labels.csv
  screenmark gis bias RUN RUN_WITH_A_PROBE
  screenmark gis draft-expectations tasks.xlsx -o expectations.json \\
      --model NAME
"""

for _name, _module in {
    "reliability": gis_reliability,
    "bias": gis_bias,
    "draft-expectations": gis_draft,
}.items():
    group.command(_name, help=f"{_module.SUMMARY}\n\n{_module.HELP}", short_help=_module.SUMMARY)(
        _module.command
    )
