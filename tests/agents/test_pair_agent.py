"""What a planner may write, and what it is told about the rest."""

import json
import re

import pytest

from screenmark.agents.pair_agent import _RULES, _one_action
from screenmark.answers.actions import Invalid, actions_from_json


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        pytest.param('click "Submit"', "no action in it; write one as a JSON object", id="prose"),
        pytest.param('{"action": "done"} {"action": "done"}', "2 actions in it", id="two"),
        pytest.param('{"action": "do', "cut off", id="cut off"),
    ],
)
def test_a_planner_s_reply_that_is_no_action(reply: str, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        _one_action(reply, calls=False)


@pytest.mark.parametrize(("reply", "calls"), [("Save.", False), ("", True)], ids=["prose", "call"])
def test_the_example_that_a_planner_is_told_is_an_action(reply: str, calls: bool) -> None:
    with pytest.raises(Invalid) as told:
        _one_action(reply, calls=calls)
    _, action = _one_action(str(told.value), calls=False)
    assert action["action"] == "click"


def test_every_example_of_the_rules_is_an_action() -> None:
    examples = re.findall(r"^\{.*\}$", _RULES, re.MULTILINE)
    assert len(examples) == 13
    for line in examples:
        action = json.loads(line)
        if "point" in action:
            action["point"] = [0.5, 0.5]
        if "path" in action:
            action["path"] = [[0.1, 0.1], [0.5, 0.5]]
        assert actions_from_json([action])
