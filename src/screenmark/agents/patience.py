"""How long a turn may take that only waits."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from screenmark.answers.actions import Action
from screenmark.environments.base import LONGEST_WAIT


def within_patience(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions of a turn, which wait, hold and press for `LONGEST_WAIT` seconds in all.

    A turn of many long waits would stand still for an hour.
    """
    left = LONGEST_WAIT
    kept = []
    for action in actions:
        seconds = getattr(action, "seconds", None)
        if seconds is None:
            kept.append(action)
            continue
        kept.append(msgspec.structs.replace(action, seconds=min(seconds, left)))
        left -= min(seconds, left)
    return tuple(kept)
