"""Whatever a dialect can say comes back as it was, to the precision of its numbers."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from screenmark.answers import get_profile
from screenmark.answers.actions import DIALECTS, CannotWrite, read_turn, write_actions
from screenmark.answers.actions.keys import NAMES
from screenmark.answers.actions.schema import (
    MODIFIERS,
    Action,
    CallUser,
    Click,
    CloseTab,
    CursorPosition,
    Done,
    Drag,
    Fail,
    GiveAnswer,
    Goto,
    HoldKey,
    Key,
    KeyDown,
    KeyUp,
    LongPress,
    MouseDown,
    MouseUp,
    Move,
    NewTab,
    OpenApp,
    Screenshot,
    Scroll,
    SelectOption,
    Swipe,
    SwitchTab,
    System,
    Type,
    Wait,
    Zoom,
)
from screenmark.geometry import Size

SIZE = Size(1280, 800)
SPACES: Final = {
    "ui-tars": "resized(28, 78400, 12845056)",
    "ui-tars-mobile": "permille",
    "qwen": "permille",
    "qwen-mobile": "resized(28, 3136, 12845056)",
    "gemini": "permille",
    "cogagent": "permille",
    "aguvis": "unit",
    "showui": "unit",
    "scalecua": "resized(28, 3136, 2109744)",
}
TOLERANCE: Final = 1 / 600  # a whole number of a thousand, or a pixel of the smaller side


def space_of(dialect: str) -> str:
    return SPACES.get(dialect, "pixel")


EVERY: tuple[Action, ...] = (
    Click((0.25, 0.5)),
    Click(),
    Click((0.25, 0.5), "right"),
    Click((0.25, 0.5), "middle"),
    Click((0.25, 0.5), count=2),
    Click((0.25, 0.5), count=3),
    Click((0.25, 0.5), modifiers=("ctrl", "shift")),
    Move((0.25, 0.5)),
    MouseDown(),
    MouseDown((0.25, 0.5)),
    MouseUp(button="right"),
    MouseUp((0.25, 0.5)),
    Drag(((0.25, 0.5), (0.75, 0.125))),
    Drag(((0.75, 0.125),)),
    Drag(((0.25, 0.5), (0.75, 0.125), (0.5, 0.5))),
    Drag(((0.25, 0.5), (0.75, 0.125)), modifiers=("alt",)),
    Scroll(0.0, 5.0, point=(0.25, 0.5)),
    Scroll(0.0, -3.0),
    Scroll(2.0, 0.0, point=(0.25, 0.5)),
    Scroll(0.0, 0.5, "screen", (0.25, 0.5)),
    Scroll(0.0, 0.5, "screen"),
    Scroll(-0.25, 0.0, "screen", (0.25, 0.5)),
    Scroll(0.0, 5.0, "notch", (0.25, 0.5), ("ctrl",)),
    Scroll(0.0, 0.5, "screen", (0.25, 0.5), ("ctrl",)),
    Type('it\'s "so"\n\\n 你好 \U0001f600', submit=True),
    Type("plain"),
    Type("x", point=(0.25, 0.5)),
    Type("x", submit=True, clear=True, point=(0.25, 0.5)),
    Key(("enter",)),
    Key(("ctrl", "shift", "t")),
    Key(("ctrl", "c")),
    Key(("pageup",)),
    Key(("ctrl", "+")),
    Key(("volumeup",)),
    HoldKey(("shift",), 1.5),
    KeyDown("shift"),
    KeyUp("meta"),
    LongPress((0.25, 0.5)),
    LongPress((0.25, 0.5), 2.0),
    Swipe((0.25, 0.5), (0.25, 0.125)),
    Swipe((0.5, 1.0), (0.5, 0.0)),
    System("back"),
    System("home"),
    System("menu"),
    System("forward"),
    System("recents"),
    OpenApp('系统\'s "app"'),
    Goto("http://a.org/?q='x'"),
    SwitchTab(2),
    NewTab(),
    CloseTab(),
    SelectOption((0.25, 0.5), "it's"),
    Wait(1.0),
    Wait(2.0),
    Wait(5.0),
    Wait(0.5),
    Zoom((0.25, 0.25, 0.75, 0.5)),
    Screenshot(),
    CursorPosition(),
    GiveAnswer("42, it's"),
    Done(),
    Done("all done"),
    Fail(),
    Fail("no such page"),
    CallUser(),
)

_KEYS = "key key_down key_up"
_MOUSE = "click drag mouse_down mouse_up move scroll"
_CLAUDE = "click cursor_position done drag key move screenshot type"
_CLAUDE_2 = f"{_CLAUDE} hold_key mouse_down mouse_up scroll wait"
CAN_SAY: Final = {
    "ui-tars": "call_user click done drag key scroll type wait",
    "ui-tars-mobile": "call_user click done long_press open_app scroll swipe system type wait",
    "qwen": "answer click done drag fail key move scroll type wait",
    "qwen-mobile": "answer click done fail key long_press open_app swipe system type wait",
    "claude": f"{_CLAUDE_2} zoom",
    "claude-20251124": f"{_CLAUDE_2} zoom",
    "claude-20250124": _CLAUDE_2,
    "claude-20241022": _CLAUDE,
    "claude-20260801": f"{_CLAUDE_2} zoom",
    "openai": "click done drag key move screenshot scroll type wait",
    "gemini": "click done drag goto key move screenshot scroll system type wait",
    "pyautogui": f"{_MOUSE} {_KEYS} answer done fail hold_key type wait",
    "computer_13": f"{_MOUSE} {_KEYS} done fail type wait",
    "android_world": "answer click done fail key long_press open_app scroll swipe system type wait",
    "browsergym": f"{_MOUSE} {_KEYS} answer close_tab fail goto new_tab switch_tab system "
    "type wait",
    "aguvis": f"{_MOUSE} {_KEYS} answer done fail long_press open_app select_option swipe system "
    "type wait",
    "scalecua": f"{_MOUSE} {_KEYS} answer call_user done fail long_press open_app swipe system "
    "type wait",
    "showui": "answer click done drag fail key long_press move scroll select_option swipe type",
    "cogagent": f"{_KEYS} click done goto move open_app scroll type",
}
"""The kinds of actions that each dialect has a word for."""


def split(actions: tuple[Action, ...], dialect: str) -> list[Action]:
    """Actions as dialects write them that say one thing by two calls."""
    found: list[Action] = []
    for action in actions:
        rest = action
        if isinstance(action, Type) and action.point is not None:
            found += split((Click(action.point),), dialect)
            rest = msgspec.structs.replace(action, point=None)
        if isinstance(action, Click) and action.point is not None and dialect == "claude-20241022":
            found.append(Move(action.point))
            rest = msgspec.structs.replace(action, point=None)
        found.append(rest)
    return found


def parts_of_a_long_drag(action: Action) -> bool:
    """A path of more than two places is a press, moves and a release to pyautogui's kin."""
    return isinstance(action, Drag) and len(action.path) > 2


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= TOLERANCE
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def back(action: Action, dialect: str) -> tuple[Action, ...]:
    profile = get_profile(space_of(dialect))
    text = write_actions([action], profile=profile, size=SIZE, dialect=dialect)
    turn = read_turn(text, profile=profile, size=SIZE, dialect=dialect)
    assert turn.answer.reason is None, text
    return turn.actions


def check(action: Action, dialect: str) -> bool:
    """Whether a dialect can say it; it has to come back if it can."""
    try:
        found = back(action, dialect)
    except CannotWrite:
        return False
    if parts_of_a_long_drag(action) and len(found) > 1:
        kinds = [type(part) for part in found]
        assert kinds == [Move, MouseDown, Move, Move, MouseUp]
        return True
    wanted = msgspec.to_builtins(split((action,), dialect))
    assert same(msgspec.to_builtins(split(found, dialect)), wanted), (action, found)
    return True


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_kind_of_action(dialect: str) -> None:
    said = {action.__struct_config__.tag for action in EVERY if check(action, dialect)}
    assert said == set(CAN_SAY[dialect].split())


def test_every_kind_of_action_is_said_by_some_dialect() -> None:
    for action in EVERY:
        assert any(check(action, dialect) for dialect in DIALECTS), action


def test_the_table_has_every_kind() -> None:
    union = msgspec.inspect.type_info(Action)
    assert isinstance(union, msgspec.inspect.UnionType)
    kinds = {kind.cls for kind in union.types if isinstance(kind, msgspec.inspect.StructType)}
    assert {type(action) for action in EVERY} == kinds


_unit = st.floats(0, 1)
_places = st.tuples(_unit, _unit)
_texts = st.text(max_size=20).filter(lambda t: "```" not in t and not t.endswith(("\n", "\r")))
_keys = st.sampled_from(sorted(NAMES - set(MODIFIERS))) | st.sampled_from("abz019/.-=")
_chords = st.tuples(_keys) | st.tuples(st.sampled_from(MODIFIERS), _keys)
_ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, _places, st.sampled_from(["left", "right", "middle"]), st.integers(1, 3)),
    st.builds(Move, _places),
    st.builds(Drag, st.tuples(_places, _places)),
    st.builds(Scroll, st.just(0.0), st.integers(1, 20).map(float), st.just("notch"), _places),
    st.builds(Scroll, st.just(0.0), st.floats(0.01, 2), st.just("screen"), _places),
    st.builds(Type, _texts, st.booleans()),
    st.builds(Key, _chords),
    st.builds(Swipe, _places, _places),
    st.builds(LongPress, _places),
    st.builds(GiveAnswer, _texts.filter(str.strip)),
    st.builds(OpenApp, _texts.filter(str.strip)),
    st.builds(Wait, st.integers(1, 100).map(lambda n: n / 4)),
)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60, deadline=None)
@given(action=_ACTIONS)
def test_any_action(dialect: str, action: Action) -> None:
    check(action, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_several_actions_in_one_turn(dialect: str) -> None:
    profile = get_profile(space_of(dialect))
    actions = [action for action in EVERY if _can(action, dialect)][:6]
    text = write_actions(actions, profile=profile, size=SIZE, dialect=dialect)
    found = read_turn(text, profile=profile, size=SIZE, dialect=dialect).actions
    assert len(found) >= len(actions)
    wanted = msgspec.to_builtins(split(tuple(actions), dialect))
    assert same(msgspec.to_builtins(split(found, dialect)), wanted)


def _can(action: Action, dialect: str) -> bool:
    if isinstance(action, (Done, Fail, Move, Drag)):
        return False  # a last word stands alone; a move before a drag would be part of it
    try:
        back(action, dialect)
    except CannotWrite:
        return False
    return True
