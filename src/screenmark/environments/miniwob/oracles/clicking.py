"""Oracles of pages that are clicked, dragged and opened."""

from __future__ import annotations

import re
from typing import Final

from screenmark.answers.actions.schema import Drag, SelectOption
from screenmark.environments.base import Turns
from screenmark.environments.miniwob.oracles.turns import Oracle, click, number_in, quoted
from screenmark.environments.page_reader import PageReader

_SUBMIT: Final = "#area button.secondary-action, #area #submit, #area #subbtn"


async def _only_button(page: PageReader, ask: str) -> Turns:
    yield click(await page.place("#area button"))


async def _named_button(page: PageReader, ask: str) -> Turns:
    wanted = quoted(ask)
    yield click(await page.place("#area button", wanted[0] if wanted else "ONE"))


async def _one_two(page: PageReader, ask: str) -> Turns:
    for name in ("ONE", "TWO"):
        yield click(await page.place("#area button", name))


async def _boxes(page: PageReader, ask: str) -> Turns:
    wanted = re.sub(r"^Select | and click Submit\.$", "", ask).split(", ")
    for text in wanted:
        if text != "nothing":
            yield click(await page.place("#boxes label", text, at=(0.05, 0.5)))
    yield click(await page.place(_SUBMIT))


async def _collapsible(page: PageReader, ask: str) -> Turns:
    yield click(await page.place("#area h3"))
    yield click(await page.place(_SUBMIT))


async def _collapsible_link(page: PageReader, ask: str) -> Turns:
    (link,) = quoted(ask)
    for nth in range(len(await page.texts("#area h3"))):
        if not await page.has("#area .alink", link):
            yield click(await page.place("#area h3", nth=nth))
    yield click(await page.place("#area .alink", link))


async def _colour(page: PageReader, ask: str) -> Turns:
    named = re.search(r"the (\w+) colored", ask)
    names = await page.read("#area .color", "data-color")
    if named is not None:
        nth = names.index(named[1])
    else:
        (shown,) = await page.style("#query-color", "background-color")
        nth = (await page.style("#area .color", "background-color")).index(shown)
    yield click(await page.place("#area .color", nth=nth))


async def _close_dialog(page: PageReader, ask: str) -> Turns:
    yield click(await page.place(".ui-dialog-titlebar-close"))


async def _dialog_button(page: PageReader, ask: str) -> Turns:
    (name,) = quoted(ask)
    if name == "x":
        yield click(await page.place(".ui-dialog-titlebar-close"))
    else:
        yield click(await page.place(".ui-dialog-buttonset button", name))


async def _link(page: PageReader, ask: str) -> Turns:
    (name,) = quoted(ask)
    yield click(await page.place("#area .alink", name))


async def _shades(page: PageReader, ask: str) -> Turns:
    wanted = ask.split("shades of ")[1].split()[0]
    for nth, colour in enumerate(await page.read("#area span[data-color]", "data-color")):
        if colour == wanted:
            yield click(await page.place("#area span[data-color]", nth=nth))
    yield click(await page.place(_SUBMIT))


async def _tab(page: PageReader, ask: str) -> Turns:
    yield click(await page.place("#area li a", f"Tab #{number_in(ask)}"))


async def _tab_link(page: PageReader, ask: str) -> Turns:
    (link,) = quoted(ask)
    for nth in range(len(await page.texts("#area li a"))):
        if not await page.has("#area .alink", link):
            yield click(await page.place("#area li a", nth=nth))
    yield click(await page.place("#area .alink", link))


async def _widget(page: PageReader, ask: str) -> Turns:
    (kind,) = quoted(ask)
    yield click(await page.place(f'#area [data-type="{kind}"]'))


async def _list(page: PageReader, ask: str) -> Turns:
    wanted = re.sub(r"^Select | from the list and click Submit\.$", "", ask)
    yield (SelectOption(await page.place("#options"), wanted),)
    yield click(await page.place(_SUBMIT))


def _mail(part: str) -> Oracle:
    async def solve(page: PageReader, ask: str) -> Turns:
        found = re.search(r"email by (\w+)", ask)
        senders = await page.texts(".email-thread .email-sender")
        nth = senders.index(found[1] if found else "")
        yield click(await page.place(f".email-thread .{part}", nth=nth))

    return solve


async def _grid(page: PageReader, ask: str) -> Turns:
    found = re.search(r"\((-?\d+),(-?\d+)\)", ask)
    yield click(await page.place(f'[id="{found[0] if found else ""}"]'))


async def _tree(page: PageReader, ask: str) -> Turns:
    (name,) = quoted(ask)
    opened: set[str] = set()
    while not await page.has("#tree span", name):
        for folder in await page.texts("#tree span.folder"):
            if folder not in opened and await page.has("#tree span.folder", folder):
                break
        opened.add(folder)
        yield click(await page.place("#tree span.folder", folder, at=(0.3, 0.5)))
    yield click(await page.place("#tree span", name, at=(0.3, 0.5)))


async def _odd_even(page: PageReader, ask: str) -> Turns:
    for nth, shown in enumerate(await page.texts(".display-number")):
        kind = "odd" if int(shown) % 2 else "even"
        yield click(await page.place(f"#numbers .{kind}", nth=nth))
    yield click(await page.place("#submit"))


async def _drag_box(page: PageReader, ask: str) -> Turns:
    small, large = await page.place("#draggableSmall"), await page.place("#draggableLarge")
    yield (Drag((small, large)),)
    yield click(await page.place(_SUBMIT))


async def _ticket(page: PageReader, ask: str) -> Turns:
    if "duration" in ask:
        values = await page.read(".time-duration", "data-duration")
    else:
        values = await page.read(".buy-ticket", "data-price")
    numbers = [int(value) for value in values]
    wanted = max(numbers) if "longest" in ask or "most expensive" in ask else min(numbers)
    yield click(await page.place(".buy-ticket", nth=numbers.index(wanted)))


CLICKING: Final[dict[str, Oracle]] = {
    "buy-ticket": _ticket,
    "choose-list": _list,
    "click-button": _named_button,
    "click-button-sequence": _one_two,
    "click-checkboxes": _boxes,
    "click-collapsible": _collapsible,
    "click-collapsible-2": _collapsible_link,
    "click-color": _colour,
    "click-dialog": _close_dialog,
    "click-dialog-2": _dialog_button,
    "click-link": _link,
    "click-option": _boxes,
    "click-shades": _shades,
    "click-tab": _tab,
    "click-tab-2": _tab_link,
    "click-test": _only_button,
    "click-test-2": _named_button,
    "click-widget": _widget,
    "drag-box": _drag_box,
    "email-inbox-delete": _mail("trash"),
    "email-inbox-important": _mail("star"),
    "grid-coordinate": _grid,
    "navigate-tree": _tree,
    "odd-or-even": _odd_even,
    "unicode-test": _named_button,
}
