"""Signs and units of scrolls, spaces of places, and no place at all."""

from __future__ import annotations

from screenmark.answers.actions.schema import (
    Click,
    Drag,
    MouseDown,
    Move,
    Scroll,
    Swipe,
)
from tests.answers.actions.case import AT, function, one, tool

SCROLLS = [
    one("pyautogui-up-is-plus", "pyautogui", "pyautogui.scroll(5)", Scroll(0.0, -5.0)),
    one(
        "pyautogui-at",
        "pyautogui",
        "pyautogui.scroll(-5, x=100, y=200)",
        Scroll(0.0, 5.0, point=AT),
    ),
    one(
        "openai-camel-case",
        "openai",
        '{"type": "computer_call", "action": '
        '{"type": "scroll", "x": 100, "y": 200, "scrollX": -500, "scrollY": 250}}',
        Scroll(-0.5, 0.5, "screen", AT),
    ),
    one(
        "openai-one-way",
        "openai",
        '{"type": "scroll", "x": 100, "y": 200, "scrollX": 500}',
        Scroll(0.5, 0.0, "screen", AT),
    ),
    one("pyautogui-most", "pyautogui", "pyautogui.scroll(-10000)", Scroll(0.0, 10000.0)),
    one("pyautogui-hscroll", "pyautogui", "pyautogui.hscroll(3)", Scroll(3.0, 0.0)),
    one(
        "computer-13-up-is-plus",
        "computer_13",
        '{"action_type": "SCROLL", "dx": 0, "dy": 2}',
        Scroll(0.0, -2.0),
    ),
    one(
        "qwen-up-is-plus",
        "qwen",
        tool(action="scroll", pixels=250),
        Scroll(0.0, -0.5, "screen"),
    ),
    one(
        "qwen-hscroll-right-is-plus",
        "qwen",
        tool(action="hscroll", pixels=250, coordinate=[100, 200]),
        Scroll(0.25, 0.0, "screen", AT),
    ),
    one(
        "qwen3-pixels-are-thousandths",
        "qwen",
        tool(action="scroll", pixels=-500),
        Scroll(0.0, 0.5, "screen"),
        profile="qwen3-vl",
    ),
    one(
        "openai-down-is-plus",
        "openai",
        '{"type": "scroll", "x": 100, "y": 200, "scroll_x": 0, "scroll_y": 250}',
        Scroll(0.0, 0.5, "screen", AT),
    ),
    one("browsergym-down-is-plus", "browsergym", "scroll(0, 250)", Scroll(0.0, 0.5, "screen")),
    one(
        "browsergym-at",
        "browsergym",
        "scroll_at(100, 200, -100, 0)",
        Scroll(-0.1, 0.0, "screen", AT),
    ),
    one(
        "claude-notches",
        "claude",
        '{"action": "scroll", "coordinate": [100, 200], "scroll_direction": "up", '
        '"scroll_amount": 3, "text": "ctrl"}',
        Scroll(0.0, -3.0, "notch", AT, ("ctrl",)),
    ),
    one(
        "aguvis-page",
        "aguvis",
        "pyautogui.scroll(page=-0.1)",
        Scroll(0.0, 0.1, "screen"),
        profile="unit",
    ),
    one(
        "ui-tars-notches",
        "ui-tars",
        "Action: scroll(point='<point>100 200</point>', direction='down')",
        Scroll(0.0, 5.0, "notch", AT),
    ),
    one(
        "ui-tars-mobile-half-a-screen",
        "ui-tars-mobile",
        "Action: scroll(point='<point>100 200</point>', direction='down')",
        Scroll(0.0, 0.5, "screen", AT),
    ),
    one(
        "android-scroll",
        "android_world",
        '{"action_type": "scroll", "direction": "down"}',
        Scroll(0.0, 0.5, "screen"),
    ),
    one(
        "android-swipe-down-moves-the-finger-down",
        "android_world",
        '{"action_type": "swipe", "direction": "down"}',
        Swipe((0.5, 0.0), (0.5, 1.0)),
    ),
    one(
        "android-swipe-left-as-it-is-performed",
        "android_world",
        '{"action_type": "swipe", "direction": "left"}',
        Swipe((0.0, 0.5), (1.0, 0.5)),
    ),
    one(
        "cogagent-steps",
        "cogagent",
        "SCROLL_UP(box=[[000,000,999,999]], step_count=5)",
        Scroll(0.0, -5.0, "notch", (0.4995, 0.4995)),
        profile="permille",
    ),
    one(
        "showui-scroll",
        "showui",
        "{'action': 'SCROLL', 'value': 'up', 'position': None}",
        Scroll(0.0, -0.5, "screen"),
        profile="unit",
    ),
    one(
        "gemini-magnitude",
        "gemini",
        function("scroll_at", x=100, y=400, direction="down", magnitude=250),
        Scroll(0.0, 0.25, "screen", AT),
        profile="gemini",
    ),
    one(
        "gemini-document",
        "gemini",
        '{"name": "scroll_document", "args": {"direction": "left"}}',
        Scroll(-1.0, 0.0, "screen"),
        profile="gemini",
    ),
    one("scalecua-clicks", "scalecua", "<action>scroll(-3)</action>", Scroll(0.0, 3.0)),
]

SPACES = [
    one(
        "qwen3-999",
        "qwen",
        tool(action="left_click", coordinate=[999, 999]),
        Click((0.999, 0.999)),
        profile="qwen3-vl",
    ),
    one(
        "qwen3-1000",
        "qwen",
        tool(action="left_click", coordinate=[1000, 1000]),
        Click((1.0, 1.0)),
        profile="qwen3-vl",
    ),
    one(
        "box-is-its-centre",
        "qwen",
        tool(action="left_click", coordinate=[50, 100, 150, 300]),
        Click(AT),
    ),
    one("xy-as-text", "ui-tars", "Action: click(start_box='(100,200)')", Click(AT)),
    one(
        "box-tokens",
        "ui-tars",
        "Action: click(start_box='<|box_start|>(100,200)<|box_end|>')",
        Click(AT),
    ),
    one("box-of-four", "ui-tars", "Action: click(start_box='[50, 100, 150, 300]')", Click(AT)),
    one("bbox-tag", "ui-tars", "Action: click(start_box='<bbox>50 100 150 300</bbox>')", Click(AT)),
    one("fractions", "pyautogui", "pyautogui.click(x=0.1, y=0.4)", Click(AT), profile="kimi-vl"),
    one(
        "zeros-in-front",
        "cogagent",
        "CLICK(box=[[050,300,150,500]])",
        Click(AT),
        profile="permille",
    ),
    one(
        "gemini-x-before-y",
        "gemini",
        '{"name": "click_at", "args": {"y": 400, "x": 100}}',
        Click(AT),
        profile="gemini",
    ),
    one(
        "right-edge-is-inside", "openai", '{"type": "move", "x": 1000, "y": 500}', Move((1.0, 1.0))
    ),
]

POINTLESS = [
    one("pyautogui", "pyautogui", "pyautogui.click()", Click()),
    one("computer-13", "computer_13", '{"action_type": "CLICK"}', Click()),
    one("qwen", "qwen", tool(action="left_click"), Click()),
    one("claude", "claude", '{"action": "right_click"}', Click(button="right")),
    one("mouse-down", "claude", '{"action": "left_mouse_down"}', MouseDown()),
    one(
        "claude-first-drag",
        "claude-20241022",
        '{"action": "left_click_drag", "coordinate": [100, 200]}',
        Drag((AT,)),
    ),
]

GROUPS = {
    "scroll": SCROLLS,
    "space": SPACES,
    "no-point": POINTLESS,
}
