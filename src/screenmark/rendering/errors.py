"""What can go wrong with a browser; the page's own faults stand in its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screenmark.errors import ScreenmarkError

if TYPE_CHECKING:
    from screenmark.rendering.record import PageRecord


class RenderingError(ScreenmarkError):
    """There is no browser, or it cannot be started: nothing about the page is known."""


class PageLostError(RenderingError):
    """The page is gone: it hung, crashed, or went over a limit; its record says which.

    It is the page's own doing and says nothing against the machine, unless the browser died by
    itself (``record.lost`` is ``browser``); the next page gets a fresh one.

    Args:
        message: for people.
        record: the page's, as `LivePage.record`; there too where it was lost on opening.
    """

    def __init__(self, message: str, record: PageRecord | None = None) -> None:
        super().__init__(message)
        self.record = record
