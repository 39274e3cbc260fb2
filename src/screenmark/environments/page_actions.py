"""The house's actions on a page of a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from screenmark.answers.actions.keys import DOM, write_keys
from screenmark.answers.actions.schema import (
    Action,
    Click,
    Drag,
    HoldKey,
    Key,
    KeyDown,
    KeyUp,
    LongPress,
    MouseDown,
    MouseUp,
    Move,
    Place,
    Scroll,
    SelectOption,
    Swipe,
    Type,
    Wait,
)
from screenmark.environments.base import LONGEST_WAIT, ImpossibleAction
from screenmark.geometry import Size

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Page

NOTCH: Final = 100.0
"""CSS pixels that one notch of the wheel scrolls."""

_TYPED: Final = 300
"""Longer text is put in at once instead of key by key."""
_DRAG_MOVES: Final = 12
"""Of the pointer, to each place of a drag; fewer where the way is long."""
_MOST_MOVES: Final = 120

# One browser has one clipboard for all its contexts, and episodes run side by side.
_SELECTED = """() => {
  const field = document.activeElement;
  if (field && typeof field.selectionStart === 'number')
    return field.value.slice(field.selectionStart, field.selectionEnd);
  return String(getSelection());
}"""
_COPIES: Final = ({"ctrl", "c"}, {"ctrl", "x"}, {"ctrl", "insert"})
_PASTES: Final = ({"ctrl", "v"}, {"ctrl", "shift", "v"}, {"shift", "insert"})

_SELECT = "([x, y]) => document.elementFromPoint(x, y)?.closest('select') ?? null"
_OPTIONS = "list => [...list.options].map(option => option.label.trim())"
_CHOOSE = """(list, value) => {
  const same = option => option.label.trim() === value || option.value === value;
  const index = [...list.options].findIndex(same);
  if (index < 0 || list.options[index].disabled) return false;
  list.focus();
  list.selectedIndex = index;
  list.dispatchEvent(new Event('input', {bubbles: true}));
  list.dispatchEvent(new Event('change', {bubbles: true}));
  return true;
}"""


class Hand:
    """Pointer and keyboard on one page; where the pointer is outlives the page.

    Args:
        size: of the page in CSS pixels.
    """

    def __init__(self, size: Size) -> None:
        self._size = size
        self.at: Place = (0.5, 0.5)
        self._clipboard = ""
        self._down: set[str] = set()

    async def perform(self, page: Page, action: Action) -> None:
        """Do one action of pointer or keyboard, or wait.

        Raises:
            ImpossibleAction: a page knows no such action.
            playwright.async_api.Error: the page is gone.
        """
        do = _DOERS.get(type(action))
        if do is None:
            name = type(action).__struct_config__.tag
            raise ImpossibleAction(f"a browser's page has no {name!r}")
        await do(self, page, action)

    def pixel(self, place: Place | None) -> tuple[float, float]:
        """CSS pixels of a place, the pointer's if there is none; the pointer is there then."""
        if place is not None:
            self.at = place
        width, height = self._size.width, self._size.height
        return min(self.at[0] * width, width - 1), min(self.at[1] * height, height - 1)

    async def click(self, page: Page, action: Click) -> None:
        if action.button == "back":
            await page.go_back()
        elif action.button == "forward":
            await page.go_forward()
        else:
            async with self._held(page, action.modifiers):
                await page.mouse.click(
                    *self.pixel(action.point), button=action.button, click_count=action.count
                )

    async def move(self, page: Page, action: Move) -> None:
        await page.mouse.move(*self.pixel(action.point))

    async def mouse_down(self, page: Page, action: MouseDown) -> None:
        await page.mouse.move(*self.pixel(action.point))
        await page.mouse.down(button=_button(action.button))

    async def mouse_up(self, page: Page, action: MouseUp) -> None:
        await page.mouse.move(*self.pixel(action.point))
        await page.mouse.up(button=_button(action.button))

    async def drag(self, page: Page, action: Drag) -> None:
        first, *rest = action.path if len(action.path) > 1 else (None, *action.path)
        moves = max(1, min(_DRAG_MOVES, _MOST_MOVES // max(1, len(rest))))
        async with self._held(page, action.modifiers):
            await page.mouse.move(*self.pixel(first))
            await page.mouse.down(button=_button(action.button))
            for place in rest:
                await page.mouse.move(*self.pixel(place), steps=moves)
            await page.mouse.up(button=_button(action.button))

    async def scroll(self, page: Page, action: Scroll) -> None:
        across = NOTCH if action.unit == "notch" else self._size.width
        down = NOTCH if action.unit == "notch" else self._size.height
        async with self._held(page, action.modifiers):
            await page.mouse.move(*self.pixel(action.point))
            await page.mouse.wheel(action.dx * across, action.dy * down)

    async def swipe(self, page: Page, action: Swipe) -> None:
        """The content follows the finger, so the wheel turns the other way."""
        x1, y1 = self.pixel(action.start)
        await page.mouse.move(x1, y1)
        x2, y2 = self.pixel(action.end)
        await page.mouse.wheel(x1 - x2, y1 - y2)

    async def long_press(self, page: Page, action: LongPress) -> None:
        await page.mouse.move(*self.pixel(action.point))
        await page.mouse.down()
        await asyncio.sleep(_cut(action.seconds))
        await page.mouse.up()

    async def type(self, page: Page, action: Type) -> None:
        if action.point is not None:
            await page.mouse.click(*self.pixel(action.point))
        if action.clear:
            await page.keyboard.press("Control+A")
            await page.keyboard.press("Delete")
        if len(action.text) > _TYPED:
            await page.keyboard.insert_text(action.text)
        else:
            await page.keyboard.type(action.text)
        if action.submit:
            await page.keyboard.press("Enter")

    async def key(self, page: Page, action: Key) -> None:
        """A key or a chord; copying and pasting goes by the episode's own clipboard."""
        if not await self._pasted(page, action.keys):
            async with self._held(page, action.keys):
                pass

    async def hold_key(self, page: Page, action: HoldKey) -> None:
        if not await self._pasted(page, action.keys):
            async with self._held(page, action.keys):
                await asyncio.sleep(_cut(action.seconds))

    async def key_down(self, page: Page, action: KeyDown) -> None:
        if await self._pasted(page, (action.key,)):
            return
        async with _known_keys():
            await page.keyboard.down(*write_keys([action.key], DOM))
        self._down.add(action.key)

    async def key_up(self, page: Page, action: KeyUp) -> None:
        self._down.discard(action.key)
        async with _known_keys():
            await page.keyboard.up(*write_keys([action.key], DOM))

    async def _pasted(self, page: Page, keys: tuple[str, ...]) -> bool:
        """Paste, if these keys with those that are down do; copy first, if they copy."""
        chord = self._down | set(keys)
        if chord in _COPIES:
            self._clipboard = await page.evaluate(_SELECTED) or self._clipboard
        if chord not in _PASTES:
            return False
        await page.keyboard.insert_text(self._clipboard)
        return True

    async def wait(self, page: Page, action: Wait) -> None:
        await asyncio.sleep(_cut(action.seconds))

    async def select_option(self, page: Page, action: SelectOption) -> None:
        handle = await page.evaluate_handle(_SELECT, list(self.pixel(action.point)))
        found = handle.as_element()
        if found is None:
            raise ImpossibleAction("there is no list of options at that place")
        if not await found.evaluate(_CHOOSE, action.value.strip()):
            options = await found.evaluate(_OPTIONS)
            raise ImpossibleAction(
                f"the list has no option {action.value[:60]!r}, only "
                + ", ".join(repr(option) for option in options[:40])
            )

    @asynccontextmanager
    async def _held(self, page: Page, keys: tuple[str, ...]) -> AsyncIterator[None]:
        names = write_keys(keys, DOM)
        down: list[str] = []
        async with _known_keys():
            try:
                for name in names:
                    await page.keyboard.down(name)
                    down.append(name)
                yield
            finally:
                for name in reversed(down):
                    await page.keyboard.up(name)


@asynccontextmanager
async def _known_keys() -> AsyncIterator[None]:
    """A key that browsers do not know is the agent's mistake."""
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        if "Unknown key" not in str(error):
            raise
        raise ImpossibleAction("a browser knows no such key") from None


def _button(name: str) -> Any:
    if name in {"left", "right", "middle"}:
        return name
    raise ImpossibleAction(f"the button {name!r} cannot be held down")


def _cut(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_WAIT)


_DOERS: Final[dict[type[Any], Callable[[Hand, Any, Any], Awaitable[None]]]] = {
    Click: Hand.click,
    Move: Hand.move,
    MouseDown: Hand.mouse_down,
    MouseUp: Hand.mouse_up,
    Drag: Hand.drag,
    Scroll: Hand.scroll,
    Swipe: Hand.swipe,
    LongPress: Hand.long_press,
    Type: Hand.type,
    Key: Hand.key,
    HoldKey: Hand.hold_key,
    KeyDown: Hand.key_down,
    KeyUp: Hand.key_up,
    Wait: Hand.wait,
    SelectOption: Hand.select_option,
}
