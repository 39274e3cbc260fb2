"""Options are declared once, as annotated fields of a struct, and used everywhere.

The command line, the Python API, configuration files, the manifest and the identity of a
run folder all read the same declarations::

    class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
        concurrency: Annotated[int, option("Requests in flight.", minimum=1)] = 32
"""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from screenmark.errors import UsageError

S = TypeVar("S", bound=msgspec.Struct)

_LARGEST = 2**63 - 1  # Beyond it, and at infinity, a run folder could not hold the value.


class OptionInfo(msgspec.Struct, frozen=True):
    """What a reader, the command line and the run folder know about an option.

    Attributes:
        help: one sentence.
        changes_answers: whether a model's replies may differ under another value;
            such options make up the identity of a run.
        secret: never written anywhere.
        minimum, maximum: inclusive bounds of a number.
        metavar: what stands for the value in ``--help``.
    """

    help: str
    changes_answers: bool = False
    secret: bool = False
    minimum: float | None = None
    maximum: float | None = None
    metavar: str | None = None


def option(help: str, **details: Any) -> OptionInfo:
    """Describe an option inside ``Annotated[...]``; see `OptionInfo` for the details."""
    return OptionInfo(help=help, **details)


class OptionField(msgspec.Struct, frozen=True):
    """One declared option: its name, its type without the annotation, its default."""

    name: str
    type: Any
    default: Any
    info: OptionInfo

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that the option takes, if it takes only certain ones."""
        return typing.get_args(self.type) if typing.get_origin(self.type) is typing.Literal else ()

    @property
    def is_object(self) -> bool:
        """Whether its value is an object, which a command line writes as JSON."""
        types = (self.type, *typing.get_args(self.type))
        return any(typing.get_origin(kind) is dict for kind in types)

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


def declared(options: type[msgspec.Struct]) -> list[OptionField]:
    """The options that a struct declares, in order."""
    hints = typing.get_type_hints(options, include_extras=True)
    found = []
    for field in msgspec.structs.fields(options):
        hint = hints[field.name]
        info = next(
            (m for m in getattr(hint, "__metadata__", ()) if isinstance(m, OptionInfo)), None
        )
        if info is None:
            continue
        default = (
            field.default_factory()
            if field.default_factory is not msgspec.NODEFAULT
            else field.default
        )
        found.append(OptionField(field.name, typing.get_args(hint)[0], default, info))
    return found


def build(options: type[S], values: Mapping[str, Any]) -> S:
    """Make an options struct out of plain values, or say which one is wrong.

    Raises:
        UsageError: an unknown name, a wrong type, a number out of bounds, an empty path, or
            text that is not UTF-8.
    """
    fields = {field.name: field for field in declared(options)}
    for name in values:
        if name not in fields:
            raise UsageError(unknown_option(name, fields))
    given = {name: _plain(fields[name], value) for name, value in values.items()}
    try:
        made = msgspec.convert(given, options, strict=True, dec_hook=_path_hook)
    except msgspec.ValidationError as error:
        raise UsageError(_readable(error, fields)) from None
    for field in fields.values():
        _check_bounds(field, getattr(made, field.name))
    return made


HIDDEN = "(hidden)"
"""Stands in a run folder for a secret within an option's object."""

_SECRET_NAME = re.compile(
    r"secret|passw|auth(?!ors?(?:_|$))|cookie|credential|bearer|(?:^|_)pwd|api_?key|(?:^|_)key$|session"
    # Not those of a tokenizer: pad_token, eos_token_id, max_tokens.
    r"|^token$|(?:api|access|refresh|user|bot|hf|hub|csrf|id|my|github|gitlab)_?token$",
    re.IGNORECASE,
)
# The beginnings that vendors give their keys, whatever the argument is called.
_SECRET_VALUE = re.compile(
    r"(?:sk-|hf_|gh[pos]_|glpat-|xox[abpr]-)[-_A-Za-z0-9]{8,}|AKIA[A-Z0-9]{12,}|AIza[-_\w]{20,}"
    r"|Bearer \S{8,}"
)


def is_secret_name(name: str) -> bool:
    """Whether what is called so is likely a secret."""
    return _SECRET_NAME.search(name) is not None


def without_secrets(value: Any) -> Any:
    """An option's value as it may be written: secrets within its objects are replaced.

    A secret is known by its name, or by the form that vendors give their keys. A value that is
    no object is written as it is: an option that is a secret is declared as one.
    """
    return _hidden(value) if isinstance(value, dict) else value


def _hidden(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: HIDDEN if is_secret_name(str(name)) and inner else _hidden(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_hidden(inner) for inner in value]
    return HIDDEN if isinstance(value, str) and _SECRET_VALUE.match(value) else value


def holds_hidden(value: Any) -> bool:
    """Whether a secret within an option's object was lost in a run folder."""
    if isinstance(value, dict):
        return any(map(holds_hidden, value.values()))
    if isinstance(value, list):
        return any(map(holds_hidden, value))
    return bool(value == HIDDEN)


def unknown_option(name: str, known: Iterable[str]) -> str:
    """A message for an unknown name, with the nearest known one."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"unknown option {name!r}" + (f"; did you mean {close[0]!r}?" if close else "")


def _plain(field: OptionField, value: Any) -> Any:
    """What a string means: one of a list, or a number where a word could stand too."""
    _check_text(field, value)
    if not isinstance(value, str):
        return value
    if typing.get_origin(field.type) is tuple:
        return (value,)
    if field.is_object:
        return _object(field, value)
    if int in typing.get_args(field.type) and value.removeprefix("-").isdecimal():
        return int(value)
    return value


def _object(field: OptionField, text: str) -> Any:
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"{field.flag}: expected a JSON object ({error})") from None
    return value


def _check_text(field: OptionField, value: Any) -> None:
    """Refuse what no manifest can hold, and a path that would quietly be the working folder."""
    for text in value if isinstance(value, list | tuple) else [value]:
        if not isinstance(text, str | Path):
            continue
        try:
            str(text).encode("utf-8")
        except UnicodeEncodeError:
            shown = "the text" if field.info.secret else repr(str(text))
            raise UsageError(f"{field.flag}: {shown} is not UTF-8") from None
        if text == "" and Path in {field.type, *typing.get_args(field.type)}:
            raise UsageError(f"{field.flag}: expected a path, found an empty text")


def _path_hook(wanted: type, value: Any) -> Any:
    if wanted is Path and isinstance(value, str | Path):
        return Path(value)
    raise TypeError(f"expected {wanted.__name__}")


def _readable(error: msgspec.ValidationError, fields: Mapping[str, OptionField]) -> str:
    message, _, path = str(error).partition(" - at `$.")
    name = path.rstrip("`").split("[")[0]
    if name in fields and message.startswith("Invalid enum value"):
        wrong = message.removeprefix("Invalid enum value ")
        message = f"{wrong} is none of {', '.join(fields[name].choices)}"
    return f"{fields[name].flag}: {message}" if name in fields else message


def _check_bounds(field: OptionField, value: Any) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    low = -_LARGEST if field.info.minimum is None else field.info.minimum
    high = _LARGEST if field.info.maximum is None else field.info.maximum
    if low <= value <= high:
        return
    unbounded_above = field.info.maximum is None and not value > high
    span = f"at least {low:g}" if unbounded_above else f"between {low:g} and {high:g}"
    raise UsageError(f"{field.flag}: {value} is out of range, expected {span}")
