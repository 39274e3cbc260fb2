"""Names of keys in every spelling, and the pixels at places."""

from __future__ import annotations

import pytest

from screenmark.answers.actions import CannotWrite, Invalid, pixel_at
from screenmark.answers.actions.keys import (
    COGAGENT,
    DOM,
    NAMES,
    OPENAI,
    PYAUTOGUI,
    XDOTOOL,
    adb_code,
    read_chord,
    read_key,
    read_modifiers,
    split_chord,
)
from screenmark.geometry import Size


@pytest.mark.parametrize(
    ("name", "key"),
    [
        *[("Return", "enter"), ("KP_Enter", "enter"), ("\n", "enter"), ("ENTER", "enter")],
        *[("Escape", "esc"), ("BackSpace", "backspace"), ("Delete", "delete"), ("del", "delete")],
        *[
            ("Page_Up", "pageup"),
            ("Prior", "pageup"),
            ("pgdn", "pagedown"),
            ("page down", "pagedown"),
        ],
        *[("ArrowLeft", "left"), ("Left Arrow", "left"), ("arrow_up", "up"), ("KP_5", "5")],
        *[("Control_L", "ctrl"), ("ctrlright", "ctrl"), ("Lcontrol", "ctrl"), ("CTRL", "ctrl")],
        *[
            ("super", "meta"),
            ("Super_L", "meta"),
            ("win", "meta"),
            ("cmd", "meta"),
            ("Meta", "meta"),
        ],
        *[("option", "alt"), ("Rmenu", "alt"), ("Shift_R", "shift"), ("Menu", "contextmenu")],
        *[("plus", "+"), ("minus", "-"), ("slash", "/"), (" ", "space"), ("Spacebar", "space")],
        *[("XF86AudioRaiseVolume", "volumeup"), ("volume_up", "volumeup"), ("F12", "f12")],
        *[("a", "a"), ("A", "A"), ("é", "é"), ("+", "+"), ("num0", "0")],
    ],
)
def test_spellings(name: str, key: str) -> None:
    assert read_key(name) == key


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("KEYCODE_DEL", "backspace"),
        ("KEYCODE_FORWARD_DEL", "delete"),
        ("KEYCODE_MOVE_HOME", "home"),
        ("KEYCODE_DPAD_UP", "up"),
        ("KEYCODE_ENTER", "enter"),
        ("KEYCODE_A", "a"),
        ("volume_up", "volumeup"),
    ],
)
def test_codes_of_android(code: str, key: str) -> None:
    assert read_key(code, adb=True) == key


@pytest.mark.parametrize("name", ["", "anykey", "f25", "ctrl+c", "keycode_enter", "x" * 10_000])
def test_no_such_key(name: str) -> None:
    with pytest.raises(Invalid, match="there is no key"):
        read_key(name)


@pytest.mark.parametrize("names", [XDOTOOL, PYAUTOGUI, DOM, OPENAI, COGAGENT], ids=len)
def test_what_is_written_is_read(names: dict[str, str]) -> None:
    for key in NAMES | set(names):
        assert read_chord(["ctrl", names.get(key, key)])[1] == key


def test_what_android_has_is_read_as_written() -> None:
    with pytest.raises(CannotWrite, match="no key code for 'ctrl'"):
        adb_code("ctrl")
    for key in ("enter", "backspace", "home", "a", "7", "power"):
        assert read_key(adb_code(key), adb=True) == key


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ctrl+c", ["ctrl", "c"]),
        ("ctrl++", ["ctrl", "+"]),
        ("+", ["+"]),
        ("++", ["+"]),
        ("ctrl + c", ["ctrl", "c"]),
        ("", []),
    ],
)
def test_chords_in_one_word(text: str, parts: list[str]) -> None:
    assert split_chord(text) == parts


def test_letters_of_chords_are_keys() -> None:
    assert read_chord(["CTRL", "A"]) == ("ctrl", "a")
    assert read_chord(["A"]) == ("A",)
    with pytest.raises(Invalid, match="no key is named"):
        read_chord([])


def test_modifiers() -> None:
    assert read_modifiers(["Shift", "ctrl", "Control_L"]) == ("shift", "ctrl")
    with pytest.raises(Invalid, match="'a' is no modifier"):
        read_modifiers(["a"])


@pytest.mark.parametrize(
    ("place", "pixel"),
    [((0.0, 0.0), (0, 0)), ((1.0, 1.0), (99, 49)), ((0.999, 0.5), (99, 25)), ((0.1, 0.1), (10, 5))],
)
def test_pixels_of_places(place: tuple[float, float], pixel: tuple[int, int]) -> None:
    assert pixel_at(place, Size(100, 50)) == pixel
