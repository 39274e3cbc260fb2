"""A reply of an agent to actions, actions to a reply, by the name of the dialect."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from screenmark.answers.actions import (
    aguvis,
    android_world,
    browsergym,
    claude,
    cogagent,
    computer_13,
    gemini,
    openai,
    pyautogui,
    qwen,
    scalecua,
    showui,
    ui_tars,
)
from screenmark.answers.actions.bounds import excess
from screenmark.answers.actions.dialect import Dialect, Parts, folded
from screenmark.answers.actions.objects import read_objects
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import Action, Done, actions_to_json
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.answers.ending import ending_of, is_refusal
from screenmark.answers.points import LONGEST_REPLY
from screenmark.answers.profiles import Profile, ProfileError
from screenmark.answers.thinking import strip_thinking
from screenmark.geometry import Size, Space, SpaceError
from screenmark.types import Answer, Json, Outcome

DIALECTS: Final[dict[str, Dialect]] = {
    dialect.name: dialect
    for dialect in (
        ui_tars.COMPUTER,
        ui_tars.MOBILE,
        qwen.COMPUTER,
        qwen.MOBILE,
        *claude.DIALECTS,
        openai.DIALECT,
        gemini.DIALECT,
        pyautogui.DIALECT,
        computer_13.DIALECT,
        android_world.DIALECT,
        browsergym.DIALECT,
        aguvis.DIALECT,
        scalecua.DIALECT,
        showui.DIALECT,
        cogagent.DIALECT,
    )
}
"""Every dialect by the name that profiles use."""

_CALLING: Final = frozenset({"tool_calls", "function_call", "tool_use"})
"""Words for a reply that ends because the model waits for what a tool gives back."""

_HALF = re.compile("[\ud800-\udfff]")


class Turn(msgspec.Struct, frozen=True):
    """What an agent did in one reply.

    Attributes:
        answer: ``ok`` with the actions as JSON, or why there are none: the reason of an
            ``unparseable`` one is fit to be told to the agent.
        actions: the actions, in order; empty unless the outcome is ``ok``. One invalid action
            makes the turn invalid as a whole, so that nothing is done by halves.
        thought: reasoning, and what the reply says before its actions.
    """

    answer: Answer
    actions: tuple[Action, ...] = ()
    thought: str = ""


def get_dialect(name: str) -> Dialect:
    """A dialect by name.

    Raises:
        ProfileError: there is none by that name.
    """
    if name not in DIALECTS:
        raise ProfileError(f"there is no dialect {name!r}; expected {', '.join(DIALECTS)}")
    return DIALECTS[name]


def dialect_of(profile: Profile, name: str | None = None) -> Dialect:
    """The dialect called ``name``, or else the profile's.

    Raises:
        ProfileError: there is none by that name, or the profile has none.
    """
    if name is None and profile.dialect is None:
        raise ProfileError(
            f"profile {profile.name!r} has no dialect of actions; name one of {', '.join(DIALECTS)}"
        )
    return get_dialect(name or profile.dialect or "")


def parse_actions(
    text: str,
    *,
    profile: Profile,
    size: Size,
    space: Space | None = None,
    dialect: str | None = None,
    finish_reason: str | None = None,
) -> Answer:
    """The actions of a reply as JSON, see `read_turn`."""
    turn = read_turn(
        text, profile=profile, size=size, space=space, dialect=dialect, finish_reason=finish_reason
    )
    return turn.answer


def read_turn(
    text: str,
    *,
    profile: Profile,
    size: Size,
    space: Space | None = None,
    dialect: str | None = None,
    finish_reason: str | None = None,
    calls: Sequence[str] = (),
) -> Turn:
    """What an agent's reply means.

    Args:
        text: the reply.
        profile: the space of its numbers, and its dialect.
        size: of the original screenshot in pixels.
        space: in place of the profile's, where the screenshot was scaled before it was sent
            (see `Space.as_sent`).
        dialect: in place of the profile's.
        finish_reason: the provider's word for how the reply ended.
        calls: calls of tools that stand beside the text (see `screenmark.types.Reply.calls`): they
            are the actions then, and the text is what is said before them.

    Raises:
        ProfileError: there is no such dialect, or the profile has none.
    """
    language = dialect_of(profile, dialect)
    stripped = strip_thinking(text)
    ended = ending_of(stripped, finish_reason)
    if ended is not None and not (calls and ended.outcome is Outcome.EMPTY):
        return Turn(ended, thought=stripped.reasoning)
    reply = stripped.text
    if len(reply) > LONGEST_REPLY:
        # A part of a turn would be a turn by halves.
        reason = f"the reply is too long: {len(reply)} of at most {LONGEST_REPLY} characters"
        return Turn(Answer(Outcome.UNPARSEABLE, reason=reason), thought=stripped.reasoning)
    if is_refusal(reply):
        return Turn(Answer(Outcome.REFUSED, reason="policy"), thought=stripped.reasoning)
    scale = Scale(space or profile.coordinates, size)
    if calls:
        return _turn(lambda: _called(language, reply, calls, scale), stripped.reasoning)
    turn = _turn(lambda: language.read(reply, scale), stripped.reasoning)
    last_word = "{" not in reply and any(isinstance(action, Done) for action in turn.actions)
    if finish_reason in _CALLING and last_word:
        # The last word of an agent that calls nothing more, and this one did.
        reason = "the reply ends with a call of a tool, and there is none in it"
        return Turn(Answer(Outcome.UNPARSEABLE, reason=reason), thought=reply)
    return turn


def _called(language: Dialect, text: str, calls: Sequence[str], scale: Scale) -> Parts:
    """Calls beside a text, which has no actions of its own, or the same ones."""
    read = language.read_call
    if read is None:
        raise Invalid("the reply calls a tool; actions have to be written in its text")
    try:
        objects = [json.loads(call) for call in calls]
    except ValueError:  # a number of thousands of digits
        raise Invalid("the call of a tool cannot be read") from None
    actions = [action for item in objects for action in read(item, scale)]
    try:
        prose, written = read_objects(text)
        again = [action for item in written for action in read(item, scale)]
    except Invalid:  # a brace in what is said
        prose, again = text, []
    if again and again != actions:
        raise Invalid("the reply has actions in its text and others as calls of tools")
    return prose, actions


def read_tool_calls(
    calls: Sequence[dict[str, Json]],
    *,
    profile: Profile,
    size: Size,
    space: Space | None = None,
    dialect: str | None = None,
) -> Turn:
    """What tool calls mean, as a provider's interface hands them over; as `read_turn` otherwise.

    Raises:
        ProfileError: the dialect is text and has no tool calls, or there is none.
    """
    language = dialect_of(profile, dialect)
    read = language.read_call
    if read is None:
        raise ProfileError(f"dialect {language.name!r} is text and has no tool calls")
    scale = Scale(space or profile.coordinates, size)
    return _turn(lambda: ("", [action for call in calls for action in read(call, scale)]), "")


def _turn(read: Callable[[], Parts], reasoning: str) -> Turn:
    try:
        said, found = read()
    except (Invalid, SpaceError) as error:
        return Turn(Answer(Outcome.UNPARSEABLE, reason=str(error)), thought=reasoning)
    except RecursionError:
        return Turn(Answer(Outcome.UNPARSEABLE, reason="nested too deep"), thought=reasoning)
    actions = tuple(folded(found))
    if why := excess(actions):
        return Turn(Answer(Outcome.UNPARSEABLE, reason=why), thought=reasoning)
    value = actions_to_json(actions)
    if half := _HALF.search(json.dumps(value, ensure_ascii=False)):
        reason = f"a text holds \\u{ord(half[0]):04x}, half of a character"
        return Turn(Answer(Outcome.UNPARSEABLE, reason=reason), thought=reasoning)
    thought = "\n".join(part for part in (reasoning, said) if part)
    return Turn(Answer(Outcome.OK, value), actions, thought)


def write_actions(
    actions: Sequence[Action],
    *,
    profile: Profile,
    size: Size,
    space: Space | None = None,
    dialect: str | None = None,
) -> str:
    """Actions as the model of a profile would write them.

    Raises:
        CannotWrite: the dialect has no way to say one of them, or there is none.
        ProfileError: there is no such dialect, or the profile has none.
        SpaceError: the space cannot hold the screenshot.
    """
    if not actions:
        raise CannotWrite("a turn has at least one action")
    scale = Scale(space or profile.coordinates, size)
    return dialect_of(profile, dialect).write(actions, scale)


def write_tool_calls(
    actions: Sequence[Action],
    *,
    profile: Profile,
    size: Size,
    space: Space | None = None,
    dialect: str | None = None,
) -> list[dict[str, Json]]:
    """Actions as tool calls; as `write_actions` otherwise."""
    language = dialect_of(profile, dialect)
    write = language.write_call
    if write is None:
        raise ProfileError(f"dialect {language.name!r} is text and has no tool calls")
    scale = Scale(space or profile.coordinates, size)
    return [call for action in actions for call in write(action, scale)]
