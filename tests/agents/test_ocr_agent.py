"""The agent that reads: what it leaves out of a screen, and where it clicks in a row."""

import pytest

from screenmark.agents.ocr_agent import _spot, without_instruction
from screenmark.geometry import Size
from screenmark.models.embedded.grounding import Match
from screenmark.models.embedded.screen import Item, Screen

TASK = "Select ZrLIee, RKPgD and click Submit."


def screen(*texts: str) -> Screen:
    items = [
        Item("text", text, (0.0, n * 20.0, 100.0, n * 20.0 + 18)) for n, text in enumerate(texts)
    ]
    return Screen(tuple(items), 300, 300)


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (
            ["Select ZrLlee, RKPgD and click Submit.", "UT", "RKPgD", "Submit"],
            ["UT", "RKPgD", "Submit"],
        ),
        (["Select ZrLIee, RKPgD", "and click Submit.", "RKPgD"], ["RKPgD"]),
        (["Logo", "Select ZrLIee, RKPgD and click Submit.", "Submit"], ["Logo", "Submit"]),
        (["RKPgD", "Submit"], ["RKPgD", "Submit"]),
    ],
    ids=["misread", "two-lines", "below-a-logo", "not-shown"],
)
def test_the_instruction_is_no_target(texts: list[str], kept: list[str]) -> None:
    assert [item.text for item in without_instruction(screen(*texts), TASK).items] == kept


def test_the_words_of_a_wide_row_are_clicked() -> None:
    wide = Item("link", "RKPgD", (0, 100, 320, 136))
    x, y = _spot(Match(wide.box, 1.0, wide), Size(320, 320))
    assert 30 < x * 320 < 110
    assert y == pytest.approx(118 / 320)
    button = Item("button", "Submit", (0, 100, 90, 136))
    assert _spot(Match(button.box, 1.0, button), Size(320, 320))[0] == pytest.approx(45 / 320)
