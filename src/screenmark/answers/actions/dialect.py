"""What a dialect is: text to actions and back, made of tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from screenmark.answers.actions.calls import Form, bind, read_calls
from screenmark.answers.actions.markup import call_in, read_invokes
from screenmark.answers.actions.objects import read_objects
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import Action, Click, Done, Drag, Move, Type
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.types import Json

_T = TypeVar("_T")

Parts: TypeAlias = tuple[str, list[Action]]
"""What a reply says before its actions, and the actions."""

_LAST_WORD: Final = "Done."

ReadObject: TypeAlias = Callable[[dict[str, Json], Scale], list[Action]]
Writers: TypeAlias = Mapping[type[Any], Callable[[Any, Scale], list[_T]]]
"""How each kind of action is written, as one or several pieces."""


class Dialect(msgspec.Struct, frozen=True):
    """One language of actions.

    Attributes:
        name: what profiles call it.
        title: for people.
        read: a reply without its thinking to what it says and its actions; raises `Invalid`.
        write: actions to a reply; raises `CannotWrite`.
        read_call: one tool call as a provider's interface hands it over; None where the dialect
            is text.
        write_call: the reverse.
    """

    name: str
    title: str
    read: Callable[[str, Scale], Parts]
    write: Callable[[Sequence[Action], Scale], str]
    read_call: ReadObject | None = None
    write_call: Callable[[Action, Scale], list[dict[str, Json]]] | None = None


def write_with(writers: Writers[_T], action: Action, scale: Scale, dialect: str) -> list[_T]:
    """The pieces of one action. Typing at a place is a click and typing where need be.

    Raises:
        CannotWrite: the dialect has no way to say it.
    """
    write = writers.get(type(action))
    if write is None:
        name = type(action).__struct_config__.tag
        raise CannotWrite(f"{dialect} has no way to say {name!r}")
    return write(action, scale)


def call_dialect(
    name: str,
    title: str,
    forms: Mapping[str, Form],
    writers: Writers[str],
    *,
    find: Callable[[str], tuple[str, str]],
    wrap: Callable[[list[str]], str],
) -> Dialect:
    """A dialect of calls.

    Args:
        find: a reply to what it says and the part that holds the calls.
        wrap: written calls to a reply.
    """

    def read(text: str, scale: Scale) -> Parts:
        prose, body = find(text)
        calls = read_calls(body, forms)
        return prose, [action for call in calls for action in bind(call, forms, scale)]

    def write(actions: Sequence[Action], scale: Scale) -> str:
        return wrap([c for action in actions for c in write_with(writers, action, scale, name)])

    return Dialect(name, title, read, write)


def json_dialect(
    name: str,
    title: str,
    read_object: ReadObject,
    writers: Writers[dict[str, Json]],
    *,
    wrap: Callable[[list[dict[str, Json]]], str],
    last_word_without: Collection[str] | None = None,
    invokes: bool = False,
) -> Dialect:
    """A dialect of JSON objects or tool calls.

    Args:
        wrap: written calls to a reply.
        last_word_without: names of actions, where a reply without a call is the agent's last
            word: one that calls any of them in prose is none, nor one with a call's markup.
        invokes: whether calls are also read as ``<invoke name="…">``.
    """

    def read(text: str, scale: Scale) -> Parts:
        prose, objects = read_invokes(text) if invokes else ("", [])
        if not objects:
            prose, objects = read_objects(text)
        if not objects and last_word_without is not None and "{" not in text:
            if call := call_in(text, last_word_without):
                raise Invalid(f"{call!r} begins a call that cannot be read, and is no last word")
            said = text.strip()
            return "", [Done("" if said == _LAST_WORD else said)]
        actions = [action for item in objects for action in read_object(item, scale)]
        if not actions:
            raise Invalid("there is no action in it")
        return prose, actions

    def write_call(action: Action, scale: Scale) -> list[dict[str, Json]]:
        return write_with(writers, action, scale, name)

    def write(actions: Sequence[Action], scale: Scale) -> str:
        match actions:
            case [Done(text=text)] if last_word_without is not None:
                if "{" in text or call_in(text, last_word_without):
                    raise CannotWrite("the last word would be read as a call")
                return text or _LAST_WORD
        return wrap([call for action in actions for call in write_call(action, scale)])

    return Dialect(name, title, read, write, read_object, write_call)


def folded(actions: Sequence[Action]) -> list[Action]:
    """A move and a drag from where the pointer is are one drag."""
    found: list[Action] = []
    for action in actions:
        if isinstance(action, Drag) and len(action.path) == 1 and found:
            before = found[-1]
            if isinstance(before, Move):
                path = (before.point, *action.path)
                found[-1] = msgspec.structs.replace(action, path=path)
                continue
        found.append(action)
    return found


def typing(action: Type, *, clear: bool = False, enter: str | None = "\n") -> str:
    """The text of typing, with the Enter key as a line break at its end.

    Raises:
        CannotWrite: the field has to be cleared first, and the dialect cannot.
    """
    if action.clear and not clear:
        raise CannotWrite("the dialect cannot clear a field before it types")
    return action.text + (enter or "" if action.submit else "")


def clicked_first(
    action: Type, scale: Scale, writers: Writers[_T], write: Callable[[Type, Scale], list[_T]]
) -> list[_T]:
    """Typing at a place in a dialect that can only type where the focus is."""
    first = [] if action.point is None else writers[Click](Click(action.point), scale)
    return [*first, *write(action, scale)]


def plain(action: Any, *fields: str) -> None:
    """Make sure that ``fields`` of an action have their defaults.

    Raises:
        CannotWrite: one of them says something that the dialect has no word for.
    """
    for field in msgspec.structs.fields(action):
        if field.name in fields and getattr(action, field.name) != field.default:
            name = type(action).__struct_config__.tag
            raise CannotWrite(f"the dialect has no word for {field.name!r} of {name!r}")
