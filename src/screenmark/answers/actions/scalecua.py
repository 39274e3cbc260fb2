"""ScaleCUA: calls in pyautogui's style between ``<action>`` tags, the plan in ``<operation>``."""

from __future__ import annotations

import re
from typing import Final

from screenmark.answers.actions.calls import Form, digits, quote
from screenmark.answers.actions.dialect import Writers, call_dialect, plain
from screenmark.answers.actions.fields import DIRECTIONS, Fields
from screenmark.answers.actions.mouse_forms import FORMS
from screenmark.answers.actions.mouse_writers import call, writers, xy
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    CallUser,
    Done,
    Fail,
    GiveAnswer,
    LongPress,
    OpenApp,
    Swipe,
    System,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid

WAIT_SECONDS: Final = 3.0

_ACTION = re.compile(r"<action>(.*?)(?:</action>|\Z)", re.S | re.I)
_OPERATION = re.compile(r"<operation>(.*?)(?:</operation>|\Z)", re.S | re.I)


def _swipe(fields: Fields) -> list[Action]:
    """From one place to another, or a share of the screen in the finger's direction."""
    start, end = fields.place("from_coord"), fields.place("to_coord")
    if start is not None and end is not None:
        return [Swipe(start, end)]
    if end is not None:
        raise Invalid("swipe needs 'from_coord' where it has 'to_coord'")
    across, down = fields.choice("direction", DIRECTIONS, "up")
    amount = fields.number("amount", default=0.5)
    if not 0 < amount <= 1:
        raise Invalid("swipe: 'amount' has to be between 0 and 1")
    if start is None:
        start = (0.5 - across * amount / 2, 0.5 - down * amount / 2)
    x, y = start[0] + across * amount, start[1] + down * amount
    return [Swipe(start, (min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)))]


def _terminate(fields: Fields) -> list[Action]:
    done = fields.choice("status", {"success": True, "failure": False}, "success")
    info = fields.text("info", default="")
    return [Done(info) if done else Fail(info)]


def _long_press(fields: Fields) -> list[Action]:
    return [LongPress(fields.the_xy(), fields.seconds("duration", default=1.0))]


_FORMS: Final[dict[str, Form]] = {
    **FORMS,
    "swipe": Form(_swipe, ("from_coord", "to_coord", "direction", "amount")),
    "long_press": Form(_long_press, ("x", "y", "duration")),
    "open_app": Form(lambda fields: [OpenApp(fields.text("app_name"))], ("app_name",)),
    "navigate_home": Form(lambda fields: [System("home")]),
    "navigate_back": Form(lambda fields: [System("back")]),
    "wait": Form(
        lambda fields: [Wait(fields.seconds("seconds", default=WAIT_SECONDS))], ("seconds",)
    ),
    "response": Form(lambda fields: [GiveAnswer(fields.text("answer"))], ("answer",)),
    "call_user": Form(lambda fields: [CallUser()]),
    "terminate": Form(_terminate, ("status", "info")),
}


def _find(text: str) -> tuple[str, str]:
    blocks = [found[1] for found in _ACTION.finditer(text)]
    said = "\n".join(found[1].strip() for found in _OPERATION.finditer(text))
    return said, "\n".join(blocks) if blocks else text


def _write_swipe(action: Swipe, scale: Scale) -> list[str]:
    plain(action, "seconds")
    ends = zip(("from_coord", "to_coord"), (action.start, action.end), strict=True)
    coords = [f"{name}=({', '.join(map(str, scale.numbers(place)))})" for name, place in ends]
    return [call("swipe", *coords)]


def _write_press(action: LongPress, scale: Scale) -> list[str]:
    seconds = f"duration={digits(action.seconds)}"
    return [call("long_press", *xy(action.point, scale), seconds)]


def _write_system(action: System, scale: Scale) -> list[str]:
    if action.button not in {"home", "back"}:
        raise CannotWrite(f"there is no button {action.button!r}, only home and back")
    return [f"navigate_{action.button}()"]


def _write_end(action: Done | Fail, scale: Scale) -> list[str]:
    text = action.text if isinstance(action, Done) else action.reason
    status = "status='success'" if isinstance(action, Done) else "status='failure'"
    return [call("terminate", status, *([f"info={quote(text)}"] if text else []))]


def _write_user(action: CallUser, scale: Scale) -> list[str]:
    plain(action, "text")
    return ["call_user()"]


_WRITERS: Final[Writers[str]] = {
    **writers(""),
    Swipe: _write_swipe,
    LongPress: _write_press,
    System: _write_system,
    OpenApp: lambda action, scale: [call("open_app", f"app_name={quote(action.name)}")],
    Wait: lambda action, scale: [f"wait(seconds={digits(action.seconds)})"],
    GiveAnswer: lambda action, scale: [call("response", f"answer={quote(action.text)}")],
    CallUser: _write_user,
    Done: _write_end,
    Fail: _write_end,
}


def _wrap(calls: list[str]) -> str:
    return "\n".join(("<action>", *calls, "</action>"))


DIALECT: Final = call_dialect("scalecua", "ScaleCUA", _FORMS, _WRITERS, find=_find, wrap=_wrap)
