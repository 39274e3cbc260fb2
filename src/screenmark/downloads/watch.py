"""Who looks on while data are fetched."""

from __future__ import annotations

from typing import Protocol


class Watch(Protocol):
    """Is told what goes on."""

    def phase(self, title: str, total: int | None) -> None:
        """A stretch of work begins; ``total`` in bytes, None if nobody knows."""

    def expect(self, count: int) -> None:
        """The total is larger by so many bytes: the size of one more file is known now."""

    def advance(self, count: int) -> None:
        """So many bytes more; less than zero if some turned out to be useless."""

    def say(self, line: str) -> None:
        """Something worth a line of its own."""


class Unwatched:
    """Nobody."""

    def phase(self, title: str, total: int | None) -> None:
        pass

    def expect(self, count: int) -> None:
        pass

    def advance(self, count: int) -> None:
        pass

    def say(self, line: str) -> None:
        pass
