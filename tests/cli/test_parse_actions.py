"""``screenmark parse --kind action``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.commands import command as screenmark

pytestmark = pytest.mark.usefixtures("in_tmp")


def parse(*arguments: object, stdin: str) -> dict[str, Any]:
    done = screenmark("parse", "--kind", "action", *arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert isinstance(shown, dict)
    return shown


def test_a_list_of_actions() -> None:
    text = "Thought: a\nAction: click(start_box='(966,546)')\n\ntype(content='你好\\n')"
    shown = parse("--profile", "ui-tars-1.5", "--image-size", "1920x1080", stdin=text)
    assert shown == {
        "outcome": "ok",
        "value": [
            {"action": "click", "point": [0.5, 0.5], "button": "left", "count": 1, "modifiers": []},
            {"action": "type", "text": "你好", "submit": True, "clear": False, "point": None},
        ],
        "reason": None,
        "repair": None,
    }


def test_an_invalid_action_says_why() -> None:
    shown = parse("--profile", "qwen3-vl", stdin='{"action": "fly"}')
    assert (shown["outcome"], shown["value"]) == ("unparseable", None)
    assert "there is no action 'fly'" in shown["reason"]


def test_another_dialect() -> None:
    text = '{"action_type": "click", "x": 50, "y": 25}'
    shown = parse("--dialect", "android_world", "--image-size", "100x50", stdin=text)
    assert shown["value"][0]["point"] == [0.5, 0.5]


def test_a_reply_that_was_cut_off() -> None:
    shown = parse("--profile", "ui-tars", "--stop-reason", "max_tokens", stdin="Action: wait()")
    assert shown["outcome"] == "truncated"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--profile", "molmo"], "--profile molmo: profile 'molmo' has no dialect of actions"),
        (["--dialect", "klingon"], "--dialect klingon: there is no dialect 'klingon'"),
        (["--profile", "claude"], "--profile claude needs --image-size WxH for --kind action"),
        (["--kind", "point", "--dialect", "qwen"], "--dialect: --kind point has none"),
    ],
)
def test_wrong_use(arguments: list[str], says: str) -> None:
    done = screenmark("parse", "--kind", "action", *arguments, stdin="x")
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
