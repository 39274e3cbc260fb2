"""The agent `ocr-agent`: reads the instruction and the screen, clicks on words, types quotations.

A baseline without a language model: it does what the instruction's own words say, in their
order, and sees nothing but the screenshot.
"""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from screenmark.agents.base import Agent, AgentMaker, Decision, Kind, SaveScreen
from screenmark.agents.intents import Intent, read_intents
from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Click, Done, Fail, Scroll, SelectOption, Type
from screenmark.environments import Environment, Observation
from screenmark.errors import MissingExtra
from screenmark.geometry import Size
from screenmark.models.embedded_adapter import EMBEDDED
from screenmark.models.workers import WorkerPool

if TYPE_CHECKING:
    from screenmark.models.embedded.grounding import Match
    from screenmark.models.embedded.screen import Item, Screen

_LEAST: Final = 0.7
_MOST_SCROLLS: Final = 2
_SHORTEST: Final = 3
_ALIKE: Final = 0.8
_EM: Final = 0.55
_LOOSE: Final = 2.5
_LABEL_ROW: Final = 12


class OcrAgent(Agent):
    """One episode: works through the instruction's intents, and scrolls where it finds none."""

    def __init__(self, pool: WorkerPool, save: SaveScreen) -> None:
        self._pool = pool
        self._save = save
        self._intents: list[Intent] | None = None
        self._used_fields: set[tuple[int, int]] = set()
        self._scrolls = 0

    async def decide(self, observation: Observation) -> Decision:
        if self._intents is None:
            self._intents = read_intents(observation.instruction)
            if not self._intents:
                return Decision(actions=(Fail("no rule reads this instruction"),))
        if not self._intents:
            return Decision(actions=(Done(),))
        screen = await self._look(observation)
        intent = self._intents[0]
        action = self._act(screen, intent, observation.size)
        if action is not None:
            self._intents.pop(0)
            self._scrolls = 0
            return Decision(actions=(action,), thought=f"{intent.kind} {intent.target}".strip())
        if self._scrolls < _MOST_SCROLLS:
            self._scrolls += 1
            return Decision(actions=(Scroll(dy=3.0, point=(0.3, 0.5)),), thought="look further")
        return Decision(actions=(Fail(f"no {intent.target!r} on the screen"),))

    async def _look(self, observation: Observation) -> Screen:
        from screenmark.models.embedded.screen import screen_of

        path: Path = self._save(observation.screenshot)
        size = (observation.size.width, observation.size.height)
        task = {"image": str(path), "prompt": "", "size": list(size)}
        answer = await self._pool.run(task)
        elements = json.loads(answer["seen"])
        return without_instruction(screen_of(elements, size), observation.instruction)

    def _act(self, screen: Screen, intent: Intent, size: Size) -> Action | None:
        if intent.kind != "click":
            field = self._field(screen, intent.target, lists=intent.kind == "choose")
            if field is None:
                return None
            point = _middle(field, size)
            chosen = intent.kind == "choose"
            return SelectOption(point, intent.text) if chosen else Type(intent.text, point=point)
        from screenmark.models.embedded.grounding import find, texts_like

        matches = texts_like(screen, intent.target, _LEAST)
        best = max(matches, key=lambda match: match.score, default=None)
        if best is None:
            # Nothing is called that: perhaps it says what the thing is, as "the trash icon".
            best, good = find(screen, f"Click {intent.target}.")
            if best is None or not good:
                return None
        return Click(_spot(best, size))

    def _field(self, screen: Screen, label: str, *, lists: bool = False) -> Item | None:
        """The field with that label, or else the first that nothing was typed into yet.

        Of a list its arrow may be all that is seen.
        """
        from screenmark.models.embedded.grounding import texts_like

        fields = [item for item in screen.items if item.kind == "input"]
        if lists and not fields:
            fields = [item for item in screen.items if item.is_blank]
        fields = [f for f in fields if (round(f.x), round(f.y)) not in self._used_fields]
        if not fields:
            return None
        labels = texts_like(screen, label, _LEAST) if label else []
        chosen = min(fields, key=lambda f: (f.y, f.x))
        if labels:
            x1, y1, _, y2 = max(labels, key=lambda match: match.score).box
            after = [f for f in fields if f.y >= y1 - _LABEL_ROW]
            middle = (y1 + y2) / 2
            chosen = min(
                after or fields, key=lambda f: abs(f.y - middle) + 0.2 * abs(f.box[0] - x1)
            )
        self._used_fields.add((round(chosen.x), round(chosen.y)))
        return chosen


def without_instruction(screen: Screen, instruction: str) -> Screen:
    """The screen without the lines that repeat the instruction, which names what it wants too.

    They come first, in its own order, and may be read with a letter wrong.
    """
    from screenmark.models.embedded.screen import Screen as Kept
    from screenmark.models.embedded.words import likeness

    rest = _letters(instruction)
    kept: list[Item] = []
    for item in screen.items:
        words = _letters(item.text)
        repeats = len(words) >= _SHORTEST and likeness(words, rest[: len(words)]) >= _ALIKE
        if repeats and len(kept) < _SHORTEST:
            rest = rest[len(words) :]
        else:
            kept.append(item)
    return Kept(tuple(kept), screen.width, screen.height)


def _spot(match: Match, size: Size) -> tuple[float, float]:
    """Where to click on something: the middle, but in a row that its words do not fill, these."""
    from screenmark.models.embedded.words import width_of

    x1, y1, x2, y2 = match.box
    text = match.item.text if match.item is not None else ""
    words = _EM * (y2 - y1) * width_of(text)
    filled = not words or x2 - x1 <= _LOOSE * words
    x = (x1 + x2) / 2 if filled else x1 + words / 2 + _EM * (y2 - y1)
    return x / size.width, (y1 + y2) / 2 / size.height


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def _middle(item: Item, size: Size) -> tuple[float, float]:
    return item.x / size.width, item.y / size.height


class OcrMaker(AgentMaker):
    """Agents that share the processes that read screens.

    Args:
        workers: how many processes; one a core if None.

    Raises:
        MissingExtra: what reads screens is not installed.
    """

    name = "ocr-agent"
    kind: ClassVar[Kind] = "embedded"

    def __init__(self, workers: int | None = None) -> None:
        model = EMBEDDED["ocr"]
        if any(find_spec(name) is None for name in model.needs):
            raise MissingExtra("the agent 'ocr-agent'", "ocr")
        self._pool = WorkerPool(model.target, workers or max(1, os.cpu_count() or 1))

    def make(self, environment: Environment, save: SaveScreen) -> Agent:
        return OcrAgent(self._pool, save)

    async def start(self) -> None:
        await self._pool.start()

    async def close(self) -> None:
        await self._pool.close()
