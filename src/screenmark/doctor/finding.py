"""One thing that was looked at."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Status: TypeAlias = Literal["ok", "note", "warning", "failed"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found.

    Attributes:
        check: what was looked at, in a word or two.
        status: ``failed`` if a run cannot work or would measure something else; ``warning`` if
            it may; ``note`` for what is merely worth knowing.
        detail: what was found.
        remedy: the command or setting that mends it; "" where nothing is to be mended.

    Raises:
        ValueError: something failed and nothing is said that mends it.
    """

    check: str
    status: Status
    detail: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if self.status == "failed" and not self.remedy:
            raise ValueError(f"{self.check} failed, and nothing is said that mends it")
