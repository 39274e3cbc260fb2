"""Results of classification, and one of its records, as tables for people."""

from __future__ import annotations

from typing import Any, Final

from screenmark.benchmarks.unanswered import warning_tables
from screenmark.types import LabelledBox, Record, Table

_REPLY: Final = 300
_CONFUSIONS: Final = 10


def classification_tables(results: dict[str, Any]) -> list[Table]:
    """Scores with what rules get, warnings, what is taken for what, classes, papers."""
    return [
        _headline(results),
        *warning_tables(results),
        *_mistaken(results["confusion"]),
        *_classes(results["classes"]),
        *_published(results["published"]),
    ]


def _headline(results: dict[str, Any]) -> Table:
    head, answered = results["headline"], results["answered_only"]
    rows: list[tuple[Any, ...]] = [
        (
            results["model"],
            results["num_samples"],
            head["value"],
            head["low"],
            head["high"],
            results["macro_f1"],
        )
    ]
    if answered["num_samples"] not in {0, results["num_samples"]}:
        part = (answered["num_samples"], answered["accuracy"], None, None, None)
        rows.append(("  answered only", *part))
    for name, part in results["blind_baselines"].items():
        words = name.replace("_", " ")
        scores = (part["accuracy"], part["low"], part["high"], part["macro_f1"])
        rows.append((f"blind: {words}", None, *scores))
    outcomes = ", ".join(f"{count} {name}" for name, count in results["outcomes"].items())
    unfinished = "" if results["complete"] else "UNFINISHED · "
    inputs = " + ".join(results["modalities"]) or "no input"
    macro = results["intervals"]["macro_f1"]
    ends = "" if macro["low"] is None else f" ({macro['low']:.1%} to {macro['high']:.1%})"
    averages = ", ".join(
        f"{name} {results[f'{name}_f1'] or 0:.1%}{ends if name == 'macro' else ''}"
        for name in ("macro", "micro", "weighted")
    )
    return Table(
        title=(
            f"{results['benchmark']} · {results['model']} · {unfinished}{results['data']} · "
            f"{inputs} · {results['setting']} · {results['scoring']} scoring"
        ),
        columns=("who", "samples", "accuracy %", "low %", "high %", "macro-F1 %"),
        rows=tuple(rows),
        note=(
            f"{results['data_note']} outcomes: {outcomes}. low, high: 95 % interval of the "
            f"accuracy, what belongs together drawn together. F1: {averages}. "
            "blind: rules that never look."
        ),
    )


def _mistaken(confusion: dict[str, Any] | None) -> list[Table]:
    """The most frequent mistakes; the whole matrix is a picture in the run folder."""
    if confusion is None:
        return []
    names = confusion["classes"]
    found = [
        (count, true, said)
        for true, row in zip(names, confusion["counts"], strict=True)
        for said, count in zip(names, row, strict=True)
        if count and said != true
    ]
    if not found:
        return []
    found.sort(key=lambda cell: (-cell[0], cell[1], cell[2]))
    rows = tuple((true, said, count) for count, true, said in found[:_CONFUSIONS])
    left = len(found) - len(rows)
    note = "all: artifacts/confusion.png in the run folder"
    return [
        Table(
            title="What is taken for what",
            columns=("true", "answered", "times"),
            rows=rows,
            note=f"{left} more pairs; {note}" if left else note,
        )
    ]


def _classes(classes: list[dict[str, Any]]) -> list[Table]:
    if not classes:
        return []
    rows = tuple(
        (c["class"], c["support"], c["predicted"], c["precision"], c["recall"], c["f1"])
        for c in classes
    )
    columns = ("class", "true", "answered", "precision %", "recall %", "F1 %")
    return [Table(title="By class", columns=columns, rows=rows)]


def _published(figures: list[dict[str, Any]]) -> list[Table]:
    if not figures:
        return []
    rows = tuple((f["model"], f["value"], f["data"], f["source"]) for f in figures)
    columns = ("published", "accuracy %", "measured on", "source")
    return [Table(title="What papers report", columns=columns, rows=rows)]


def sample_tables(record: Record) -> list[Table]:
    """One sample: what is right, what was answered, and the reply."""
    answer, reply, sample = record.answer, record.reply, record.sample
    rows: list[tuple[str, str | None]] = [
        ("right", sample["label"]),
        ("answered", record.score["chosen"]),
        ("classes", f"{len(sample['classes'])} to choose from"),
        ("elements", str(len(sample.get("components", ()))) if sample.get("components") else None),
        ("outcome", record.outcome.value),
    ]
    if record.failure is not None:
        rows.append(("failure", record.failure.message))
    if answer is not None:
        rows += [("reason", answer.reason), ("repair", answer.repair)]
    if reply is not None:
        rows.append(("reply", reply.text[:_REPLY] + ("…" if len(reply.text) > _REPLY else "")))
    shown = tuple(row for row in rows if row[1] is not None)
    return [Table(title=record.sample_id, columns=("", "value"), rows=shown)]


def sample_boxes(record: Record) -> list[LabelledBox]:
    """The icon that is asked about, or the elements that are listed, over the image."""
    sample = record.sample
    label = "hit" if record.score["correct"] else "missed"
    if sample.get("box") is not None:
        x1, y1, x2, y2 = sample["box"]
        return [LabelledBox((x1, y1, x2, y2), label, True)]
    width, height = sample["width"], sample["height"]
    boxes = []
    for component in sample.get("components", ()):
        if component.get("box") is None:
            continue
        x1, y1, x2, y2 = component["box"]
        box = (x1 * width, y1 * height, x2 * width, y2 * height)
        boxes.append(LabelledBox(box, "listed", True))
    return boxes
