"""Clicks and drags."""

from __future__ import annotations

from screenmark.answers.actions.schema import (
    Click,
    Drag,
    MouseDown,
    MouseUp,
    Move,
    Swipe,
)
from tests.answers.actions.case import AT, MID, function, one, phone, tool

CLICKS = [
    one("pyautogui-double", "pyautogui", "pyautogui.doubleClick(100, 200)", Click(AT, count=2)),
    one(
        "pyautogui-clicks",
        "pyautogui",
        "pyautogui.click(100, 200, 3, button='right')",
        Click(AT, "right", 3),
    ),
    one("pyautogui-tuple", "pyautogui", "pyautogui.click((100, 200))", Click(AT)),
    one("opencua-triple", "pyautogui", "computer.triple_click(x=100, y=200)", Click(AT, count=3)),
    one(
        "computer-13",
        "computer_13",
        '{"action_type": "CLICK", "x": 100, "y": 200, "num_clicks": 2, "button": "middle"}',
        Click(AT, "middle", 2),
    ),
    one(
        "ui-tars-double",
        "ui-tars",
        "Action: left_double(point='<point>100 200</point>')",
        Click(AT, count=2),
    ),
    one(
        "ui-tars-right",
        "ui-tars",
        "Action: right_single(point='<point>100 200</point>')",
        Click(AT, "right"),
    ),
    one(
        "qwen-triple",
        "qwen",
        tool(action="triple_click", coordinate=[100, 200]),
        Click(AT, count=3),
    ),
    one(
        "openai-wheel",
        "openai",
        '{"type": "click", "x": 100, "y": 200, "button": "wheel"}',
        Click(AT, "middle"),
    ),
    one(
        "openai-back",
        "openai",
        '{"type": "click", "x": 100, "y": 200, "button": "back"}',
        Click(AT, "back"),
    ),
    one(
        "android-double-tap",
        "android_world",
        '{"action_type": "double_tap", "x": 100, "y": 200}',
        Click(AT, count=2),
    ),
    one(
        "browsergym",
        "browsergym",
        "mouse_dblclick(100, 200, button='right')",
        Click(AT, "right", 2),
    ),
]

DRAGS = [
    one(
        "move-and-drag",
        "pyautogui",
        "pyautogui.moveTo(100, 200)\npyautogui.dragTo(500, 250, duration=1, button='left')",
        Drag((AT, MID)),
    ),
    one("from-the-pointer", "pyautogui", "pyautogui.dragTo(500, 250)", Drag((MID,))),
    one(
        "click-between",
        "pyautogui",
        "pyautogui.moveTo(100, 200); pyautogui.click(); pyautogui.dragTo(500, 250)",
        Move(AT),
        Click(),
        Drag((MID,)),
    ),
    one(
        "aguvis-coords",
        "aguvis",
        "pyautogui.dragTo(from_coord=[0.1, 0.4], to_coord=[0.5, 0.5])",
        Drag((AT, MID)),
        profile="unit",
    ),
    one(
        "ui-tars",
        "ui-tars",
        "Action: drag(start_point='<point>100 200</point>', end_point='<point>500 250</point>')",
        Drag((AT, MID)),
    ),
    one(
        "ui-tars-boxes",
        "ui-tars",
        "Action: drag(start_box='(100,200)', end_box='(500,250)')",
        Drag((AT, MID)),
    ),
    one(
        "ui-tars-mobile",
        "ui-tars-mobile",
        "Action: drag(start_box='(100,200)', end_box='(500,250)')",
        Swipe(AT, MID),
    ),
    one(
        "claude",
        "claude",
        '{"action": "left_click_drag", "start_coordinate": [100, 200], "coordinate": [500, 250]}',
        Drag((AT, MID)),
    ),
    one(
        "openai-path",
        "openai",
        '{"type": "drag", "path": [{"x": 100, "y": 200}, [500, 250], {"x": 0, "y": 0}]}',
        Drag((AT, MID, (0.0, 0.0))),
    ),
    one(
        "qwen-after-a-move",
        "qwen",
        tool(action="mouse_move", coordinate=[100, 200])
        + tool(action="left_click_drag", coordinate=[500, 250]),
        Drag((AT, MID)),
    ),
    one("browsergym", "browsergym", "mouse_drag_and_drop(100, 200, 500, 250)", Drag((AT, MID))),
    one(
        "gemini",
        "gemini",
        function("drag_and_drop", x=100, y=400, destination_x=500, destination_y=500),
        Drag((AT, MID)),
        profile="gemini",
    ),
    one(
        "showui-selection",
        "showui",
        "{'action': 'SELECT_TEXT', 'value': None, 'position': [[0.1, 0.4], [0.5, 0.5]]}",
        Drag((AT, MID)),
        profile="unit",
    ),
    one(
        "showui-swipe",
        "showui",
        "{'action': 'SWIPE', 'value': None, 'position': [[0.1, 0.4], [0.5, 0.5]]}",
        Swipe(AT, MID),
        profile="unit",
    ),
    one(
        "qwen-swipe",
        "qwen-mobile",
        phone(action="swipe", coordinate=[100, 200], coordinate2=[500, 250]),
        Swipe(AT, MID),
    ),
    one(
        "aguvis-swipe",
        "aguvis",
        "mobile.swipe(from_coord=[0.1, 0.4], to_coord=[0.5, 0.5])",
        Swipe(AT, MID),
        profile="unit",
    ),
    one(
        "scalecua-swipe-by-direction",
        "scalecua",
        "<action>swipe(direction='up', amount=0.5)</action>",
        Swipe((0.5, 0.75), (0.5, 0.25)),
    ),
    one(
        "scalecua-swipe-stops-at-the-edge",
        "scalecua",
        "<action>swipe(from_coord=(100, 200), direction='left', amount=0.5)</action>",
        Swipe(AT, (0.0, 0.4)),
    ),
    one(
        "down-and-up",
        "browsergym",
        "mouse_down(100, 200)\nmouse_up(500, 250)",
        MouseDown(AT),
        MouseUp(MID),
    ),
]

GROUPS = {
    "click": CLICKS,
    "drag": DRAGS,
}
