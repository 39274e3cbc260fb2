"""Actions written as calls, ``click(x=1, y=2)``: parsed by `ast`, never executed.

Only statements that are a call of a name with literal arguments are read. The text is cut into
pieces of bounded length and depth first, so that the parser's cost stays linear in the text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Mapping
from typing import Final

import msgspec

from screenmark.answers.actions.fields import Fields
from screenmark.answers.actions.scale import Scale
from screenmark.answers.actions.schema import Action
from screenmark.answers.actions.trouble import Invalid
from screenmark.types import Json

LONGEST_STATEMENT: Final = 20_000
DEEPEST: Final = 24
MOST_STATEMENTS: Final = 64

_BRACKET = re.compile(r"[\[({\])}]")
_START = re.compile(
    r"^[ \t`*>-]{0,20}(?:[A-Za-z][\w ]{0,30}[:：][ \t`*]{0,20})?([A-Za-z_][\w.]{0,60})[ \t]?\(",
    re.MULTILINE,
)
# A call of one string, for strings that are not quoted as Python wants it.
_ONE_STRING = re.compile(r"\s*([\w.]{1,60})\(\s*(\w{1,30})\s*=\s*(['\"])(.*)\3\s*,?\s*\)", re.S)
# The end of such a call with another after it on the same line: never a part of the string.
_BOUNDARY = re.compile(r"['\"]\s*\)[\s;,.]*([\w.]{1,60})\(")
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_KNOWN_ESCAPES: Final = frozenset("\n\r\\'\"abfnrtvxNuU01234567")
_FAILURES: Final = (SyntaxError, ValueError, RecursionError, MemoryError)


class Call(msgspec.Struct, frozen=True):
    """A call with literal arguments; an argument may be a list of further calls.

    Attributes:
        name: with dots, ``pyautogui.click``.
    """

    name: str
    positional: tuple[Json, ...] = ()
    named: dict[str, Json] = {}


class Form(msgspec.Struct, frozen=True):
    """How a call is read.

    Attributes:
        read: its arguments by name to actions.
        names: of the positional arguments, in order; a last one ``*keys`` takes the rest.
        ignored: further named arguments that are let through.
    """

    read: Callable[[Fields], list[Action]]
    names: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()


def bind(call: Call, forms: Mapping[str, Form], scale: Scale) -> list[Action]:
    """The actions of a call.

    Raises:
        Invalid: there is no such call, or its arguments do not fit.
    """
    form = forms.get(call.name)
    if form is None:
        raise Invalid(f"there is no action {call.name}()")
    values = dict(call.named)
    names = list(form.names)
    positional = list(call.positional)
    if names and names[-1].startswith("*"):
        rest = names.pop()[1:]
        if positional[len(names) :]:
            several = positional[len(names) :]
            values[rest] = several[0] if isinstance(several[0], (list, tuple)) else several
        positional = positional[: len(names)]
        names_known = {*names, rest}
    else:
        names_known = set(names)
    if len(positional) > len(names):
        raise Invalid(f"{call.name}() takes {len(names)} arguments: {', '.join(names)}")
    for name in call.named:
        if name not in names_known and name not in form.ignored:
            raise Invalid(f"{call.name}() has no argument {name!r}")
    for name, value in zip(names, positional, strict=False):
        if name in call.named:
            raise Invalid(f"{call.name}() gets {name!r} twice")
        values[name] = value
    return form.read(Fields(call.name, values, scale))


def read_calls(text: str, known: Container[str]) -> list[Call]:
    """Every call of a text whose name is ``known`` and stands at the beginning of a line.

    A label (``Action:``), a bullet or a back tick may stand before it. What follows up to the
    next one belongs to it, be it the rest of a string of several lines or a remark.

    Raises:
        Invalid: there is none, more than 64, or one cannot be read.
    """
    starts = [found for found in _START.finditer(text) if found[1] in known]
    if not starts:
        other = _START.search(text)
        raise Invalid(f"there is no action {other[1]}()" if other else "there is no action in it")
    if len(starts) > MOST_STATEMENTS:
        raise Invalid(f"{len(starts)} actions in one reply, at most {MOST_STATEMENTS} are read")
    ends = [*(found.start(1) for found in starts[1:]), len(text)]
    calls: list[Call] = []
    held = ""  # a piece that is no whole call yet: the next begins within its string
    for found, end in zip(starts, ends, strict=True):
        held += text[found.start(1) : end]
        if (read := _try_to_read(held, known)) is not None:
            calls += read
            held = ""
    if held:
        raise Invalid(f"{shown(held)} cannot be read as a call")
    return calls


def _try_to_read(text: str, known: Container[str]) -> list[Call] | None:
    """The calls of a piece with or without a remark after them; None if it is no whole call."""
    for part in (text, text[: text.rfind(")") + 1], text.partition("\n")[0]):
        try:
            tree = parse(part.strip())
        except Invalid:
            continue
        if tree.body and all(isinstance(line, ast.Expr) for line in tree.body):
            return [call_of(line.value) for line in tree.body if isinstance(line, ast.Expr)]
    text = text[:LONGEST_STATEMENT]
    if any(found[1] in known for found in _BOUNDARY.finditer(text)):
        return None
    if found := _ONE_STRING.match(text):
        inside = _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), found[4])
        return [Call(found[1], (), {found[2]: inside})]
    return None


def parse(text: str) -> ast.Module:
    """Python's syntax tree of a short text.

    Raises:
        Invalid: it is no Python, or too long or too deep to be an action.
    """
    if len(text) > LONGEST_STATEMENT or _depth(text) > DEEPEST:
        raise Invalid(f"{shown(text)} is too long or too deep for an action")
    try:
        return ast.parse(_ESCAPE.sub(_keep_unknown, text))
    except _FAILURES:
        raise Invalid(f"{shown(text)} cannot be read as a call") from None


def _keep_unknown(found: re.Match[str]) -> str:
    """Python keeps the backslash of an escape that it does not know, but warns about it."""
    return found[0] if found[1] in _KNOWN_ESCAPES else f"\\{found[0]}"


def _depth(text: str) -> int:
    depth = deepest = 0
    for char in _BRACKET.findall(text):
        depth += 1 if char in "[({" else -1
        deepest = max(deepest, depth)
    return deepest


def call_of(node: ast.expr) -> Call:
    """A call in a syntax tree.

    Raises:
        Invalid: it is none, or an argument is no literal.
    """
    if not isinstance(node, ast.Call):
        raise Invalid(f"{_source(node)} is no call of an action")
    named: dict[str, Json] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise Invalid("** is not allowed in an action")
        if keyword.arg in named:
            raise Invalid(f"{_source(node.func)}() gets {keyword.arg!r} twice")
        named[keyword.arg] = _value(keyword.value)
    return Call(_name(node.func), tuple(_value(item) for item in node.args), named)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    raise Invalid(f"{_source(node)} is no name of an action")


def _value(node: ast.expr) -> Json:
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, type(None))):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        keys = [str(key.value) for key in node.keys if isinstance(key, ast.Constant)]
        return dict(zip(keys, map(_value, node.values), strict=True))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Call):
        return call_of(node)
    raise Invalid(f"{_source(node)} is no number, string or list: only literals are read")


def literal(text: str) -> Json:
    """One literal of Python: a dictionary, a list, a string or a number.

    Raises:
        Invalid: it is none.
    """
    tree = parse(text.strip())
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        raise Invalid(f"{shown(text)} is no literal")
    return _value(tree.body[0].value)


def quote(text: str) -> str:
    """A string as Python writes it, always in single quotes, everything printable as it is."""
    inside = repr(text + '"')[1:-2]
    return f"'{inside}'"


def digits(number: float) -> str:
    """A number as a literal, whole ones without a point."""
    return str(int(number)) if number == int(number) else repr(number)


def _source(node: ast.AST) -> str:
    try:
        return shown(ast.unparse(node))
    except (*_FAILURES, AttributeError):
        return "this"


def shown(text: str) -> str:
    """The beginning of a text, for a message."""
    text = " ".join(text[:200].split())
    return text if len(text) <= 60 else f"{text[:60]}…"
