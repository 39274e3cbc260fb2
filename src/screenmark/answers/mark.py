"""What a syntax can find in a reply: a mark, or an action that points at nothing."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import msgspec


class Mark(msgspec.Struct, frozen=True):
    """A point (x, y) or a box (x1, y1, x2, y2) as written, x before y.

    Attributes:
        syntax: how it was written.
        percent: True if percent signs were written after the numbers.
    """

    numbers: tuple[float, ...]
    syntax: str
    percent: bool = False


class NotAClick(msgspec.Struct, frozen=True):
    """Something else than a click at one place.

    Attributes:
        action: the action's name; empty for an object of JSON that has no place.
    """

    action: str


Finding: TypeAlias = Mark | NotAClick

_CLICKS: Final = frozenset(
    {
        *("click", "leftclick", "rightclick", "middleclick", "doubleclick", "tripleclick"),
        *("leftdouble", "rightsingle", "leftsingle", "tap", "doubletap", "touch", "longpress"),
        *("longclick", "longtap", "clickat", "tapat", "hoverat", "clickabsolute", "moveto"),
        *("mousemove", "move", "hover", "select", "point", "clickelement", "lefttripleclick"),
        *("leftdoubleclick", "rightclickat", "doubleclickat", "singleclick", "leftsingleclick"),
    }
)
_OTHERS: Final = frozenset(
    {
        *("drag", "dragto", "leftclickdrag", "swipe", "scroll", "hscroll", "type", "write"),
        *("typewrite", "inputtext", "hotkey", "key", "press", "keypress", "presskey", "wait"),
        *("finished", "finish", "done", "terminate", "calluser", "fail", "answer", "open"),
        *("openapp", "launch", "navigateback", "pressback", "presshome", "back", "home", "enter"),
        *("screenshot", "keydown", "keyup", "mousedown", "mouseup", "draganddrop", "systembutton"),
        *("scrolldown", "scrollup", "scrollleft", "scrollright", "scrolldocument", "gesture"),
        *(
            "writeelement",
            "keycombination",
            "goback",
            "end",
            "quotetext",
            "visiturl",
            "selectoption",
        ),
        *("input", "scrollat", "typetextat", "vscroll", "selecttext", "setvalue", "dragfromto"),
    }
)
# Actions whose names are as well words on controls: in an object with a place they name it.
_WORDS: Final = frozenset(
    {
        *("open", "answer", "home", "back", "goback", "end", "enter", "key", "input", "done"),
        *("finish", "finished", "launch", "select", "write", "press", "fail", "wait"),
    }
)
_JOINTS = re.compile(r"[\s_.-]+")


def is_click(action: str) -> bool:
    """Whether an action's name, in any family's spelling, means one place on the screen."""
    return _JOINTS.sub("", action[:40]).lower() in _CLICKS


def is_other_action(action: str) -> bool:
    """Whether a name is that of an action which is not a click at one place."""
    return _JOINTS.sub("", action[:40]).lower() in _OTHERS


def is_word_too(action: str) -> bool:
    """Whether an action's name may as well be the name or the kind of a control: Open, input."""
    return _JOINTS.sub("", action[:40]).lower() in _WORDS
