"""Declared options as parameters of a command."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from screenmark.options import OptionField


def parameter(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
    """A parameter of a command, given by name."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=default)


def described(field: OptionField) -> str:
    """What ``--help`` says of an option: its sentence, its words, its default."""
    text = field.info.help
    if field.choices:
        text += f" One of {', '.join(field.choices)}."
    if field.default not in {None, ()} and field.type is not bool:
        several = isinstance(field.default, tuple)
        text += f" (default {', '.join(field.default) if several else field.default})"
    return text


def option_parameter(panel: str, field: OptionField, text: str = "") -> inspect.Parameter:
    """A declared option as a parameter; unset is None, so that it can be told from given.

    Args:
        panel: of the help that it stands in.
        field: the option.
        text: what help says, in place of `described`.
    """
    detail = typer.Option(
        field.flag,
        help=text or described(field),
        metavar=field.info.metavar,
        rich_help_panel=panel,
        show_default=False,
    )
    return parameter(field.name, Annotated[_command_line_type(field.type), detail])


def _command_line_type(declared: Any) -> Any:
    """What Typer reads from the command line for a declared type; None stands for unset."""
    if typing.get_origin(declared) is tuple:
        return list[str] | None
    if any(typing.get_origin(kind) is dict for kind in typing.get_args(declared)):
        return str | None  # a JSON object
    if typing.Literal["auto"] in typing.get_args(declared):
        return str | None  # a number or that word
    members = [t for t in typing.get_args(declared) if t is not type(None)]
    if type(None) in typing.get_args(declared):
        declared = members[0]
    if declared is Path or typing.get_origin(declared) is typing.Literal:
        return str | None
    return declared | None


def with_parameters(
    function: Callable[..., None], parameters: Sequence[inspect.Parameter]
) -> Callable[..., None]:
    """A command that hands what it is given to ``function`` by name."""

    def command(**given: Any) -> None:
        function(**given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command
