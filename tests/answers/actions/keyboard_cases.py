"""Names of keys, chords, held keys, and typed text."""

from __future__ import annotations

from screenmark.answers.actions.schema import (
    Click,
    HoldKey,
    Key,
    KeyDown,
    KeyUp,
    System,
    Type,
)
from tests.answers.actions.case import AT, function, one, phone, tool

KEYS = [
    one(
        "xdotool",
        "claude",
        '{"action": "key", "text": "ctrl+shift+Page_Up"}',
        Key(("ctrl", "shift", "pageup")),
    ),
    one(
        "xdotool-sequence",
        "claude",
        '{"action": "key", "text": "Down Down"}',
        Key(("down",)),
        Key(("down",)),
    ),
    one("xdotool-plus", "claude", '{"action": "key", "text": "ctrl+plus"}', Key(("ctrl", "+"))),
    one("plus-itself", "claude", '{"action": "key", "text": "ctrl++"}', Key(("ctrl", "+"))),
    one(
        "repeat",
        "claude-20260801",
        '{"type": "tool_use", "name": "key", "input": {"text": "Tab", "repeat": 2}}',
        Key(("tab",)),
        Key(("tab",)),
    ),
    one("super-is-meta", "claude", '{"action": "key", "text": "super"}', Key(("meta",))),
    one(
        "hold",
        "claude",
        '{"action": "hold_key", "text": "shift+a", "duration": 1.5}',
        HoldKey(("shift", "a"), 1.5),
    ),
    one(
        "pyautogui",
        "pyautogui",
        "pyautogui.hotkey('ctrl', 'shift', 'esc')",
        Key(("ctrl", "shift", "esc")),
    ),
    one("pyautogui-list", "pyautogui", "pyautogui.hotkey(['command', 'c'])", Key(("meta", "c"))),
    one(
        "pyautogui-presses",
        "pyautogui",
        "pyautogui.press('down', presses=2)",
        Key(("down",)),
        Key(("down",)),
    ),
    one(
        "pyautogui-presses-of-several",
        "pyautogui",
        "pyautogui.press(['left', 'x'])",
        Key(("left",)),
        Key(("x",)),
    ),
    one(
        "pyautogui-held",
        "pyautogui",
        "pyautogui.keyDown('shiftleft')\npyautogui.click(100, 200)\npyautogui.keyUp('shift')",
        KeyDown("shift"),
        Click(AT),
        KeyUp("shift"),
    ),
    one(
        "pyautogui-hold",
        "pyautogui",
        "with pyautogui.hold(['ctrl', 'alt']):\n    pyautogui.click(100, 200)",
        Click(AT, modifiers=("ctrl", "alt")),
    ),
    one(
        "pyautogui-hold-several",
        "pyautogui",
        "with pyautogui.hold('shift'):\n    pyautogui.press('left')\n    pyautogui.press('left')",
        KeyDown("shift"),
        Key(("left",)),
        Key(("left",)),
        KeyUp("shift"),
    ),
    one("aguvis-keys", "aguvis", "pyautogui.hotkey(keys=['ctrl', 'c'])", Key(("ctrl", "c"))),
    one(
        "ui-tars-spaces",
        "ui-tars",
        "Action: hotkey(key='ctrl shift arrowleft')",
        Key(("ctrl", "shift", "left")),
    ),
    one("ui-tars-pluses", "ui-tars", "Action: hotkey(key='ctrl+c')", Key(("ctrl", "c"))),
    one(
        "openai-capitals",
        "openai",
        '{"type": "keypress", "keys": ["CTRL", "A"]}',
        Key(("ctrl", "a")),
    ),
    one("openai-one-letter", "openai", '{"type": "keypress", "keys": ["A"]}', Key(("a",))),
    one("openai-arrow", "openai", '{"type": "keypress", "keys": ["ARROWDOWN"]}', Key(("down",))),
    one(
        "openai-modifiers",
        "openai",
        '{"type": "click", "x": 100, "y": 200, "keys": ["CTRL", "SHIFT"]}',
        Click(AT, modifiers=("ctrl", "shift")),
    ),
    one(
        "playwright",
        "browsergym",
        "keyboard_press('ControlOrMeta+Shift+ArrowUp')",
        Key(("ctrl", "shift", "up")),
    ),
    one("playwright-down", "browsergym", "keyboard_down('Meta')", KeyDown("meta")),
    one(
        "adb-del-is-backspace",
        "android_world",
        '{"action_type": "press_keyboard", "keycode": "KEYCODE_DEL"}',
        Key(("backspace",)),
    ),
    one(
        "adb-home-is-the-system's",
        "android_world",
        '{"action_type": "press_keyboard", "keycode": "KEYCODE_HOME"}',
        System("home"),
    ),
    one(
        "qwen-mobile-key", "qwen-mobile", phone(action="key", text="volume_up"), Key(("volumeup",))
    ),
    one("qwen-keys", "qwen", tool(action="key", keys=["ctrl", "del"]), Key(("ctrl", "delete"))),
    one(
        "cogagent-chord",
        "cogagent",
        "GESTURE(actions=[KEY_DOWN(key='Lcontrol'), KEY_PRESS(key='A'), KEY_UP(key='Lcontrol')])",
        Key(("ctrl", "a")),
    ),
    one("cogagent-held", "cogagent", "GESTURE(actions=[KEY_DOWN(key='Lshift')])", KeyDown("shift")),
    one(
        "gemini",
        "gemini",
        '{"name": "key_combination", "args": {"keys": "control+a"}}',
        Key(("ctrl", "a")),
    ),
]

TEXTS = [
    one(
        "ui-tars-submits", "ui-tars", r"Action: type(content='hello\n')", Type("hello", submit=True)
    ),
    one(
        "ui-tars-quotes",
        "ui-tars",
        r"""Action: type(content='say \'a\' and "b"')""",
        Type("say 'a' and \"b\""),
    ),
    one("ui-tars-unescaped", "ui-tars", "Action: type(content='It's fine')", Type("It's fine")),
    one(
        "ui-tars-raw-lines",
        "ui-tars",
        "Action: type(content='one\ntwo\n')",
        Type("one\ntwo", submit=True),
    ),
    one(
        "ui-tars-call-in-text",
        "ui-tars",
        "Action: type(content='one\nclick(point=1)\n')",
        Type("one\nclick(point=1)", submit=True),
    ),
    one("ui-tars-unknown-escape", "ui-tars", r"Action: type(content='C:\dir')", Type(r"C:\dir")),
    one(
        "cjk",
        "ui-tars",
        "Action: type(content='你好，世界\U0001f600')",
        Type("你好，世界\U0001f600"),
    ),
    one("pyautogui-newline", "pyautogui", r"pyautogui.write('a\nb\n')", Type("a\nb", submit=True)),
    one(
        "pyautogui-keys",
        "pyautogui",
        "pyautogui.typewrite(['a', 'enter'])",
        Key(("a",)),
        Key(("enter",)),
    ),
    one("pyautogui-interval", "pyautogui", "pyautogui.typewrite('hi', interval=0.1)", Type("hi")),
    one(
        "claude",
        "claude",
        r'{"action": "type", "text": "say \"x\"\n"}',
        Type('say "x"', submit=True),
    ),
    one("qwen", "qwen", tool(action="type", text="中文\n"), Type("中文", submit=True)),
    one(
        "fara",
        "qwen",
        tool(
            action="type",
            text="x",
            coordinate=[100, 200],
            press_enter=True,
            delete_existing_text=True,
        ),
        Type("x", True, True, AT),
    ),
    one(
        "android-presses-enter",
        "android_world",
        '{"action_type": "input_text", "text": "x", "clear_text": true}',
        Type("x", True, True),
    ),
    one(
        "gemini-defaults",
        "gemini",
        '{"name": "type_text_at", "args": {"x": 100, "y": 400, "text": "x"}}',
        Type("x", True, True, AT),
        profile="gemini",
    ),
    one(
        "gemini-plain",
        "gemini",
        function(
            "type_text_at", x=100, y=400, text="x", press_enter=False, clear_before_typing=False
        ),
        Type("x", point=AT),
        profile="gemini",
    ),
    one(
        "showui-apostrophe",
        "showui",
        "{'action': 'INPUT', 'value': \"it's\", 'position': [0.1, 0.4]}",
        Type("it's", point=AT),
        profile="unit",
    ),
    one(
        "cogagent",
        "cogagent",
        "TYPE(box=[[100,400,100,400]], text='a, b')",
        Type("a, b", point=AT),
        profile="permille",
    ),
    one("number-as-text", "qwen", tool(action="type", text=42), Type("42")),
]

GROUPS = {
    "key": KEYS,
    "text": TEXTS,
}
