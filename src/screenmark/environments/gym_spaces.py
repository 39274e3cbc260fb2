"""Gymnasium's spaces of what agents see and do here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from gymnasium import spaces

from screenmark.answers.actions import Action, actions_from_json
from screenmark.answers.actions.schema import Click, Done, Key, Move, Scroll, Type, Wait
from screenmark.geometry import Size

_WORDS: Final = ("a", "7", "hello")


class AnyText(spaces.Space[Any]):  # type: ignore[misc]
    """Every text, in any script and of any length.

    Args:
        or_none: None is of it too.
    """

    def __init__(self, *, or_none: bool = False) -> None:
        super().__init__(shape=None, dtype=None)
        self.or_none = or_none

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return str(self.np_random.choice(_WORDS))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) or (self.or_none and x is None)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText) and other.or_none == self.or_none

    def __hash__(self) -> int:
        return hash(self.or_none)


class Turn(spaces.Space[Any]):  # type: ignore[misc]
    """Every turn: an action of the schema, several in a sequence, or the same as JSON objects.

    A sample is one action of pointer or keyboard, now and then ``done``.
    """

    def __init__(self) -> None:
        super().__init__(shape=None, dtype=None)

    def sample(self, mask: Any = None, probability: Any = None) -> Action:
        x, y = (float(part) for part in self.np_random.random(2))
        text = str(self.np_random.choice(_WORDS))
        choices: tuple[Action, ...] = (
            *(Click((x, y)), Click((x, y)), Click((x, y), count=2), Move((x, y))),
            *(Type(text), Key(("enter",)), Scroll(dy=math.copysign(3, x - 0.5)), Wait(0.0), Done()),
        )
        return choices[int(self.np_random.integers(len(choices)))]

    def contains(self, x: Any) -> bool:
        try:
            turn_of(x)
        except (TypeError, ValueError):
            return False
        return True

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Turn)

    def __hash__(self) -> int:
        return hash(Turn)


def turn_of(given: Any) -> tuple[Action, ...]:
    """The actions of a turn in any of its forms.

    Raises:
        TypeError: it is no turn.
        ValueError: an object among it is no action.
    """
    parts = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    actions: list[Action] = []
    for part in parts:
        if isinstance(part, Action):
            actions.append(part)
        elif isinstance(part, dict):
            actions += actions_from_json([part])
        else:
            raise TypeError(f"expected an action, its JSON object or a sequence of these: {part!r}")
    return tuple(actions)


def observations(size: Size, budget: int) -> spaces.Dict:
    """What is seen: ``screenshot`` (height, width, 3) of uint8, two texts and the step.

    Args:
        size: of the screenshot in pixels.
        budget: most steps of an episode.
    """
    import numpy as np

    return spaces.Dict(
        {
            "screenshot": spaces.Box(0, 255, (size.height, size.width, 3), np.uint8),
            "instruction": AnyText(),
            "error": AnyText(or_none=True),
            "step": spaces.Discrete(budget + 1),
        }
    )
