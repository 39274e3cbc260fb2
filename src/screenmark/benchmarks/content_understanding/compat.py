"""How the public implementation of MMBench-GUI reads a choice, its quirks included.

Six patterns in order, the first that occurs anywhere wins; letters A to F in any case. Among
the quirks: prose that begins with one of these letters is that answer, so "Because …" is B and
the text of a failed call is F; options that the model repeats win over its conclusion.
"""

from __future__ import annotations

import re
from typing import Final

_FLAGS: Final = re.IGNORECASE | re.MULTILINE
# Written so that each takes time linear in the text, which the public ones do not.
_PATTERNS: Final = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        r"\b([A-F])[.:](?!\w)",
        r"option\s+([A-F])\b",
        r"answer\s*(?:[:：]\s*)?([A-F])\b",
        r"^[^\S\n]*\(?([A-F])",
        r"[\"']([A-F])[\"']",
        r"\b([A-F])\b(?!\s+\w)",
    )
)


def compat_choice(text: str) -> str | None:
    """The letter that the public implementation reads, or None."""
    for pattern in _PATTERNS:
        found = pattern.search(text)
        if found is not None:
            return found[1].upper()
    return None
