"""Aguvis: pyautogui with fractions of the screen, and plugins for phones and browsers."""

from __future__ import annotations

import re
from typing import Final

from screenmark.answers.actions.calls import Form, digits, quote
from screenmark.answers.actions.dialect import Writers, call_dialect, plain
from screenmark.answers.actions.fields import Fields
from screenmark.answers.actions.mouse_forms import FORMS
from screenmark.answers.actions.mouse_writers import call, writers, xy
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    Action,
    Done,
    Fail,
    GiveAnswer,
    LongPress,
    OpenApp,
    Scroll,
    SelectOption,
    Swipe,
    System,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite

WAIT_SECONDS: Final = 3.0

# The channel that an answer goes to, and what a model writes before it.
_CHANNEL = re.compile(
    r"(?:<\|recipient\|>|<\|im_start\|>assistant|^assistant)\s*(?:os|all)\s*$", re.M
)
_CODE = re.compile(r"^[ \t`]*(?:pyautogui|mobile|browser)\.|^(?:answer|terminate)\(", re.M)


def _scroll(fields: Fields) -> list[Action]:
    _, down = fields.scale.length(0.0, fields.number("page", "clicks"))
    return [Scroll(0.0, -down or 0.0, "screen", fields.xy())]


def _hscroll(fields: Fields) -> list[Action]:
    right, _ = fields.scale.length(fields.number("page", "clicks"), 0.0)
    return [Scroll(right, 0.0, "screen", fields.xy())]


def _swipe(fields: Fields) -> list[Action]:
    return [Swipe(fields.the_place("from_coord"), fields.the_place("to_coord"))]


def _terminate(fields: Fields) -> list[Action]:
    done = fields.choice("status", {"success": True, "failure": False}, "success")
    return [Done() if done else Fail()]


_TERMINATE: Final = Form(_terminate, ("status",))
_ANSWER: Final = Form(lambda fields: [GiveAnswer(fields.text("text"))], ("text",))
_FORMS: Final[dict[str, Form]] = {
    **{f"pyautogui.{name}": form for name, form in FORMS.items()},
    "pyautogui.scroll": Form(_scroll, ("page", "x", "y")),
    "pyautogui.hscroll": Form(_hscroll, ("page", "x", "y")),
    "pyautogui.sleep": Form(lambda fields: [Wait(fields.seconds("seconds"))], ("seconds",)),
    "mobile.home": Form(lambda fields: [System("home")]),
    "mobile.back": Form(lambda fields: [System("back")]),
    "mobile.wait": Form(
        lambda fields: [Wait(fields.seconds("seconds", default=WAIT_SECONDS))], ("seconds",)
    ),
    "mobile.open_app": Form(lambda fields: [OpenApp(fields.text("app_name"))], ("app_name",)),
    "mobile.swipe": Form(_swipe, ("from_coord", "to_coord")),
    "mobile.long_press": Form(lambda fields: [LongPress(fields.the_xy())], ("x", "y")),
    "mobile.terminate": _TERMINATE,
    "terminate": _TERMINATE,
    "answer": _ANSWER,
    "browser.select_option": Form(
        lambda fields: [SelectOption(fields.the_xy(), fields.text("value"))], ("x", "y", "value")
    ),
}


def _find(text: str) -> tuple[str, str]:
    begins = _CODE.search(text)
    said = text[: begins.start()] if begins else ""
    return _CHANNEL.sub("", said).replace("```python", "").strip(), text


def _write_scroll(action: Scroll, scale: Scale) -> list[str]:
    plain(action, "modifiers")
    if action.unit != "screen" or bool(action.dx) == bool(action.dy):
        raise CannotWrite("scroll(page=…) counts screens, either vertically or horizontally")
    right, down = scale.lengths(action.dx, action.dy)
    name, page = ("hscroll", right) if action.dx else ("scroll", -down)
    return [call(f"pyautogui.{name}", f"page={digits(page)}", *xy(action.point, scale))]


def _write_system(action: System, scale: Scale) -> list[str]:
    if action.button not in {"home", "back"}:
        raise CannotWrite(f"there is no button {action.button!r}, only home and back")
    return [f"mobile.{action.button}()"]


def _write_swipe(action: Swipe, scale: Scale) -> list[str]:
    plain(action, "seconds")
    start, end = scale.numbers(action.start), scale.numbers(action.end)
    return [f"mobile.swipe(from_coord={start}, to_coord={end})"]


def _write_press(action: LongPress, scale: Scale) -> list[str]:
    plain(action, "seconds")
    return [call("mobile.long_press", *xy(action.point, scale))]


def _write_option(action: SelectOption, scale: Scale) -> list[str]:
    value = f"value={quote(action.value)}"
    return [call("browser.select_option", *xy(action.point, scale), value)]


def _write_end(action: Done | Fail, scale: Scale) -> list[str]:
    plain(action, "text", "reason")
    return [f"terminate(status='{'success' if isinstance(action, Done) else 'failure'}')"]


_WRITERS: Final[Writers[str]] = {
    **writers("pyautogui."),
    Scroll: _write_scroll,
    System: _write_system,
    Swipe: _write_swipe,
    LongPress: _write_press,
    SelectOption: _write_option,
    OpenApp: lambda action, scale: [call("mobile.open_app", f"app_name={quote(action.name)}")],
    Wait: lambda action, scale: [f"mobile.wait(seconds={digits(action.seconds)})"],
    GiveAnswer: lambda action, scale: [call("answer", quote(action.text))],
    Done: _write_end,
    Fail: _write_end,
}

DIALECT: Final = call_dialect("aguvis", "Aguvis", _FORMS, _WRITERS, find=_find, wrap="\n".join)
