"""A planner and a grounder: one model says in words what to do, another one finds where that is."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from screenmark.agents.asking import Asker
from screenmark.agents.base import Agent, AgentMaker, Decision, Kind, SaveScreen
from screenmark.agents.model_agent import History
from screenmark.agents.prompt import page_text, state_text, task_text
from screenmark.agents.spaces import space_of_reply
from screenmark.answers import Profile, parse_point, strip_thinking
from screenmark.answers.actions import Action, Invalid, actions_from_json
from screenmark.answers.actions.objects import read_objects
from screenmark.environments import Environment, Observation
from screenmark.types import Image, Json, Message, Outcome, Text, Usage

_RULES: Final = """You operate a computer. After each of your turns you are shown a screenshot.
Think briefly about what to do next, then write exactly one action as a JSON object. Where an
action needs a place, describe it in words so that somebody who sees only this screenshot finds
it. End as soon as the task is done. The actions:
{"action": "click", "point": "the blue Save button at the top right"}
{"action": "click", "point": "…", "button": "right"}
{"action": "click", "point": "…", "count": 2}
{"action": "type", "text": "…", "point": "the search field", "submit": true}
{"action": "key", "keys": ["ctrl", "a"]}
{"action": "scroll", "dy": 5, "point": "…"}
{"action": "drag", "path": ["the small box", "the middle of the large box"]}
{"action": "select_option", "point": "…", "value": "Blue"}
{"action": "switch_tab", "index": 1}
{"action": "wait", "seconds": 2}
{"action": "answer", "text": "42"}
{"action": "done"}
{"action": "fail", "reason": "why"}"""

_SPACES: Final = {
    "pixel": " in pixels of the screenshot",
    "unit": " as fractions of its width and height, from 0 to 1",
    "percent": " in percent of its width and height, from 0 to 100",
    "permille": " normalised to the range from 0 to 1000 in both directions",
}
_FIND: Final = (
    "The image is a screenshot of a user interface{size}. Where on it would you click to follow "
    "this instruction?\n\nInstruction: {what}\n\nAnswer with the coordinates of one point as "
    "(x, y){space}, and nothing else. If there is no such thing on the screenshot, answer: not "
    "on screen\n"
)
_EXAMPLE: Final = '{"action": "click", "point": "the blue Save button"}'
_PLACES: Final = ("point", "start", "end")


class _Spent(NamedTuple):
    """Tokens of the replies of one turn; None until somebody counted."""

    usage: Usage | None = None

    def plus(self, usage: Usage | None) -> _Spent:
        if usage is None:
            return self
        had = self.usage or Usage()
        return _Spent(
            Usage(
                had.input_tokens + usage.input_tokens,
                had.output_tokens + usage.output_tokens,
            )
        )


class PairAgent(Agent):
    """One episode of a planner and a grounder."""

    def __init__(
        self,
        planner: Asker,
        grounder: Asker,
        profile: Profile,
        history: History,
        save: SaveScreen,
    ) -> None:
        self._planner = planner
        self._grounder = grounder
        self._profile = profile
        self._history = history
        self._save = save
        self._said: list[str] = []
        self._unread = False

    async def decide(self, observation: Observation) -> Decision:
        picture = str(self._save(observation.screenshot))
        reply = await self._planner.ask(self._messages(observation, picture))
        self._said.append(reply.text[-600:])
        stripped = strip_thinking(reply.text)
        spent = _Spent().plus(reply.usage)
        try:
            prose, action = _one_action(stripped.text, calls=bool(reply.calls))
            found, spent = await self._grounded(action, observation, picture, spent)
            actions = _actions(found)
        except Invalid as invalid:
            self._unread = True
            return Decision(invalid=str(invalid), text=reply.text, usage=spent.usage)
        self._unread = False
        thought = "\n".join(p for p in (reply.reasoning, stripped.reasoning, prose) if p)
        return Decision(actions=actions, thought=thought, text=reply.text, usage=spent.usage)

    def _messages(self, observation: Observation, picture: str) -> tuple[Message, ...]:
        earlier = self._said[-self._history.texts :]
        lines = [f"{number}. {said}" for number, said in enumerate(earlier, 1)]
        past = ["Your turns so far:", *lines] if lines else []
        state = state_text(observation, unread=self._unread)
        said = [task_text(observation), *past, state, page_text(observation)]
        text = "\n".join(part for part in said if part)
        parts = (Text(text), Image(picture))
        return Message("system", (Text(_RULES),)), Message("user", parts)

    async def _grounded(
        self, action: dict[str, Json], observation: Observation, picture: str, spent: _Spent
    ) -> tuple[dict[str, Json], _Spent]:
        """The action with places instead of words."""
        wanted = {n: action[n] for n in _PLACES if isinstance(action.get(n), str)}
        path = action.get("path")
        words = [*wanted.values(), *(path if isinstance(path, list) else [])]
        found = await asyncio.gather(
            *(self._find(str(what), observation, picture) for what in words)
        )
        for _, usage in found:
            spent = spent.plus(usage)
        places = [place for place, _ in found]
        for what, place in zip(words, places, strict=True):
            if place is None:
                raise Invalid(f"{str(what)[:80]!r} was not found on the screen")
        grounded = {**action, **dict(zip(wanted, places, strict=False))}
        if isinstance(path, list):
            grounded["path"] = places[len(wanted) :]
        return grounded, spent

    async def _find(
        self, what: str, observation: Observation, picture: str
    ) -> tuple[list[float] | None, Usage | None]:
        space = self._profile.coordinates
        told = _SPACES.get(space.kind, "")
        size = observation.size
        sized = f", {size.width} pixels wide and {size.height} pixels high"
        text = _FIND.replace("{size}", sized if space.kind == "pixel" else "")
        text = text.replace("{space}", told).replace("{what}", what)
        message = Message("user", (Image(picture), Text(text)))
        reply = await self._grounder.ask((message,))
        answer = parse_point(
            reply.text,
            profile=self._profile,
            size=size,
            space=space_of_reply(space, reply),
            finish_reason=reply.finish_reason,
        )
        value: Any = answer.value
        place = list(value) if answer.outcome is Outcome.OK and value is not None else None
        return place, reply.usage


def _one_action(text: str, *, calls: bool) -> tuple[str, dict[str, Json]]:
    if calls:
        raise Invalid(f"it calls a tool; write the action as JSON in the text, like {_EXAMPLE}")
    prose, objects = read_objects(text)
    if not objects:
        raise Invalid(f"there is no action in it; write one as a JSON object, like {_EXAMPLE}")
    if len(objects) > 1:
        raise Invalid(f"there are {len(objects)} actions in it; write one JSON object")
    return prose, objects[0]


def _actions(found: dict[str, Json]) -> tuple[Action, ...]:
    try:
        return actions_from_json([found])
    except (msgspec.ValidationError, TypeError) as error:
        raise Invalid(f"this is no action: {error}") from None


class PairMaker(AgentMaker):
    """Pairs of one planner and one grounder.

    Args:
        profile: how the grounder writes points.
    """

    kind: ClassVar[Kind] = "pair"

    def __init__(self, planner: Asker, grounder: Asker, profile: Profile, history: History) -> None:
        self.name = f"{planner.adapter.name}+{grounder.adapter.name}"
        self._planner = planner
        self._grounder = grounder
        self._profile = profile
        self._history = history

    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        return PairAgent(self._planner, self._grounder, self._profile, self._history, save)

    async def start(self) -> None:
        await self._planner.adapter.start()
        await self._grounder.adapter.start()

    async def close(self) -> None:
        await self._planner.adapter.close()
        await self._grounder.adapter.close()
