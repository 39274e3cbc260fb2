"""Every dialect, from replies to actions: tables of traps and of invalid replies."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from screenmark.answers import get_profile, profiles
from screenmark.answers.actions import (
    DIALECTS,
    CannotWrite,
    actions_from_json,
    parse_actions,
    read_tool_calls,
    read_turn,
    write_actions,
    write_tool_calls,
)
from screenmark.answers.actions.schema import Click, Key, Scroll, Wait
from screenmark.answers.profiles import ProfileError
from screenmark.geometry import Size
from screenmark.types import Outcome
from tests.answers.actions.case import Case
from tests.answers.actions.trap_cases import CASES, GROUPS

SIZE = Size(1000, 500)
PIXEL = get_profile("pixel")


def close(value: Any) -> Any:
    """JSON with its numbers rounded: fractions are not exact."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, (list, tuple)):
        return [close(item) for item in value]
    if isinstance(value, dict):
        return {key: close(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_trap(case: Case) -> None:
    turn = read_turn(case.text, profile=get_profile(case.profile), size=SIZE, dialect=case.dialect)
    assert turn.answer.reason is None
    assert close(msgspec.to_builtins(turn.actions)) == close(msgspec.to_builtins(case.actions))
    assert turn.answer.value == json.loads(json.dumps(turn.answer.value))
    assert actions_from_json(turn.answer.value) == turn.actions


def test_no_case_hides_another() -> None:
    assert len(CASES) == sum(map(len, GROUPS.values()))
    assert {case.dialect for case in CASES.values()} == set(DIALECTS) - {
        "claude-20251124",
        "claude-20250124",
    }


INVALID: dict[str, tuple[str, str, str]] = {
    "outside": (
        "openai",
        '{"type": "move", "x": 1001, "y": 5}',
        "(1001, 5) lies outside the screen",
    ),
    "negative": ("pyautogui", "pyautogui.click(-1, 5)", "(-1, 5) lies outside the screen"),
    "no-place": ("openai", '{"type": "click", "button": "left"}', "click needs 'x' and 'y'"),
    "half-a-place": ("pyautogui", "pyautogui.click(5)", "no place [x, y]"),
    "place-of-three": ("qwen", '{"action": "left_click", "coordinate": [1, 2, 3]}', "no place"),
    "place-of-words": ("ui-tars", "Action: click(point='the button')", "no place"),
    "unknown-key": ("pyautogui", "pyautogui.press('anykey')", "there is no key 'anykey'"),
    "unknown-modifier": ("claude", '{"action": "left_click", "text": "enter"}', "is no modifier"),
    "unknown-action": ("ui-tars", "Action: fly(point='(1,2)')", "there is no action fly()"),
    "unknown-call-beside": (
        "pyautogui",
        "pyautogui.click()\nos.remove('x')",
        "no action os.remove()",
    ),
    "unknown-tool": ("qwen", '{"name": "bash", "arguments": {"action": "wait"}}', "no tool 'bash'"),
    "unknown-qwen": ("qwen", '{"action": "fly"}', "there is no action 'fly': key, type"),
    "unknown-android": ("android_world", '{"action_type": "fly"}', "no action_type 'fly'"),
    "unknown-openai": ("openai", '{"type": "fly"}', "no action of type 'fly'"),
    "unknown-gemini": ("gemini", '{"name": "search", "args": {}}', "no function 'search'"),
    "index": ("android_world", '{"action_type": "click", "index": 3}', "give 'x' and 'y'"),
    "bid": ("browsergym", "fill('a12', 'text')", "needs an element's bid"),
    "cog-llm": ("cogagent", "LLM(prompt='x', output='y')", "LLM is not possible here"),
    "variable": ("pyautogui", "x = 5\npyautogui.click(x, 5)", "not 'x = 5'"),
    "name": ("pyautogui", "pyautogui.click(x, 5)", "x is no number, string or list"),
    "arithmetic": ("pyautogui", "pyautogui.click(2 + 3, 5)", "2 + 3 is no number"),
    "evil": ("pyautogui", "pyautogui.write(open('/etc/passwd').read())", "is no name of an action"),
    "import": ("pyautogui", "import os\npyautogui.click()", "not 'import os'"),
    "renamed": ("pyautogui", "import pyautogui as p\np.click()", "modules keep their names"),
    "loop": ("pyautogui", "for i in range(3):\n    pyautogui.click()", "only calls are read"),
    "stars": ("pyautogui", "pyautogui.click(**{'x': 1})", "** is not allowed"),
    "unknown-argument": ("pyautogui", "pyautogui.click(1, 2, speed=3)", "no argument 'speed'"),
    "twice": ("pyautogui", "pyautogui.click(1, 2, x=3)", "gets 'x' twice"),
    "too-many": ("browsergym", "mouse_move(1, 2, 3)", "takes 2 arguments: x, y"),
    "clicks": ("pyautogui", "pyautogui.click(1, 2, clicks=99)", "a whole number from 1 to 3"),
    "presses": ("pyautogui", "pyautogui.press('a', presses=10**9)", "is no number"),
    "presses-100": ("pyautogui", "pyautogui.press('a', presses=101)", "from 1 to 100"),
    "seconds": ("qwen", '{"action": "wait", "time": 1e9}', "0 to 3600 seconds"),
    "infinite": ("qwen", '{"action": "wait", "time": Infinity}', "has to be a number"),
    "nan": ("qwen", '{"action": "scroll", "pixels": NaN}', "has to be a number"),
    "direction": ("ui-tars", "Action: scroll(point='(1,2)', direction='away')", "one of up, down"),
    "status": ("qwen", '{"action": "terminate", "status": "maybe"}', "one of success, failure"),
    "cut-off-json": (
        "qwen",
        '<tool_call>\n{"name": "computer_use", "arguments": {"act',
        "not complete",
    ),
    "cut-off-call": (
        "ui-tars",
        "Action: click(point='<point>1 2</point>",
        "cannot be read as a call",
    ),
    "arguments-as-words": ("qwen", '{"name": "computer_use", "arguments": "now"}', "no JSON"),
    "empty-region": ("claude", '{"action": "zoom", "region": [5, 5, 5, 9]}', "it is empty"),
    "version": ("claude-20241022", '{"action": "scroll"}', "there is no action 'scroll'"),
    "version-2": ("claude-20250124", '{"action": "zoom"}', "there is no action 'zoom'"),
    "nothing": ("ui-tars", "I would click the button.", "there is no action in it"),
    "nothing-in-json": ("qwen", "I would click the button.", "there is no action in it"),
    "one-of-two": ("pyautogui", "pyautogui.click(1, 2)\npyautogui.click(9999, 2)", "outside"),
    "many": ("browsergym", "noop()\n" * 65, "65 actions in one reply"),
    "many-objects": ("openai", '{"type": "wait"}\n' * 65, "65 objects in one reply"),
    "path": ("openai", '{"type": "drag", "path": [[1, 2]]}', "two or more places"),
    "invoke-cut-off": ("claude", '<invoke name="computer"><parameter name="act', "not complete"),
    "invoke-of-prose": ("claude", '<invoke name="computer">click</invoke>', "<parameter"),
    "invoke-unknown": ("claude", '<invoke name="bash"></invoke>', "no tool or action 'bash'"),
    "invoke-twice": (
        "claude",
        '<invoke name="computer"><parameter name="action">wait</parameter>'
        '<parameter name="action">wait</parameter></invoke>',
        "gets 'action' twice",
    ),
    "tag-without-json": ("claude", "<tool_call>left_click</tool_call>", "no last word"),
    "prose-call": ("claude", "I will now click the button. left_click(10, 10)", "no last word"),
    "prose-click": ("claude", "I will click: click(10, 10)", "no last word"),
    "prose-code": ("openai", "pyautogui.moveTo(1, 2)", "no last word"),
    "prose-openai": ("openai", "double_click(10, 10)", "no last word"),
    "prose-gemini": ("gemini", "```tool_code\nprint(click_at(x=1, y=2))\n```", "no last word"),
    "markup-openai": ("openai", '<invoke name="click"></invoke>', "no last word"),
    "markup-gemini": ("gemini", "<function_calls>click</function_calls>", "no last word"),
    "markup-qwen": ("qwen", '<invoke name="computer_use"></invoke>', "there is no action in it"),
    "prose-qwen": ("qwen", "left_click(10, 10)", "there is no action in it"),
    "scroll-of-nothing": ("openai", '{"type": "scroll", "x": 1, "y": 2}', "needs 'scroll_y'"),
    "scroll-notches": ("pyautogui", "pyautogui.scroll(1000000000)", "at most 10000 notches"),
    "scroll-notches-10001": ("pyautogui", "pyautogui.hscroll(-10001)", "at most 10000 notches"),
    "scroll-claude": (
        "claude",
        '{"action": "scroll", "scroll_direction": "up", "scroll_amount": 99999}',
        "at most 10000 notches",
    ),
    "scroll-screens": (
        "openai",
        '{"type": "scroll", "x": 1, "y": 2, "scroll_y": -50001}',
        "at most 100 screens",
    ),
    "scroll-qwen": ("qwen", '{"action": "hscroll", "pixels": 100001}', "at most 100 screens"),
    "keyword-twice": ("pyautogui", "pyautogui.click(x=1,x=2,y=1)", "gets 'x' twice"),
    "two-on-a-line": (
        "ui-tars",
        "Action: type(content='a') type(content='b')",
        "cannot be read as a call",
    ),
    "two-kinds-on-a-line": (
        "ui-tars",
        "Action: type(content='a') click(point='<point>1 2</point>')",
        "cannot be read as a call",
    ),
    "two-after-a-quote": ("ui-tars", "Action: type(content='it's')wait()", "cannot be read"),
    "no-keys": ("openai", '{"type": "keypress", "keys": []}', "no key is named"),
}


@pytest.mark.parametrize(("dialect", "text", "says"), INVALID.values(), ids=INVALID.keys())
def test_invalid_replies_say_why(dialect: str, text: str, says: str) -> None:
    turn = read_turn(text, profile=PIXEL, size=SIZE, dialect=dialect)
    assert turn.answer.outcome is Outcome.UNPARSEABLE
    assert says in (turn.answer.reason or "")
    assert turn.actions == ()
    assert turn.answer.value is None


class TestThought:
    def test_it_stands_apart(self) -> None:
        text = "<think>long</think>\nThought: the menu\nAction: click(start_box='(1,2)')"
        turn = read_turn(text, profile=get_profile("ui-tars"), size=SIZE)
        assert turn.thought == "long\nthe menu"
        assert turn.actions == (Click((0.001, 0.002)),)

    @pytest.mark.parametrize(
        ("dialect", "text", "thought"),
        [
            ("qwen", 'I wait.\n<tool_call>{"action": "wait", "time": 1}</tool_call>', "I wait."),
            ("pyautogui", "## Action:\nwait\n```python\ntime.sleep(1)\n```", "## Action:\nwait"),
            ("scalecua", "<operation>wait</operation><action>wait(1)</action>", "wait"),
            ("android_world", 'Reason: r\nAction: {"action_type": "wait"}', "Reason: r"),
            ("cogagent", "Action: end it\nGrounded Operation: END()", "Action: end it"),
            ("aguvis", "Thought: w\nassistantos\nmobile.wait(1)", "Thought: w"),
        ],
    )
    def test_what_is_said_before(self, dialect: str, text: str, thought: str) -> None:
        turn = read_turn(text, profile=PIXEL, size=SIZE, dialect=dialect)
        assert turn.answer.outcome is Outcome.OK
        assert turn.thought == thought

    def test_actions_that_are_only_thought_of_do_not_count(self) -> None:
        turn = read_turn(
            "<think>\nAction: finished()\n</think>Action: wait()",
            profile=get_profile("ui-tars"),
            size=SIZE,
        )
        assert turn.actions == (Wait(5.0),)


class TestEndings:
    @pytest.mark.parametrize(
        ("text", "finish_reason", "outcome"),
        [
            ("Action: wait()", "length", Outcome.TRUNCATED),
            ("<think>Action: wait()", None, Outcome.TRUNCATED),
            ("", None, Outcome.EMPTY),
            ("Action: wait()", "content_filter", Outcome.REFUSED),
            ("I'm sorry, but I can't help with that.", None, Outcome.REFUSED),
        ],
    )
    def test_outcome(self, text: str, finish_reason: str | None, outcome: Outcome) -> None:
        answer = parse_actions(
            text, profile=get_profile("ui-tars"), size=SIZE, finish_reason=finish_reason
        )
        assert (answer.outcome, answer.value) == (outcome, None)

    @pytest.mark.parametrize(
        ("dialect", "text", "says"),
        [
            ("ui-tars", "type(content='" + "x" * 100_001 + "')", "too long: 1000"),
            ("pyautogui", "import pyautogui\npyautogui.write('\\ud800')", r"\\ud800, half of"),
            (
                "qwen",
                '<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": '
                '"hi \\ud83d"}}</tool_call>',
                r"\\ud83d, half of",
            ),
        ],
        ids=["too long", "half a character in Python", "half a character in JSON"],
    )
    def test_nothing_is_done_by_halves(self, dialect: str, text: str, says: str) -> None:
        turn = read_turn(text, profile=get_profile("pixel"), size=SIZE, dialect=dialect)
        assert (turn.answer.outcome, turn.actions) == (Outcome.UNPARSEABLE, ())
        assert says.replace("\\\\", "\\") in str(turn.answer.reason)

    def test_a_refusal_is_not_a_last_word(self) -> None:
        text = "I'm sorry, but I can't help with that."
        assert parse_actions(text, profile=get_profile("claude"), size=SIZE).reason == "policy"


class TestSpaces:
    def test_the_image_was_scaled(self) -> None:
        space = PIXEL.coordinates.as_sent(Size(500, 250))
        turn = read_turn(
            '{"type": "scroll", "x": 250, "y": 125, "scroll_x": 0, "scroll_y": 125}',
            profile=PIXEL, size=SIZE, space=space, dialect="openai",
        )  # fmt: skip
        assert turn.actions == (Scroll(0.0, 0.5, "screen", (0.5, 0.5)),)

    def test_qwen_resizes(self) -> None:
        text = '{"action": "left_click", "coordinate": [966, 546]}'
        turn = read_turn(text, profile=get_profile("qwen2.5-vl"), size=Size(1920, 1080))
        assert turn.actions == (Click((0.5, 0.5)),)  # of 1932x1092

    def test_a_space_that_cannot_hold_the_screen(self) -> None:
        text = "Action: click(start_box='(1,2)')"
        answer = parse_actions(text, profile=get_profile("ui-tars-1.5"), size=Size(1000, 1))
        assert answer.outcome is Outcome.UNPARSEABLE
        assert "aspect ratio" in (answer.reason or "")

    def test_the_last_pixel_is_written_inside_the_screen(self) -> None:
        written = write_actions([Click((1.0, 1.0))], profile=PIXEL, size=SIZE, dialect="pyautogui")
        assert "pyautogui.click(x=999, y=499)" in written


class TestNames:
    def test_every_profile_names_a_dialect_that_there_is(self) -> None:
        named = {profile.dialect for profile in profiles().values()} - {None}
        assert named <= set(DIALECTS)
        assert len(named) == 10

    def test_no_dialect(self) -> None:
        with pytest.raises(ProfileError, match="profile 'pixel' has no dialect of actions"):
            read_turn("x", profile=PIXEL, size=SIZE)
        with pytest.raises(ProfileError, match="there is no dialect 'klingon'"):
            write_actions([Wait(1.0)], profile=PIXEL, size=SIZE, dialect="klingon")

    def test_a_dialect_of_text_has_no_tool_calls(self) -> None:
        with pytest.raises(ProfileError, match="'ui-tars' is text and has no tool calls"):
            read_tool_calls([], profile=PIXEL, size=SIZE, dialect="ui-tars")
        with pytest.raises(ProfileError, match="no tool calls"):
            write_tool_calls([], profile=PIXEL, size=SIZE, dialect="ui-tars")


class TestToolCalls:
    @pytest.mark.parametrize(
        "dialect", [name for name, found in DIALECTS.items() if found.read_call is not None]
    )
    def test_they_are_read_as_they_are_written(self, dialect: str) -> None:
        action = {"android_world": Key(("tab",)), "showui": Key(("esc",))}.get(
            dialect, Key(("enter",))
        )
        calls = write_tool_calls([action], profile=PIXEL, size=SIZE, dialect=dialect)
        turn = read_tool_calls(calls, profile=PIXEL, size=SIZE, dialect=dialect)
        assert turn.actions == (action,)

    def test_none_is_no_turn(self) -> None:
        turn = read_tool_calls([], profile=PIXEL, size=SIZE, dialect="qwen")
        assert turn.answer.reason == "0 actions in one reply, expected 1 to 200"


def test_nothing_to_write() -> None:
    with pytest.raises(CannotWrite, match="at least one action"):
        write_actions([], profile=PIXEL, size=SIZE, dialect="qwen")
