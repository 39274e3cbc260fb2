"""Results of judged maps, and one of its records, as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from screenmark.answers.rubric import CRITERIA, RANGES
from screenmark.rendering.remarks import by_kind
from screenmark.types import Record, Table

_MOST_ROWS = 60
_MOST_NAMED = 3
_REPLY = 400
_LONGEST_NAME = 60
_LOST = "the page is lost: "
_LONGEST_REMARK = 140
_SIDE_BY_SIDE = 4  # models; more of them stand below each other
_MARKS = {True: "pass", False: "fail", None: "–"}


def result_tables(results: dict[str, Any]) -> list[Table]:
    """By model and level, judge and checks side by side, and where they disagree."""
    return [
        _by_model(results),
        *_by_level(results),
        *_criteria(results),
        _by_output(results),
        *_by_judge(results),
        *_disagreements(results),
        *_worth_a_look(results),
    ]


def _by_model(results: dict[str, Any]) -> Table:
    cells = [(_named(name), _numbers(part)) for name, part in results["by_model"].items()]
    outcomes = ", ".join(f"{count} {name}" for name, count in results["outcomes"].items())
    unfinished = "" if results["complete"] else " · UNFINISHED"
    again = f" {results['num_asked_again']} replies were sent back." * bool(
        results["num_asked_again"]
    )
    return Table(
        title=(
            f"{results['benchmark']} · judged by {', '.join(results['judges'])} · "
            f"{results['num_outputs']} outputs{unfinished}"
        ),
        columns=("model", *(cells[0][1] if cells else ())),
        rows=tuple((name, *row.values()) for name, row in cells),
        note=(
            f"outcomes: {outcomes}.{again} 95 %: over tasks. A score is out of 100 and "
            "passes from 60; open: the line is within two standard errors of it. fault: the "
            "candidate left nothing that can be judged; none: no run could be scored. ✓ ✗: "
            "deterministic checks."
        ),
    )


def _numbers(part: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a group by their headings."""
    low, high = _points(part["low"]), _points(part["high"])
    return {
        "n": part["num_outputs"],
        "score": _points(part["score"]),
        "95 %": None if low is None else f"{low}…{high}",
        "pass %": part["pass_rate"],
        "open": part["undecided"],
        "fault": part["faults"],
        "none": part["unscored"],
        "✓/✗": f"{part['checks'].get('passed', 0)}/{part['checks'].get('failed', 0)}",
    }


def _points(value: float | None) -> str | None:
    """Points out of 100; as text, since a table writes floats as ratios."""
    return None if value is None else f"{value:.1f}"


def _by_level(results: dict[str, Any]) -> list[Table]:
    if len(results["by_level"]) < 2:
        return []
    cells = [
        (f"{_named(model)} · {level}", _numbers(part))
        for model, levels in results["by_model_and_level"].items()
        for level, part in levels.items()
    ]
    shown = ("n", "score", "95 %", "pass %", "fault", "✓/✗")
    rows = tuple((name, *(row[key] for key in shown)) for name, row in cells)
    return [Table(title="By model and level", columns=("model · level", *shown), rows=rows)]


def _criteria(results: dict[str, Any]) -> list[Table]:
    means = {model: part["criteria"] for model, part in results["by_model"].items()}
    judged = [c for c in CRITERIA if any(own[c] is not None for own in means.values())]
    if not judged:
        return []
    columns: tuple[str, ...]
    rows: list[tuple[str | int | None, ...]]
    if len(means) > _SIDE_BY_SIDE:
        # Headings of several words, which can be folded.
        columns = ("model", *(f"{c.replace('_', ' ')} /{RANGES[c][-1]}" for c in judged))
        rows = [(_named(m), *(_points(own[c]) for c in judged)) for m, own in means.items()]
    else:
        columns = ("criterion", "most", *map(_named, means))
        rows = [(c, RANGES[c][-1], *(_points(own[c]) for own in means.values())) for c in judged]
    return [Table(title="Mean marks", columns=columns, rows=tuple(rows))]


def _by_output(results: dict[str, Any]) -> Table:
    rows = results["per_sample"]
    cells = [_output(row) for row in rows[:_MOST_ROWS]]
    shown = [key for key in cells[0] if any(row[key] is not None for row in cells)] if cells else []
    return Table(
        title="Judge and checks side by side",
        columns=tuple(shown),
        rows=tuple(tuple(row[key] for key in shown) for row in cells),
        note=_rest(len(rows), "outputs", "screenmark export --to csv"),
    )


def _output(row: Mapping[str, Any]) -> dict[str, Any]:
    statuses = [check["status"] for check in row["checks"]]
    failed = ", ".join(c["check"] for c in row["checks"] if c["status"] == "failed")
    runs = row["scores_3x"] if row["status"] != "fault" else ""
    return {
        "task": row["task_no"],
        "model": _named(row["model"]),
        "score": _score(row),
        "runs": runs or None,
        "result": _result(row),
        "✓/✗": f"{statuses.count('passed')}/{statuses.count('failed')}",
        "failed checks": failed or None,
    }


def _score(row: Mapping[str, Any]) -> str | None:
    if row["score"] is None and row.get("bounds"):
        low, high = row["bounds"]
        return f"{low}…{high}"
    return _points(row["score"])


def _result(row: Mapping[str, Any]) -> str:
    if row["status"] == "fault":
        return "fault"
    if row["score"] is None and row.get("bounds"):
        return "not judged" if row["pass"] is None else _MARKS[row["pass"]]
    if row["score"] is None:
        return "unscored"
    return _MARKS[row["pass"]] + (" (open)" if row["undecided"] else "")


def _by_judge(results: dict[str, Any]) -> list[Table]:
    """The means of several judges, over the outputs that all of them scored."""
    rows = [row for row in results["per_sample"] if row["judges"] and row["status"] != "fault"]
    names = list(dict.fromkeys(name for row in rows for name in row["judges"]))
    scores = {
        name: [row["judges"][name]["score"] for row in rows if name in row["judges"]]
        for name in names
    }
    known = {
        name: [score for score in values if score is not None] for name, values in scores.items()
    }
    shown = tuple(
        (name, len(values), _points(sum(values) / len(values)))
        for name, values in known.items()
        if values
    )
    if len(shown) < 2:
        return []
    return [Table(title="By judge", columns=("judge", "outputs", "score"), rows=shown)]


def _disagreements(results: dict[str, Any]) -> list[Table]:
    rows = [
        (f"{_named(row['model'])}/{row['task_no']}", found["check"], _brief(found["text"]))
        for row in results["per_sample"]
        for found in row["disagreements"]
    ]
    if not rows:
        return []
    return [
        Table(
            title="Where judge and checks disagree",
            columns=("output", "check", "what each says"),
            rows=tuple(rows[:_MOST_ROWS]),
            note=_rest(len(rows), "disagreements", "results.json"),
        )
    ]


def _worth_a_look(results: dict[str, Any]) -> list[Table]:
    """Faults of candidates, unscored runs, and what a renderer warns of."""
    outputs: dict[str, list[str]] = {}
    cut = False
    for row in results["per_sample"]:
        name = f"{_named(row['model'])}/{row['task_no']}"
        first = [text for text in [row["fault"], *row["unscored"]] if text]
        # That a page is lost is what its fault says.
        others = [text for text in row["warnings"] if not (row["fault"] and _LOST in text)]
        remarks = [*map(_brief, first), *map(_brief, by_kind(others))]
        cut = cut or remarks != [*first, *others]
        for text in remarks:
            if name not in outputs.setdefault(text, []):
                outputs[text].append(name)
    if not outputs:
        return []
    rows = [(text, _few(names)) for text, names in outputs.items()]
    return [
        Table(
            title="Worth a look",
            columns=("what", "outputs"),
            rows=tuple(rows[:_MOST_ROWS]),
            note=_all_of_them(len(rows), cut=cut),
        )
    ]


def _all_of_them(count: int, *, cut: bool) -> str | None:
    """Where the rest is, if this is not all."""
    parts = [_rest(count, "remarks", "results.json") or ""]
    if cut:
        parts.append("All warnings of an output: screenmark show RUN --sample MODEL/TASK.")
    return " ".join(part for part in parts if part) or None


def _named(model: str) -> str:
    """A model's name, without the middle of one that no table has room for."""
    if len(model) <= _LONGEST_NAME:
        return model
    return f"{model[: _LONGEST_NAME - 20]}…{model[-19:]}"


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST_REMARK else f"{text[: _LONGEST_REMARK - 1]}…"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _rest(count: int, what: str, where: str) -> str | None:
    return f"… and {count - _MOST_ROWS} more {what}: {where}" if count > _MOST_ROWS else None


def record_tables(record: Record) -> list[Table]:
    """One run over one output: marks, checks, and what the judge wrote."""
    sample, score = record.sample, record.score
    tables = [_marks(record)]
    checks = sample.get("checks") or ()
    if checks:
        rows = tuple((check["check"], check["status"], check["detail"]) for check in checks)
        tables.append(Table(title="Checks", columns=("check", "status", "detail"), rows=rows))
    output = sample["output"]
    warnings = [*output.get("remarks", ()), *(output.get("page") or {}).get("warnings", ())]
    if warnings:
        found = tuple((text,) for text in warnings)
        tables.append(Table(title="Warnings of the page", columns=("what",), rows=found))
    rows_ = [
        ("task", sample["task"]["prompt"]),
        ("output", sample["output"]["path"] or "none"),
        ("judge", sample["judge"]),
        ("status", score["status"]),
        ("reason", score["reason"]),
        ("error", score["error"]),
        ("field", score["field"]),
        ("flags", ", ".join(score["flags"] or ()) or None),
        ("failure", record.failure.message if record.failure else None),
        ("sent back", len(record.reply.earlier) or None if record.reply else None),
        ("reply", _cut(record.reply.text) if record.reply else None),
    ]
    shown = tuple(row for row in rows_ if row[1] is not None)
    return [*tables, Table(title="", columns=("", "value"), rows=shown)]


def _marks(record: Record) -> Table:
    scores: Mapping[str, Any] = record.score["scores"] or {}
    rows: Sequence[tuple[str, Any, int]] = [
        (name, scores.get(name), RANGES[name][-1]) for name in CRITERIA
    ]
    total = record.score["total_raw"], record.score["total_normalized"]
    note = None if total[0] is None else f"total {total[0]} of 130, {total[1]} of 100"
    title = f"{record.sample_id} · run {record.repeat + 1}"
    return Table(title=title, columns=("criterion", "mark", "most"), rows=tuple(rows), note=note)


def _cut(text: str) -> str:
    return text[:_REPLY] + ("…" if len(text) > _REPLY else "")
