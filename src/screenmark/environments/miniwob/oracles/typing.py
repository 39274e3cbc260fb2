"""Oracles of pages that want something typed."""

from __future__ import annotations

import re
from typing import Final

from screenmark.answers.actions.schema import Click, Drag, Key, Type
from screenmark.environments.base import Turns
from screenmark.environments.miniwob.oracles.turns import Oracle, click, enter, number_in, quoted
from screenmark.environments.page_reader import PageReader

_SUBMIT: Final = "#area #subbtn, #area button.secondary-action"


async def _text(page: PageReader, ask: str) -> Turns:
    (text,) = quoted(ask)
    if "upper case" in ask:
        text = text.upper()
    elif "lower case" in ask:
        text = text.lower()
    yield enter(text, await page.place("#tt"))
    yield click(await page.place(_SUBMIT))


async def _password(page: PageReader, ask: str) -> Turns:
    (text,) = quoted(ask)
    for field in ("#password", "#verify"):
        yield enter(text, await page.place(field))
    yield click(await page.place(_SUBMIT))


async def _login(page: PageReader, ask: str) -> Turns:
    for text, field in zip(quoted(ask), ("#username", "#password"), strict=True):
        yield enter(text, await page.place(field))
    yield click(await page.place(_SUBMIT))


async def _date(page: PageReader, ask: str) -> Turns:
    """The parts of the field take the digits one after the other, from the left."""
    month, day, year = re.findall(r"\d+", ask)
    field = await page.place("#tt", at=(0.08, 0.5))
    yield Click(field), Type(f"{int(month):02}{int(day):02}{year}")
    yield click(await page.place(_SUBMIT))


async def _time(page: PageReader, ask: str) -> Turns:
    hour, minute = re.findall(r"\d+", ask)[:2]
    half = "PM" if "PM" in ask else "AM"
    field = await page.place("#tt", at=(0.08, 0.5))
    yield Click(field), Type(f"{int(hour):02}{minute}{half}")
    yield click(await page.place(_SUBMIT))


async def _word(page: PageReader, ask: str) -> Turns:
    words = (await page.text("#area p")).split()
    word = words[number_in(ask) - 1].strip(",.")
    yield enter(word, await page.place("#answer-input"))
    yield click(await page.place(_SUBMIT))


async def _focus(page: PageReader, ask: str) -> Turns:
    yield click(await page.place(f"#tt{number_in(ask)}"))


async def _copy(page: PageReader, ask: str) -> Turns:
    found = re.search(r"the (\d)\w\w text area", ask)
    source = "#to-copy" if found is None else f"#text-{found[1]}"
    yield Click(await page.place(source)), Key(("ctrl", "a")), Key(("ctrl", "c"))
    yield Click(await page.place("#answer-input")), Key(("ctrl", "v"))
    yield click(await page.place(_SUBMIT))


async def _form(page: PageReader, ask: str) -> Turns:
    radio, number, field = re.findall(r"(-?\d+)", ask)
    yield click(await page.place("#area input[type=radio]", nth=int(radio) - 1))
    yield enter(number, await page.place(f"#input-{field}"))
    yield click(await page.place(_SUBMIT))


async def _guess(page: PageReader, ask: str) -> Turns:
    low, high = 0, 9
    while True:
        guess = (low + high) // 2
        yield enter(str(guess), await page.place("#tt"), clear=True)
        yield click(await page.place(_SUBMIT))
        if await page.has("#lower"):
            high = guess - 1
        else:
            low = guess + 1


async def _highlight(page: PageReader, ask: str) -> Turns:
    (length,) = await page.read("#randomText", "textContent")
    start = await page.place_of_text("#randomText", 0, 1, at=0.1)
    end = len(length.rstrip())
    yield (Drag((start, await page.place_of_text("#randomText", end - 1, end, at=1.0))),)
    yield click(await page.place(_SUBMIT))


async def _table(page: PageReader, ask: str) -> Turns:
    found = re.search(r"value of (.+) into", ask)
    cells = await page.texts("#tab td")
    value = cells[cells.index(found[1] if found else "") + 1]
    yield enter(value, await page.place("#tt"))
    yield click(await page.place(_SUBMIT))


async def _arithmetic(page: PageReader, ask: str) -> Turns:
    found = re.search(r"(-?\d+)\s*([-+x])\s*(-?\d+)", await page.text("#math-problem"))
    left, sign, right = found.groups() if found else ("0", "+", "0")
    ways = {"+": int(left) + int(right), "-": int(left) - int(right), "x": int(left) * int(right)}
    yield enter(str(ways[sign]), await page.place("#math-answer"))
    yield click(await page.place(_SUBMIT))


async def _algebra(page: PageReader, ask: str) -> Turns:
    problem = (await page.text("#math-problem")).replace(" ", "")
    left, right = problem.split("=")
    # Linear in x, so two values of the difference give it.
    at_zero, at_one = (_value(left, x) - _value(right, x) for x in (0, 1))
    yield enter(f"{at_zero / (at_zero - at_one):g}", await page.place("#math-answer"))
    yield click(await page.place(_SUBMIT))


def _value(side: str, x: int) -> int:
    """A sum of whole numbers and ``x``, with ``x`` put in."""
    parts = re.findall(r"[+-]?(?:\d+|x)", side)
    return sum(int(part.replace("x", str(x))) for part in parts)


async def _captcha(page: PageReader, ask: str) -> Turns:
    yield enter("".join(await page.texts("#captcha span")), await page.place("#tt"))
    yield click(await page.place(_SUBMIT))


async def _autocomplete(page: PageReader, ask: str) -> Turns:
    start, *end = quoted(ask)
    yield enter(start, await page.place("#tags"))
    while not await page.has(".ui-menu-item"):
        yield ()
    items = await page.texts(".ui-menu-item")
    item = next(text for text in items if not end or text.endswith(end[0]))
    while not await _chosen(page, item):
        yield (Key(("down",)),)
    yield (Key(("enter",)),)
    yield click(await page.place(_SUBMIT))


async def _chosen(page: PageReader, item: str) -> bool:
    return bool((await page.read("#tags", "value"))[0] == item)


async def _spinner(page: PageReader, ask: str) -> Turns:
    """What is typed counts for nothing here, only what the arrows do."""
    wanted, field = number_in(ask), await page.place("#spinner", at=(0.3, 0.5))
    arrow = Key(("up",) if wanted > 0 else ("down",))
    yield Click(field), *[arrow] * abs(wanted)
    yield click(await page.place(_SUBMIT))


async def _blocks(page: PageReader, ask: str) -> Turns:
    count = len(await page.texts(".addition-block"))
    yield enter(str(count), await page.place("#math-answer"))
    yield click(await page.place(_SUBMIT))


TYPING: Final[dict[str, Oracle]] = {
    "copy-paste": _copy,
    "copy-paste-2": _copy,
    "enter-date": _date,
    "enter-password": _password,
    "enter-text": _text,
    "enter-text-2": _text,
    "enter-time": _time,
    "find-word": _word,
    "focus-text-2": _focus,
    "form-sequence-2": _form,
    "guess-number": _guess,
    "highlight-text": _highlight,
    "login-user": _login,
    "read-table": _table,
    "simple-algebra": _algebra,
    "simple-arithmetic": _arithmetic,
    "text-transform": _captcha,
    "use-autocomplete": _autocomplete,
    "use-spinner": _spinner,
    "visual-addition": _blocks,
}
