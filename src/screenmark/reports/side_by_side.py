"""Two scorings of the same replies as tables."""

from __future__ import annotations

from typing import Any, Final

from screenmark.engine.side_by_side import SCORINGS
from screenmark.types import Json, Table

_SHOWN: Final = 100
_EXCERPT: Final = 60


def side_by_side_tables(both: dict[str, Any]) -> list[Table]:
    """Both headlines, then the replies that count otherwise under the other scoring."""
    return [_heads(both), *_differences(both)]


def _heads(both: dict[str, Any]) -> Table:
    rows = []
    absent = "absent" in both["strict"]
    for scoring in SCORINGS:
        part = both[scoring]
        head, outcomes = part["headline"], part["outcomes"]
        told = ", ".join(f"{count} {name}" for name, count in outcomes.items())
        more = (part["absent"]["rejection_rate"], part["accuracy_all"]) if absent else ()
        rows.append((scoring, head["value"], head["low"], head["high"], *more, told))
    metric = both["strict"]["headline"]["metric"]
    return Table(
        title=f"{both['benchmark']} · {both['model']} · {both['num_samples']} replies read twice",
        columns=(
            *("scoring", f"{metric} %", "low %", "high %"),
            *(("absent declined %", "right in all %") if absent else ()),
            "outcomes",
        ),
        rows=tuple(rows),
        note=(
            f"{both['num_read_differently']} replies are read differently, "
            f"{both['num_scored_differently']} of them are scored differently. Read differently: "
            "to another outcome, value or reason; a point that is read elsewhere may still hit, "
            "or miss, the same target."
        )
        + (" Compat scoring knows no way to decline an absent target." if absent else ""),
    )


def _differences(both: dict[str, Any]) -> list[Table]:
    found = [row for row in both["differences"] if row["strict"]["score"] != row["compat"]["score"]]
    if not found:
        return []
    rows = tuple(
        (
            row["id"],
            _short(row["reply"]),
            *(cell for name in SCORINGS for cell in (_words(row[name]), _score(row[name]))),
        )
        for row in found[:_SHOWN]
    )
    left = len(found) - len(rows)
    return [
        Table(
            title=f"Scored differently, by {both['metric']}",
            columns=("sample", "reply", "strict reads", "score", "compat reads", "score"),
            rows=rows,
            note=f"{left} more; --format json and --output have all." if left else None,
        )
    ]


def _short(text: str | None) -> str | None:
    """One line of a reply: its end, where answers are, if it is long."""
    if text is None:
        return None
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else "…" + line[-_EXCERPT:]


def _words(way: dict[str, Any]) -> str:
    if way["value"] is None:
        return f"{way['outcome']}"
    return _value(way["value"])


def _value(value: Json) -> str:
    if isinstance(value, list) and all(isinstance(number, int | float) for number in value):
        return ", ".join(f"{number:.3f}" for number in value)
    if isinstance(value, list):
        return f"{len(value)} of them"
    return str(value)


def _score(way: dict[str, Any]) -> str:
    score = way["score"]
    return "–" if score is None else f"{score:g}"
