"""OSWorld's pyautogui, as OpenCUA and Kimi-VL write it too: Python code, parsed, never executed.

Read are calls of ``pyautogui``, ``time.sleep`` and OpenCUA's ``computer`` with literal
arguments, ``with pyautogui.hold(…)`` and the words WAIT, DONE and FAIL. Anything else in the
code, be it a variable, makes it invalid as a whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Final

from screenmark.answers.actions.calls import (
    MOST_STATEMENTS,
    Call,
    Form,
    bind,
    call_of,
    digits,
    parse,
    quote,
    read_calls,
    shown,
)
from screenmark.answers.actions.dialect import Dialect, Parts, Writers, folded, plain, write_with
from screenmark.answers.actions.fences import before_fences, fenced_blocks
from screenmark.answers.actions.fields import Fields
from screenmark.answers.actions.keys import PYAUTOGUI, read_chord, read_modifiers, write_keys
from screenmark.answers.actions.mouse_forms import FORMS, click
from screenmark.answers.actions.mouse_writers import writers
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import (
    MODIFIERS,
    Action,
    Click,
    Done,
    Drag,
    Fail,
    GiveAnswer,
    HoldKey,
    KeyDown,
    KeyUp,
    Scroll,
    Wait,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid

WAIT_SECONDS: Final = 2.0
"""How long OSWorld waits for WAIT."""

_WORD = re.compile(r"^[ \t`]*(WAIT|DONE|FAIL)[ \t`.]*$", re.MULTILINE)
_HOLD: Final = "pyautogui.hold"
_MODULES: Final = frozenset({"pyautogui", "time"})


def _terminate(fields: Fields) -> list[Action]:
    done = fields.choice("status", {"success": True, "failure": False, "fail": False}, "success")
    answer = fields.text("answer", default="")
    if not done:
        return [Fail(answer)]
    return [GiveAnswer(answer) if answer else Done()]


def _sleep(fields: Fields) -> list[Action]:
    return [Wait(fields.seconds("seconds", "secs", default=WAIT_SECONDS))]


_FORMS: Final[dict[str, Form]] = {
    **{f"pyautogui.{name}": form for name, form in FORMS.items()},
    "pyautogui.sleep": Form(_sleep, ("seconds",)),
    "time.sleep": Form(_sleep, ("secs",)),
    "computer.wait": Form(_sleep, ("seconds",)),
    "computer.tripleClick": Form(click(None, 3), ("x", "y", "button")),
    "computer.triple_click": Form(click(None, 3), ("x", "y", "button")),
    "computer.terminate": Form(_terminate, ("status", "answer")),
}
_WORDS: Final[dict[str, Action]] = {"WAIT": Wait(WAIT_SECONDS), "DONE": Done(), "FAIL": Fail()}


def _read(text: str, scale: Scale) -> Parts:
    if blocks := fenced_blocks(text):
        actions = [action for block in blocks for action in _block(block, scale)]
        return before_fences(text), actions
    if words := _WORD.findall(text):
        prose = _WORD.split(text, maxsplit=1)[0]
        lines = [line for line in prose.splitlines() if "pyautogui." in line]
        return prose.strip(), [*_lines("\n".join(lines), scale), _WORDS[words[-1]]]
    try:
        parse(text.strip())
    except Invalid:  # prose is no Python
        return "", _lines(text, scale)
    return "", _block(text.strip(), scale)


def _lines(text: str, scale: Scale) -> list[Action]:
    """Calls among prose."""
    if not text:
        return []
    return [a for call in read_calls(text, _FORMS) for a in bind(call, _FORMS, scale)]


def _block(code: str, scale: Scale) -> list[Action]:
    tree = parse(code)
    if len(tree.body) > MOST_STATEMENTS:
        raise Invalid(f"{len(tree.body)} statements, at most {MOST_STATEMENTS} are read")
    actions = [action for line in tree.body for action in _statement(line, scale)]
    if not actions:
        raise Invalid(f"there is no action in {shown(code)!r}")
    return actions


def _statement(node: ast.stmt, scale: Scale) -> list[Action]:
    if isinstance(node, ast.Import) and all(name.name in _MODULES for name in node.names):
        if any(name.asname for name in node.names):
            raise Invalid("modules keep their names: import pyautogui")
        return []
    if isinstance(node, ast.With) and len(node.items) == 1:
        return _held(call_of(node.items[0].context_expr), node.body, scale)
    if not isinstance(node, ast.Expr):
        raise Invalid(f"only calls are read, not {shown(ast.unparse(node))!r}")
    if isinstance(node.value, ast.Name) and node.value.id in _WORDS:
        return [_WORDS[node.value.id]]
    return bind(call_of(node.value), _FORMS, scale)


def _held(call: Call, body: Sequence[ast.stmt], scale: Scale) -> list[Action]:
    """Actions while keys are held: modifiers of one action of the mouse, a wait, or any."""
    keys = call.positional[0] if call.positional else call.named.get("keys")
    names = [keys] if isinstance(keys, str) else keys
    if (
        call.name != _HOLD
        or not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
    ):
        raise Invalid("with is read as with pyautogui.hold(key) only")
    chord = read_chord(names)
    actions = folded([action for line in body for action in _statement(line, scale)])
    match actions:
        case [Wait(seconds=seconds)]:
            return [HoldKey(chord, seconds)]
        case [Click() | Drag() | Scroll() as action] if set(chord) <= set(MODIFIERS):
            return [_modified(action, chord)]
    down: list[Action] = [KeyDown(key) for key in chord]
    return [*down, *actions, *(KeyUp(key) for key in reversed(chord))]


def _modified(action: Click | Drag | Scroll, keys: tuple[str, ...]) -> Action:
    modifiers = read_modifiers(keys)
    match action:
        case Click():
            return Click(action.point, action.button, action.count, modifiers)
        case Drag():
            return Drag(action.path, action.button, modifiers)
    return Scroll(action.dx, action.dy, action.unit, action.point, modifiers)


def _hold(lines: list[str], keys: list[str]) -> list[str]:
    written = f"[{', '.join(map(quote, keys))}]" if len(keys) > 1 else quote(keys[0])
    return [f"with {_HOLD}({written}):", *(f"    {line}" for line in lines)]


def _word(word: str, field: str) -> Callable[[Done | Fail, Scale], list[str]]:
    def write(action: Done | Fail, scale: Scale) -> list[str]:
        plain(action, field)
        return [word]

    return write


def _write_wait(action: Wait, scale: Scale) -> list[str]:
    return [f"time.sleep({digits(action.seconds)})"]


def _write_hold(action: HoldKey, scale: Scale) -> list[str]:
    return _hold([f"time.sleep({digits(action.seconds)})"], write_keys(action.keys, PYAUTOGUI))


def _write_answer(action: GiveAnswer, scale: Scale) -> list[str]:
    """OpenCUA's, since OSWorld's own words hold no text."""
    if not action.text:
        raise CannotWrite("an answer that says nothing is DONE")
    return [f"computer.terminate(status='success', answer={quote(action.text)})"]


_WRITERS: Final[Writers[str]] = {
    **writers("pyautogui.", _hold),
    Wait: _write_wait,
    HoldKey: _write_hold,
    GiveAnswer: _write_answer,
    Done: _word("DONE", "text"),
    Fail: _word("FAIL", "reason"),
}


def _write(actions: Sequence[Action], scale: Scale) -> str:
    lines = [line for a in actions for line in write_with(_WRITERS, a, scale, "pyautogui")]
    return "\n".join(("```python", *lines, "```"))


DIALECT: Final = Dialect("pyautogui", "OSWorld's pyautogui, OpenCUA, Kimi-VL", _read, _write)
