"""What an oracle may see of a page: texts, values and places. It can change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from screenmark.answers.actions.schema import Place
from screenmark.environments.browser_environment import Breakdowns
from screenmark.errors import EnvironmentFailure
from screenmark.geometry import Size

if TYPE_CHECKING:
    from playwright.async_api import Page

_FIND: Final = """([selector, text, nth]) => {
  const clean = e => (e.value !== undefined && e.tagName !== 'LI' && e.tagName !== 'OPTION'
    && !e.textContent.trim() ? e.value : e.textContent).replace(/\\s+/g, ' ').trim();
  const shown = e => e.getClientRects().length > 0;
  return [...document.querySelectorAll(selector)]
    .filter(e => shown(e) && (text === null || clean(e) === text))[nth] ?? null;
}"""

_BOX: Final = f"""(wanted) => {{
  const e = ({_FIND})(wanted);
  if (e === null) return null;
  const r = e.getBoundingClientRect();
  return [r.left, r.top, r.right, r.bottom];
}}"""
_TEXTS: Final = """(selector) => [...document.querySelectorAll(selector)].map(
  e => e.textContent.replace(/\\s+/g, ' ').trim())"""
_READ: Final = """([selector, name]) => [...document.querySelectorAll(selector)].map(
  e => { const v = name in e ? e[name] : e.getAttribute(name);
         return ['string', 'number', 'boolean'].includes(typeof v) ? v : null; })"""
_STYLE: Final = """([selector, name]) => [...document.querySelectorAll(selector)].map(
  e => getComputedStyle(e).getPropertyValue(name))"""
_WORD: Final = """([selector, start, end]) => {
  const holder = document.querySelector(selector);
  const walker = document.createTreeWalker(holder, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let seen = 0, began = false;
  for (let node; (node = walker.nextNode());) {
    const next = seen + node.data.length;
    if (!began && start < next) { range.setStart(node, start - seen); began = true; }
    if (began && end <= next) { range.setEnd(node, end - seen); break; }
    seen = next;
  }
  const r = range.getBoundingClientRect();
  return [r.left, r.top, r.right, r.bottom];
}"""


class PageReader:
    """Reads a page for an oracle.

    Args:
        page: the page in front, asked for each time.
        size: of the page in CSS pixels; places are fractions of it.
    """

    def __init__(self, page: Callable[[], Page], size: Size) -> None:
        self._page = page
        self._size = size

    async def place(
        self,
        selector: str,
        text: str | None = None,
        *,
        nth: int = 0,
        at: tuple[float, float] = (0.5, 0.5),
    ) -> Place:
        """The middle of the shown element that the selector and its whole text name.

        Args:
            nth: which of several, the first being 0.
            at: another point of its box, as fractions of it.

        Raises:
            EnvironmentFailure: there is no such element: the oracle does not fit the page.
        """
        box = await self._ask(_BOX, [selector, text, nth])
        if box is None:
            named = f" {text!r}" if text is not None else ""
            raise EnvironmentFailure(f"the oracle finds no {selector}{named}")
        return self._fraction(box, at)

    async def has(self, selector: str, text: str | None = None) -> bool:
        """Whether such an element is shown."""
        return await self._ask(_BOX, [selector, text, 0]) is not None

    async def box(self, selector: str, nth: int = 0) -> tuple[float, float, float, float]:
        """CSS pixels [x1, y1, x2, y2] of a shown element.

        Raises:
            EnvironmentFailure: there is no such element.
        """
        box = await self._ask(_BOX, [selector, None, nth])
        if box is None:
            raise EnvironmentFailure(f"the oracle finds no {selector}")
        x1, y1, x2, y2 = box
        return x1, y1, x2, y2

    async def place_of_text(self, selector: str, start: int, end: int, at: float = 0.5) -> Place:
        """A place in the characters ``start`` to ``end`` of an element's text content."""
        box = await self._ask(_WORD, [selector, start, end])
        return self._fraction(box, (at, 0.5))

    def at(self, x: float, y: float) -> Place:
        """A place from CSS pixels."""
        return x / self._size.width, y / self._size.height

    async def texts(self, selector: str) -> list[str]:
        """Text of every element that fits, shown or not, white space folded."""
        found: list[str] = await self._ask(_TEXTS, selector)
        return found

    async def text(self, selector: str) -> str:
        """Text of the first one, empty if there is none."""
        return next(iter(await self.texts(selector)), "")

    async def read(self, selector: str, name: str) -> list[Any]:
        """A plain property or an attribute of every element that fits."""
        found: list[Any] = await self._ask(_READ, [selector, name])
        return found

    async def style(self, selector: str, name: str) -> list[str]:
        """A computed style of every element that fits."""
        found: list[str] = await self._ask(_STYLE, [selector, name])
        return found

    async def _ask(self, script: str, given: Any) -> Any:
        with Breakdowns():
            return await self._page().evaluate(script, given)

    def _fraction(self, box: list[float], at: tuple[float, float]) -> Place:
        x1, y1, x2, y2 = box
        return self.at(x1 + at[0] * (x2 - x1), y1 + at[1] * (y2 - y1))
