"""What sentences ask for, by rules."""

import pytest

from screenmark.agents.intents import Intent, read_intents


def click(target: str) -> Intent:
    return Intent("click", target)


def enter(text: str, field: str = "") -> Intent:
    return Intent("type", field, text)


@pytest.mark.parametrize(
    ("instruction", "intents"),
    [
        ('Click on the "No" button.', [click("No")]),
        ("Click button ONE, then click button TWO.", [click("ONE"), click("TWO")]),
        ("Click the button.", [click("button")]),
        ('Click on the link "In".', [click("In")]),
        ("Click on Tab #1.", [click("Tab #1")]),
        (
            "Select ZrLIee, RKPgD, 3mJ5 and click Submit.",
            [click("ZrLIee"), click("RKPgD"), click("3mJ5"), click("Submit")],
        ),
        ("Select nothing and click Submit.", [click("Submit")]),
        ("Select Xaviera>Laurie>Melinde", [click("Xaviera"), click("Laurie"), click("Melinde")]),
        (
            'Enter "Tora" into the text field and press Submit.',
            [enter("Tora"), click("Submit")],
        ),
        (
            'Type "tora" in all upper case letters in the text input and press Submit.',
            [enter("TORA"), click("Submit")],
        ),
        (
            'Enter the username "kim" and the password "UT" into the text fields and press login.',
            [enter("kim", "username"), enter("UT", "password"), click("login")],
        ),
        (
            "Select Somalia from the list and click Submit.",
            [Intent("choose", "", "Somalia"), click("Submit")],
        ),
        (
            'Enter the password "rU" into both text fields and press submit.',
            [enter("rU", "password"), enter("rU", "password"), click("submit")],
        ),
        ("What is the weather?", []),
        ("", []),
    ],
)
def test_intents(instruction: str, intents: list[Intent]) -> None:
    assert read_intents(instruction) == intents
