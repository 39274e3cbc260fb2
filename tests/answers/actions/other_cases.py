"""Waits, last words, phones and browsers, and several actions in a reply."""

from __future__ import annotations

from screenmark.answers.actions.schema import (
    CallUser,
    Click,
    CloseTab,
    CursorPosition,
    Done,
    Fail,
    GiveAnswer,
    Goto,
    Key,
    LongPress,
    Move,
    NewTab,
    OpenApp,
    Screenshot,
    SelectOption,
    SwitchTab,
    System,
    Type,
    Wait,
    Zoom,
)
from tests.answers.actions.case import AT, MID, one, phone, tool

WAITS = [
    one("ui-tars-5s", "ui-tars", "Action: wait()", Wait(5.0)),
    one("osworld", "pyautogui", "WAIT", Wait(2.0)),
    one("sleep", "pyautogui", "import time\ntime.sleep(0.5)", Wait(0.5)),
    one("qwen", "qwen", tool(action="wait", time=2), Wait(2.0)),
    one("claude", "claude", '{"action": "wait", "duration": 3}', Wait(3.0)),
    one("openai", "openai", '{"type": "wait"}', Wait(2.0)),
    one("android", "android_world", '{"action_type": "wait"}', Wait(1.0)),
    one("browsergym-milliseconds", "browsergym", "noop(1500)", Wait(1.5)),
    one("browsergym-default", "browsergym", "noop()", Wait(1.0)),
    one("gemini", "gemini", '{"name": "wait_5_seconds", "args": {}}', Wait(5.0)),
    one("aguvis", "aguvis", "mobile.wait(seconds=3)", Wait(3.0)),
    one("scalecua", "scalecua", "<action>wait()</action>", Wait(3.0)),
]

ENDS = [
    one("ui-tars", "ui-tars", "Action: finished(content='42')", Done("42")),
    one("ui-tars-bare", "ui-tars", "Action: finished()", Done()),
    one("ui-tars-user", "ui-tars", "Action: call_user()", CallUser()),
    one("qwen-success", "qwen", tool(action="terminate", status="success"), Done()),
    one("qwen-failure", "qwen", tool(action="terminate", status="failure"), Fail()),
    one("qwen-answer", "qwen", tool(action="answer", text="42"), GiveAnswer("42")),
    one("osworld-done", "pyautogui", "```\nDONE\n```", Done()),
    one("osworld-fail", "pyautogui", "It is not there.\nFAIL", Fail()),
    one("opencua", "pyautogui", "```code\ncomputer.terminate(status='failure')\n```", Fail()),
    one("computer-13", "computer_13", "```\nDONE\n```", Done()),
    one("computer-13-json", "computer_13", '{"action_type": "FAIL"}', Fail()),
    one("claude-message", "claude", "The form is filled in.", Done("The form is filled in.")),
    one("openai-message", "openai", "Finished.", Done("Finished.")),
    one("android", "android_world", '{"action_type": "status", "goal_status": "complete"}', Done()),
    one(
        "android-infeasible",
        "android_world",
        '{"action_type": "status", "goal_status": "infeasible"}',
        Fail(),
    ),
    one(
        "android-answer",
        "android_world",
        '{"action_type": "answer", "text": "42"}',
        GiveAnswer("42"),
    ),
    one("browsergym-message", "browsergym", "send_msg_to_user('42')", GiveAnswer("42")),
    one(
        "browsergym-infeasible",
        "browsergym",
        "report_infeasible('no such page')",
        Fail("no such page"),
    ),
    one(
        "aguvis",
        "aguvis",
        "answer('42')\nmobile.terminate(status='success')",
        GiveAnswer("42"),
        Done(),
    ),
    one(
        "scalecua", "scalecua", "<action>terminate(status='failure', info='x')</action>", Fail("x")
    ),
    one(
        "scalecua-response", "scalecua", "<action>response(answer='42')</action>", GiveAnswer("42")
    ),
    one(
        "showui",
        "showui",
        "{'action': 'ANSWER', 'value': 'task complete', 'position': None}",
        Done(),
    ),
    one(
        "showui-answer",
        "showui",
        "{'action': 'ANSWER', 'value': '42', 'position': None}",
        GiveAnswer("42"),
    ),
    one("cogagent", "cogagent", "Grounded Operation: END()", Done()),
]

OTHERS = [
    one("back", "ui-tars-mobile", "Action: press_back()", System("back")),
    one("home", "qwen-mobile", phone(action="system_button", button="Home"), System("home")),
    one("menu", "qwen-mobile", phone(action="system_button", button="Menu"), System("menu")),
    one(
        "enter-is-a-key",
        "qwen-mobile",
        phone(action="system_button", button="Enter"),
        Key(("enter",)),
    ),
    one("keyboard-enter", "android_world", '{"action_type": "keyboard_enter"}', Key(("enter",))),
    one(
        "recents",
        "android_world",
        '{"action_type": "press_keyboard", "keycode": "KEYCODE_APP_SWITCH"}',
        System("recents"),
    ),
    one("browser-forward", "browsergym", "go_forward()", System("forward")),
    one(
        "open-app",
        "android_world",
        '{"action_type": "open_app", "app_name": "Clock"}',
        OpenApp("Clock"),
    ),
    one("open", "qwen-mobile", phone(action="open", text="Clock"), OpenApp("Clock")),
    one("launch-app", "cogagent", "LAUNCH(app='Settings', url='None')", OpenApp("Settings")),
    one("launch-url", "cogagent", "LAUNCH(app='Settings', url='a.org')", Goto("a.org")),
    one("goto", "browsergym", "goto('http://a.org')", Goto("http://a.org")),
    one(
        "tabs",
        "browsergym",
        "new_tab()\ntab_focus(1)\ntab_close()",
        NewTab(),
        SwitchTab(1),
        CloseTab(),
    ),
    one(
        "long-press",
        "qwen-mobile",
        phone(action="long_press", coordinate=[100, 200], time=2),
        LongPress(AT, 2.0),
    ),
    one(
        "select",
        "aguvis",
        "browser.select_option(x=0.1, y=0.4, value='B')",
        SelectOption(AT, "B"),
        profile="unit",
    ),
    one(
        "zoom",
        "claude",
        '{"action": "zoom", "region": [100, 200, 500, 250]}',
        Zoom((0.1, 0.4, 0.5, 0.5)),
    ),
    one("screenshot", "claude", '{"action": "screenshot"}', Screenshot()),
    one("cursor", "claude-20241022", '{"action": "cursor_position"}', CursorPosition()),
]

SEVERAL = [
    one(
        "ui-tars",
        "ui-tars",
        "Thought: a\nAction: click(start_box='(100,200)')\n\ntype(content='x')",
        Click(AT),
        Type("x"),
    ),
    one(
        "ui-tars-marked",
        "ui-tars",
        "Thought: a\nAction: wait()\nAction: finished()",
        Wait(5.0),
        Done(),
    ),
    one(
        "ui-tars-last-turn",
        "ui-tars",
        "Thought: a\nAction: wait()\nThought: b\nAction: finished()",
        Done(),
    ),
    one(
        "qwen",
        "qwen",
        tool(action="wait", time=1) + "\n" + tool(action="key", keys=["a"]),
        Wait(1.0),
        Key(("a",)),
    ),
    one(
        "qwen-typed-tags",
        "qwen",
        tool(action="type", text='a</tool_call><tool_call>{"action": "wait"}</tool_call>')
        + "\n"
        + tool(action="type", text='```json\n{"action": "wait"}\n``` <tool_call>'),
        Type('a</tool_call><tool_call>{"action": "wait"}</tool_call>'),
        Type('```json\n{"action": "wait"}\n``` <tool_call>'),
    ),
    one(
        "qwen-typed-tags-without-a-tag",
        "qwen",
        '{"action": "type", "text": "<tool_call>[]"}',
        Type("<tool_call>[]"),
    ),
    one(
        "qwen-thought-in-braces",
        "qwen",
        "I go {there}. " + tool(action="wait", time=1),
        Wait(1.0),
    ),
    one(
        "qwen-unclosed",
        "qwen",
        '<tool_call>{"action": "wait", "time": 1}\n<tool_call>{"action": "wait", "time": 2}',
        Wait(1.0),
        Wait(2.0),
    ),
    one(
        "claude-blocks",
        "claude",
        '[{"type": "text", "text": "ok"}, '
        '{"type": "tool_use", "name": "computer", "input": {"action": "screenshot"}}, '
        '{"type": "tool_use", "name": "computer", "input": {"action": "left_click"}}]',
        Screenshot(),
        Click(),
    ),
    one(
        "claude-invoke",
        "claude",
        '<invoke name="computer"><parameter name="action">left_click</parameter>'
        '<parameter name="coordinate">[100, 200]</parameter></invoke>',
        Click(AT),
    ),
    one(
        "claude-invokes",
        "claude",
        'So.\n<function_calls>\n<invoke name="computer">\n'
        '<parameter name="action">type</parameter>\n'
        '<parameter name="text">{"action": "wait"} 007 </parameter>\n</invoke>\n'
        '<invoke name="computer">\n<parameter name="action">wait</parameter>\n'
        '<parameter name="duration">1</parameter>\n</invoke>\n</function_calls>',
        Type('{"action": "wait"} 007 '),
        Wait(1.0),
    ),
    one(
        "claude-typed-invoke",
        "claude",
        '{"action": "type", "text": "<invoke name=\'computer\'></invoke>"}',
        Type("<invoke name='computer'></invoke>"),
    ),
    one("claude-plural", "claude", "Set the key(s).", Done("Set the key(s).")),
    one(
        "openai-actions",
        "openai",
        '{"type": "computer_call", "call_id": "c", '
        '"actions": [{"type": "move", "x": 500, "y": 250}, {"type": "wait"}]}',
        Move(MID),
        Wait(2.0),
    ),
    one(
        "openai-arguments-as-text",
        "qwen",
        '{"function": {"name": "computer_use", '
        '"arguments": "{\\"action\\": \\"wait\\", \\"time\\": 1}"}}',
        Wait(1.0),
    ),
    one(
        "fences",
        "computer_13",
        '```json\n{"action_type": "CLICK"}\n```\nthen\n```json\n{"action_type": "WAIT"}\n```',
        Click(),
        Wait(2.0),
    ),
    one(
        "code-blocks",
        "pyautogui",
        "```python\npyautogui.click()\n```\nand\n```python\npyautogui.press('a')\n```",
        Click(),
        Key(("a",)),
    ),
    one(
        "semicolons",
        "pyautogui",
        "import pyautogui; pyautogui.click(); pyautogui.press('a')",
        Click(),
        Key(("a",)),
    ),
    one(
        "prose-after",
        "pyautogui",
        "pyautogui.click(100, 200)\n\nThis opens (I think) the menu.",
        Click(AT),
    ),
    one("bullets", "browsergym", "I will do this:\n- `mouse_click(100, 200)`", Click(AT)),
]

GROUPS = {
    "wait": WAITS,
    "end": ENDS,
    "other": OTHERS,
    "several": SEVERAL,
}
