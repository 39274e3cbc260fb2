"""Any text ends in an outcome, and what takes long in a naive reader is over at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screenmark.answers import get_profile
from screenmark.answers.actions import DIALECTS, parse_actions, read_tool_calls, read_turn
from screenmark.geometry import Size
from screenmark.types import Outcome
from tests.answers.actions.trap_cases import CASES

SIZE = Size(1000, 500)
PIXEL = get_profile("pixel")
TEXTS = [case.text for case in CASES.values()]

_pieces = st.sampled_from(
    [
        *("click(", "pyautogui.click(", "Action: ", "type(content='", "'", '"', "\\", "\n", ")"),
        *("{", "}", "[", "]", '{"action": ', '"left_click"', "x=", "1e999", "-", "012", "0x"),
        *("```", "<tool_call>", "</think>", "<think>", "with pyautogui.hold('a'):", "\x00"),
        *("\ud800", "lambda: ", "not ", "DONE", "**", "None", "999999999999999999", ",", "𝟙"),
        *("{'action': 'CLICK', 'position': ", "GESTURE(actions=[", "box=[[", "NaN"),
    ]
)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=80),
        st.lists(_pieces, max_size=20).map("".join),
        st.tuples(st.sampled_from(TEXTS), st.integers(0, 120)).map(lambda t: t[0][: t[1]]),
        st.tuples(st.sampled_from(TEXTS), _pieces, st.integers(0, 120)).map(
            lambda t: t[0][: t[2]] + t[1] + t[0][t[2] :]
        ),
    )
)
def test_any_text(dialect: str, text: str) -> None:
    turn = read_turn(text, profile=PIXEL, size=SIZE, dialect=dialect)
    assert (turn.answer.outcome is Outcome.OK) == bool(turn.actions)
    assert turn.answer.reason is not None or turn.actions
    json.dumps(turn.answer.value, allow_nan=False)


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("action", "name", "arguments", "input", "args", "type", "coordinate", "text"),
                    *("keys", "x", "y", "path", "actions", "function", "action_type", "position"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
_names = st.sampled_from(
    [
        *("left_click", "key", "type", "scroll", "drag", "keypress", "click", "CLICK", "HOTKEY"),
        *("click_at", "computer_use", "computer", "INPUT", "input_text", "zoom", "hold_key"),
    ]
)
_calls = st.dictionaries(
    st.sampled_from(["action", "name", "type", "action_type"]), _names, max_size=3
).flatmap(lambda named: st.dictionaries(st.text(max_size=5), _json).map(lambda d: {**d, **named}))


@pytest.mark.parametrize(
    "dialect", [name for name, found in DIALECTS.items() if found.read_call is not None]
)
@settings(max_examples=60, deadline=None)
@given(call=_calls, inner=_json)
def test_any_tool_call(dialect: str, call: dict[str, object], inner: object) -> None:
    for key in ("arguments", "input", "parameters", "position", "keys", "coordinate"):
        turn = read_tool_calls([{**call, key: inner}], profile=PIXEL, size=SIZE, dialect=dialect)
        assert turn.answer.reason is not None or turn.actions


MEGABYTE = 1_000_000
MEASURED = [
    *("ui-tars", "pyautogui", "qwen", "claude", "showui", "cogagent", "aguvis", "computer_13"),
]
RUNS = [
    *("(", "[", "{", "click(", "a(\n", "a.", "-", "1+", "not ", "'", "\\", '"', " ", "\n", "9"),
    *("```", "```python\n", "<tool_call>", "Action:", "\nAction: click(", "\nThought: a\nAction: "),
    *("type(content='", "\ntype(content='a", "pyautogui.click()\n", '{"action": "wait"}', "[["),
    *("box=[[0", "<action>", "DONE\n", "0,", "{'action':", "\x00", "\ud83d", "- ", "a: "),
    *("<invoke ", '<invoke name="a">', "<parameter ", "left_click", "a:"),
]


@pytest.mark.parametrize("piece", RUNS, ids=map(repr, RUNS))
def test_a_megabyte_of(piece: str) -> None:
    text = piece * (MEGABYTE // len(piece))
    last_word = "<invoke" not in piece and not {"click(", "{"} & {piece, piece[:1]}
    for dialect in MEASURED:
        answer = parse_actions(text, profile=PIXEL, size=SIZE, dialect=dialect)
        may_be_done = dialect == "claude" and last_word
        assert answer.outcome is not Outcome.OK or may_be_done or piece in {"DONE\n"}
        assert len(answer.reason or "") < 400


@pytest.mark.parametrize("depth", [30, 500, 5_000])
def test_deep_nesting(depth: int) -> None:
    for opening, closing in (("(", ")"), ("[", "]"), ("{'a':", "}")):
        text = f"pyautogui.click({opening * depth}1{closing * depth})"
        answer = parse_actions(text, profile=PIXEL, size=SIZE, dialect="pyautogui")
        assert answer.outcome is Outcome.UNPARSEABLE
    nested = '{"action": "left_click", "coordinate": ' + "[" * depth + "1" + "]" * depth + "}"
    answer = parse_actions(nested, profile=PIXEL, size=SIZE, dialect="qwen")
    assert answer.outcome is Outcome.UNPARSEABLE


def test_nothing_is_executed(tmp_path: Path) -> None:
    trap = f"{tmp_path}/trap"
    for text in (
        f"pyautogui.write(open({trap!r}, 'w'))",
        f"open({trap!r}, 'w')",
        f"pyautogui.click(*[open({trap!r}, 'w')])",
        f"with open({trap!r}, 'w'):\n    pyautogui.click()",
        f"pyautogui.write(f'{{open({trap!r}, chr(119))}}')",
    ):
        answer = parse_actions(text, profile=PIXEL, size=SIZE, dialect="pyautogui")
        assert answer.outcome is Outcome.UNPARSEABLE
    assert not Path(trap).exists()
