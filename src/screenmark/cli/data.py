"""``screenmark data``: a group of commands, each in a module of its own."""

from __future__ import annotations

import typer

from screenmark.cli import data_download, data_list

group = typer.Typer(no_args_is_help=True)
HELP = """\b
Examples:
  screenmark data list
  screenmark data download mmbench-gui
"""

for _name, _module in {"download": data_download, "list": data_list}.items():
    group.command(_name, help=f"{_module.SUMMARY}\n\n{_module.HELP}", short_help=_module.SUMMARY)(
        _module.command
    )
