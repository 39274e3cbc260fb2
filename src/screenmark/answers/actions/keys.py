"""Names of keys: one canonical set, and how each dialect writes them.

Canonical are single characters as they are, and the names of ``NAMES``, lower case without
separators: ``ctrl``, ``enter``, ``pageup``. Sides of modifiers are not told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from screenmark.answers.actions.schema import MODIFIERS, Modifier
from screenmark.answers.actions.trouble import CannotWrite, Invalid

NAMES: Final = frozenset(
    {
        *MODIFIERS,
        *("enter", "esc", "tab", "space", "backspace", "delete", "insert"),
        *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
        *("capslock", "numlock", "scrolllock", "printscreen", "pause", "contextmenu"),
        *("volumeup", "volumedown", "volumemute", "power", "camera", "clear", "search"),
        *(f"f{number}" for number in range(1, 25)),
    }
)

# Spellings of xdotool, pyautogui, the DOM, Windows and OpenAI, in lower case without separators.
_ALIASES: Final = {
    **dict.fromkeys(("control", "controlormeta", "ctl", "lcontrol", "rcontrol"), "ctrl"),
    **dict.fromkeys(("controll", "controlr", "ctrlleft", "ctrlright"), "ctrl"),
    **dict.fromkeys(("rightcontrol", "leftcontrol", "controlleft", "controlright"), "ctrl"),
    **dict.fromkeys(("option", "altl", "altr", "altleft", "altright", "lmenu", "rmenu"), "alt"),
    **dict.fromkeys(("altgr", "altgraph", "optionleft", "optionright"), "alt"),
    **dict.fromkeys(("shiftl", "shiftr", "shiftleft", "shiftright", "lshift", "rshift"), "shift"),
    **dict.fromkeys(("rightshift", "leftshift"), "shift"),
    **dict.fromkeys(("super", "superl", "superr", "win", "winleft", "winright", "lwin"), "meta"),
    **dict.fromkeys(("windows", "rwin", "cmd", "command", "metal", "metar", "os"), "meta"),
    **dict.fromkeys(("rightcommand", "leftcommand", "metaleft", "metaright"), "meta"),
    **dict.fromkeys(("return", "kpenter", "numpadenter"), "enter"),
    **dict.fromkeys(("escape",), "esc"),
    **dict.fromkeys(("spacebar",), "space"),
    **dict.fromkeys(("del", "forwarddelete"), "delete"),
    **dict.fromkeys(("ins",), "insert"),
    **dict.fromkeys(("arrowup", "uparrow", "kpup"), "up"),
    **dict.fromkeys(("arrowdown", "downarrow", "kpdown"), "down"),
    **dict.fromkeys(("arrowleft", "leftarrow", "kpleft"), "left"),
    **dict.fromkeys(("arrowright", "rightarrow", "kpright"), "right"),
    **dict.fromkeys(("pgup", "prior"), "pageup"),
    **dict.fromkeys(("pgdn", "pgdown", "next"), "pagedown"),
    **dict.fromkeys(("print", "prtsc", "prtscr", "prntscrn", "snapshot"), "printscreen"),
    **dict.fromkeys(("menu", "apps"), "contextmenu"),
    **dict.fromkeys(("audioraisevolume", "audiovolumeup"), "volumeup"),
    **dict.fromkeys(("audiolowervolume", "audiovolumedown"), "volumedown"),
    **dict.fromkeys(("audiomute", "audiovolumemute", "mute"), "volumemute"),
    "break": "pause",
}
# Keysyms of X for characters, as xdotool wants them.
_KEYSYMS: Final = {
    "plus": "+",
    "minus": "-",
    "equal": "=",
    "comma": ",",
    "period": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "colon": ":",
    "apostrophe": "'",
    "quotedbl": '"',
    "grave": "`",
    "asciitilde": "~",
    "bracketleft": "[",
    "bracketright": "]",
    "parenleft": "(",
    "parenright": ")",
    "braceleft": "{",
    "braceright": "}",
    "less": "<",
    "greater": ">",
    "question": "?",
    "exclam": "!",
    "at": "@",
    "numbersign": "#",
    "dollar": "$",
    "percent": "%",
    "asciicircum": "^",
    "ampersand": "&",
    "asterisk": "*",
    "underscore": "_",
    "bar": "|",
}
# Android's codes, where they say something else than the same word on a keyboard.
_ADB: Final = {
    "del": "backspace",
    "forwarddel": "delete",
    "movehome": "home",
    "moveend": "end",
    "dpadup": "up",
    "dpaddown": "down",
    "dpadleft": "left",
    "dpadright": "right",
    "dpadcenter": "enter",
    "escape": "esc",
    "metaleft": "meta",
}
_CHARACTERS: Final = {" ": "space", "\n": "enter", "\r": "enter", "\t": "tab"}
_JOINTS = re.compile(r"[\s_-]+")
_KEYPAD = re.compile(r"(?:kp_?|num(?:pad)?_?)(\d)", re.IGNORECASE)


def read_key(name: str, *, adb: bool = False) -> str:
    """The canonical name of a key in any spelling.

    With ``adb`` Android's codes are meant, ``KEYCODE_DEL`` being the backspace key.

    Raises:
        Invalid: there is no such key.
    """
    if len(name) == 1:
        return _CHARACTERS.get(name, name)
    word = _JOINTS.sub("", name[:40]).lower()
    if adb:
        word = word.removeprefix("keycode")
        word = _ADB.get(word, word)
    elif word.startswith("xf86"):
        word = word.removeprefix("xf86")
    elif found := _KEYPAD.fullmatch(name.strip()):
        return found[1]
    word = _ALIASES.get(word, word)
    word = _KEYSYMS.get(word, word)
    if word in NAMES or len(word) == 1:
        return word
    raise Invalid(f"there is no key {name[:40]!r}")


def read_chord(names: Iterable[str]) -> tuple[str, ...]:
    """Canonical names of keys that are pressed together.

    In a chord a letter is the key, not the character: ``CTRL`` and ``A`` do not mean shift.

    Raises:
        Invalid: there is no such key, or there is none at all.
    """
    keys = tuple(read_key(name) for name in names)
    if not keys:
        raise Invalid("no key is named")
    return keys if len(keys) == 1 else tuple(map(_unshifted, keys))


def _unshifted(key: str) -> str:
    return key.lower() if len(key) == 1 and key.isascii() else key


def split_chord(text: str) -> list[str]:
    """``"ctrl+shift+t"`` as its parts; the key ``+`` itself may stand at the end or alone."""
    text = text.strip()
    if text == "+":
        return ["+"]
    if text.endswith("++"):
        return [*split_chord(text[:-2]), "+"] if text[:-2] else ["+"]
    return [part.strip() for part in text.split("+") if part.strip()]


def read_modifiers(names: Iterable[str]) -> tuple[Modifier, ...]:
    """Canonical names of modifiers, each once.

    Raises:
        Invalid: one of them is no modifier.
    """
    found: list[Modifier] = []
    for name in names:
        key = read_key(name)
        modifier = next((known for known in MODIFIERS if known == key), None)
        if modifier is None:
            raise Invalid(f"{name[:40]!r} is no modifier, expected {', '.join(MODIFIERS)}")
        if modifier not in found:
            found.append(modifier)
    return tuple(found)


XDOTOOL: Final = {
    **{character: keysym for keysym, character in _KEYSYMS.items()},
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
    **{"meta": "super", "enter": "Return", "esc": "Escape", "tab": "Tab", "delete": "Delete"},
    **{"backspace": "BackSpace", "insert": "Insert", "up": "Up", "down": "Down", "left": "Left"},
    **{"right": "Right", "home": "Home", "end": "End", "pageup": "Page_Up"},
    **{"pagedown": "Page_Down", "capslock": "Caps_Lock", "numlock": "Num_Lock"},
    **{"scrolllock": "Scroll_Lock", "printscreen": "Print", "pause": "Pause"},
    **{"contextmenu": "Menu", "clear": "Clear", "volumeup": "XF86AudioRaiseVolume"},
    **{"volumedown": "XF86AudioLowerVolume", "volumemute": "XF86AudioMute"},
}
PYAUTOGUI: Final = {"meta": "win", "contextmenu": "apps"}
DOM: Final = {
    **{name: name.capitalize() for name in NAMES},
    **{"ctrl": "Control", "esc": "Escape", "pageup": "PageUp", "pagedown": "PageDown"},
    **{"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"},
    **{"capslock": "CapsLock", "numlock": "NumLock", "scrolllock": "ScrollLock"},
    **{"printscreen": "PrintScreen", "contextmenu": "ContextMenu"},
    **{"volumeup": "AudioVolumeUp", "volumedown": "AudioVolumeDown"},
    **{"volumemute": "AudioVolumeMute"},
}
OPENAI: Final = {
    **{name: name.upper() for name in NAMES},
    **{letter: letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{"up": "ARROWUP", "down": "ARROWDOWN", "left": "ARROWLEFT", "right": "ARROWRIGHT"},
}
COGAGENT: Final = {
    **{name: name.capitalize() for name in NAMES},
    **{letter: letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{"ctrl": "Lcontrol", "alt": "Lmenu", "shift": "Lshift", "meta": "Lwin"},
    **{"enter": "Return"},
}
PLAIN: Final[Mapping[str, str]] = {}
"""The canonical names themselves."""


def adb_code(key: str) -> str:
    """A key as Android's ``KEYCODE_…``.

    Raises:
        CannotWrite: Android has no code for it.
    """
    if key in _ADB_WRITTEN:
        return f"KEYCODE_{_ADB_WRITTEN[key]}"
    if len(key) == 1 and key.isascii() and key.isalnum():
        return f"KEYCODE_{key.upper()}"
    raise CannotWrite(f"Android has no key code for {key!r}")


_ADB_WRITTEN: Final = {
    **{"enter": "ENTER", "esc": "ESCAPE", "tab": "TAB", "space": "SPACE", "backspace": "DEL"},
    **{"delete": "FORWARD_DEL", "insert": "INSERT", "up": "DPAD_UP", "down": "DPAD_DOWN"},
    **{"left": "DPAD_LEFT", "right": "DPAD_RIGHT", "home": "MOVE_HOME", "end": "MOVE_END"},
    **{"pageup": "PAGE_UP", "pagedown": "PAGE_DOWN", "volumeup": "VOLUME_UP"},
    **{"volumedown": "VOLUME_DOWN", "volumemute": "VOLUME_MUTE", "power": "POWER"},
    **{"camera": "CAMERA", "clear": "CLEAR", "search": "SEARCH"},
}


def write_keys(keys: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Canonical keys in a dialect's spelling."""
    return [names.get(key, key) for key in keys]
