"""What the demo measured, as one table: for its end and for the READMEs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from screenmark.types import Table

FOLDER = Path(__file__).parent.parent / "build" / "demo"
COLUMNS = ("benchmark", "measured", "samples", "score %", "95 %", "blind %")

Results: TypeAlias = dict[str, Any]
Row: TypeAlias = tuple[str | int | float | None, ...]


def demo_table() -> Table:
    """The results that lie in `FOLDER`; a benchmark that was not run has no row."""
    rows: list[Row] = []
    for name, make in _MAKERS.items():
        path = FOLDER / f"{name}.json"
        if path.is_file():
            results = json.loads(path.read_text(encoding="utf-8"))
            rows += [(name, *row) for row in make(results)]
    return Table(title="What the demo measures", columns=COLUMNS, rows=tuple(rows))


def _parsing(results: Results) -> Iterator[Row]:
    yield _row("F1 of elements listed", results["headline"], results, _blind(results, "overall_f1"))


def _choices(results: Results) -> Iterator[Row]:
    for name, part in results["by_difficulty"].items():
        yield _row(f"right, {name}", part, part)
    yield _row("right, all", results["headline"], results, _blind(results))


def _clicks(results: Results) -> Iterator[Row]:
    for name in ("basic", "advanced"):
        yield _row(f"hit, {name}", results[name], results[name])
    yield _row("hit, all", results["headline"], results["present"], _blind(results))
    yield _row("declined, not there", results["absent"], results["absent"])


def _components(results: Results) -> Iterator[Row]:
    yield _row("component found", results["headline"], results, _blind(results))


def _classes(results: Results) -> Iterator[Row]:
    yield _row("in sync or not", results["headline"], results, _blind(results))


def _maps(results: Results) -> Iterator[Row]:
    for name, part in results["by_model"].items():
        passed, failed = (part["checks"].get(status, 0) for status in ("passed", "failed"))
        share = passed / (passed + failed) if passed + failed else None
        yield f"checks passed, {name.removeprefix('model_')}", part["num_outputs"], share, "–", None


def _episodes(results: Results) -> Iterator[Row]:
    yield _row("tasks done", results["headline"], results)


_MAKERS = {
    "gui-hallubench": _parsing,
    "mmbench-gui-l1": _choices,
    "mmbench-gui-l2": _clicks,
    "uibert-refexp": _components,
    "uibert-sync": _classes,
    "gis-bench": _maps,
    "mmbench-gui-l3": _episodes,
}


def _row(what: str, score: Results, counted: Results, blind: float | None = None) -> Row:
    keys = ("value", "score", "accuracy", "rejection_rate")
    value = next(score[key] for key in keys if key in score)
    low, high = (f"{100 * score[key]:.0f}" for key in ("low", "high"))
    return what, counted["num_samples"], value, f"{low}–{high}", blind


def _blind(results: Results, key: str = "accuracy") -> float:
    """The most that any of the blind baselines gets."""
    return max(float(part[key]) for part in results["blind_baselines"].values())
