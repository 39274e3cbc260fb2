"""What can go wrong with a browser; the page's own faults stand in its record."""

from __future__ import annotations

from screenmark.errors import ScreenmarkError


class RenderingError(ScreenmarkError):
    """There is no browser, or it cannot be started: nothing about the page is known."""


class PageLostError(RenderingError):
    """The page is gone: it hung, crashed, or went over a limit; ``LivePage.record`` says which.

    It is the page's own doing and says nothing against the machine; the next page gets a
    fresh browser.
    """
