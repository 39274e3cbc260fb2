"""What is worth a look about a run: why nearly all of its replies hold no answer, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from screenmark.types import Outcome, Table

FEW: Final = 10
"""Of fewer replies nothing is said."""

_CAUSES: Final = {
    Outcome.TRUNCATED: "most were cut off at the token limit; raise --max-tokens",
    Outcome.EMPTY: (
        "most are empty; does a postprocess function drop the text, or does all of it go into "
        "the model's thinking?"
    ),
    Outcome.REFUSED: "most decline to answer; what does the endpoint's filter object to?",
}


def nearly_all(missing: int, asked: int) -> bool:
    """Whether so many replies are without an answer that the set-up is to be looked at."""
    return asked >= FEW and missing >= asked / 2


def share_of(missing: int, asked: int) -> str:
    """How a sentence about them begins."""
    return f"{missing} of {asked} replies hold no answer that can be scored"


PARSE_FAILED = "parse function failed"
POSTPROCESS_FAILED = "postprocess failed"
"""How the reason of an answer begins whose function, the user's own, failed."""


def faulty_function(reasons: Sequence[str | None]) -> list[str]:
    """A warning for each function of the user's own that failed on replies, however few."""
    found = []
    for word, option in ((PARSE_FAILED, "--parse-function"), (POSTPROCESS_FAILED, "--postprocess")):
        said = [reason for reason in reasons if reason is not None and reason.startswith(word)]
        if said:
            first = said[0].removeprefix(word).lstrip(": ")
            found.append(
                f"{option} failed on {len(said)} replies, which therefore count as unread, for "
                f"example: {first}; `screenmark score` reads them again once it is mended"
            )
    return found


def cause_of(outcomes: Sequence[Outcome]) -> str | None:
    """What most of the replies without an answer have in common, if their outcome says it."""
    if not outcomes:
        return None
    outcome, count = Counter(outcomes).most_common(1)[0]
    return _CAUSES.get(outcome) if count > len(outcomes) / 2 else None


def warning_tables(results: dict[str, Any]) -> list[Table]:
    """The warnings of a run's audit, one a row; no table where there are none."""
    rows = tuple((text,) for text in (results["audit"] or {}).get("warnings", ()))
    return [Table(title="Worth a look", columns=("what",), rows=rows)] if rows else []
