"""A turn that only waits does not stand still for an hour."""

import pytest

from screenmark.agents.patience import within_patience
from screenmark.answers.actions import Action
from screenmark.answers.actions.schema import Click, HoldKey, LongPress, Swipe, Wait

CLICK = Click((0.5, 0.5))
SLOW = Swipe((0.5, 0.9), (0.5, 0.1))


@pytest.mark.parametrize(
    ("turn", "kept"),
    [
        pytest.param((Wait(2.0), CLICK), (Wait(2.0), CLICK), id="short"),
        pytest.param((Wait(3600.0),), (Wait(30.0),), id="one"),
        pytest.param(
            (Wait(20.0), CLICK, HoldKey(("a",), 20.0), Wait(20.0)),
            (Wait(20.0), CLICK, HoldKey(("a",), 10.0), Wait(0.0)),
            id="several",
        ),
        pytest.param(
            (LongPress((0.5, 0.5), 99.0), SLOW), (LongPress((0.5, 0.5), 30.0), SLOW), id="press"
        ),
    ],
)
def test_seconds_of_a_turn(turn: tuple[Action, ...], kept: tuple[Action, ...]) -> None:
    assert within_patience(turn) == kept
