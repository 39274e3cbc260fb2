"""Any model of the house as an agent: its dialect from the profile, its history by a policy."""

from __future__ import annotations

from typing import ClassVar, Final

import msgspec

from screenmark.agents.asking import Asker
from screenmark.agents.base import Agent, AgentMaker, Decision, Kind, SaveScreen
from screenmark.agents.prompt import page_text, state_text, system_prompt, task_text
from screenmark.agents.spaces import space_of_reply
from screenmark.answers import Profile, strip_thinking
from screenmark.answers.actions import get_dialect, read_turn
from screenmark.answers.profiles import ProfileError
from screenmark.environments import Environment, Observation
from screenmark.errors import UsageError
from screenmark.geometry import Space
from screenmark.images import size_as_sent
from screenmark.types import Answer, Image, Message, Outcome, Part, Text

DEFAULT_DIALECT: Final = "pyautogui"
"""Of profiles that have none of their own: calls that every language model has seen."""

_LONGEST_SAID: Final = 1500
_USUAL_SCREENS: Final = 3
_SCREENS: Final = {"ui-tars": 5, "ui-tars-mobile": 5, "qwen": 5, "qwen-mobile": 5, "claude": 10}
"""Of the families' own agents in OSWorld; others send three there."""
_CLOSE: Final = "The region that you looked at closely:"


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is reminded of.

    Attributes:
        screens: how many screenshots it is sent, the present one included; None: as many as
            agents of its dialect send in their own harness.
        texts: how many earlier replies it is sent, as text, each of bounded length.
    """

    screens: int | None = None
    texts: int = 50


class _Past(msgspec.Struct, frozen=True):
    """An earlier turn: the state in words, the picture, and what the model said."""

    state: str
    picture: str
    said: str


class ModelAgent(Agent):
    """One episode of a model.

    The conversation is the task, then turn for turn the state and the reply; only the last
    screenshots are sent, and of long replies the end.
    """

    def __init__(
        self,
        asker: Asker,
        profile: Profile,
        dialect: str | None,
        history: History,
        save: SaveScreen,
    ) -> None:
        self._asker = asker
        self._profile = profile
        self._dialect = dialect
        self._history = history
        self._screens = history.screens or screens_of(dialect or profile.dialect or "")
        self._save = save
        self._past: list[_Past] = []
        self._unread = False

    async def decide(self, observation: Observation) -> Decision:
        picture = str(self._save(observation.screenshot))
        state = state_text(observation, unread=self._unread)
        reply = await self._asker.ask(self._messages(observation, picture, state))
        turn = read_turn(
            reply.text,
            profile=self._profile,
            size=observation.size,
            space=space_of_reply(self._profile.coordinates, reply),
            dialect=self._dialect,
            finish_reason=reply.finish_reason,
            calls=reply.calls,
        )
        text = "\n".join((reply.text, *reply.calls))
        said = strip_thinking(text).text.strip()[-_LONGEST_SAID:]
        self._past.append(_Past(state, picture, said or "(nothing)"))
        invalid = _invalid(turn.answer)
        self._unread = invalid is not None
        return Decision(
            actions=turn.actions,
            invalid=invalid,
            thought="\n".join(part for part in (reply.reasoning, turn.thought) if part),
            text=text,
            usage=reply.usage,
        )

    def _messages(self, observation: Observation, picture: str, state: str) -> tuple[Message, ...]:
        seen = size_as_sent(picture, observation.size, self._asker.limits)
        space: Space = self._profile.coordinates
        if seen != observation.size:
            space = space.as_sent(seen)
        rules = system_prompt(self._profile, seen, space, self._dialect)
        turns = [Message("system", (Text(rules),))]
        lead = task_text(observation)
        past = self._past[-self._history.texts :] if self._history.texts else []
        with_picture = len(past) - max(0, self._screens - 1)
        for number, earlier in enumerate(past):
            parts: list[Part] = [Text("\n".join(p for p in (lead, earlier.state) if p))]
            if number >= with_picture:
                parts.append(Image(earlier.picture))
            turns += [Message("user", tuple(parts)), Message("assistant", (Text(earlier.said),))]
            lead = ""
        said = (lead, state, page_text(observation))
        now: list[Part] = [Text("\n".join(p for p in said if p))]
        if observation.closeup is not None:
            now += [Text(_CLOSE), Image(str(self._save(observation.closeup)))]
        now.append(Image(picture))  # last: replies are read in the space of the last picture
        return (*turns, Message("user", tuple(now)))


def screens_of(dialect: str) -> int:
    """How many screenshots agents of a dialect send in their own harness."""
    family = "claude" if dialect.startswith("claude-") else dialect
    return _SCREENS.get(family, _USUAL_SCREENS)


def _invalid(answer: Answer) -> str | None:
    """Why a reply holds no valid turn, fit to be told; None if it does."""
    if answer.outcome is Outcome.OK:
        return None
    if answer.outcome is Outcome.REFUSED:
        return "it declines the task instead of naming an action"
    return answer.reason or f"the reply is {answer.outcome.value}"


def dialect_for(profile: Profile, named: str | None) -> str:
    """The dialect of an agent: the one that is named, the profile's, or the usual one.

    Raises:
        UsageError: there is none by that name.
    """
    name = named or profile.dialect or DEFAULT_DIALECT
    try:
        return get_dialect(name).name
    except ProfileError as error:
        raise UsageError(f"--dialect: {error}") from None


class ModelMaker(AgentMaker):
    """Agents of one model.

    Args:
        profile: the space of its numbers, and its dialect.
        dialect: in place of the profile's.

    Raises:
        UsageError: there is no such dialect.
    """

    kind: ClassVar[Kind] = "model"

    def __init__(
        self,
        asker: Asker,
        profile: Profile,
        dialect: str | None = None,
        history: History | None = None,
    ) -> None:
        self.name = asker.adapter.name
        self._asker = asker
        self._profile = profile
        self._dialect = dialect_for(profile, dialect)
        self._history = history or History()

    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        return ModelAgent(self._asker, self._profile, self._dialect, self._history, save)

    async def start(self) -> None:
        await self._asker.adapter.start()

    async def close(self) -> None:
        await self._asker.adapter.close()
