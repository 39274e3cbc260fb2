"""Results of component retrieval, and one of its records, as tables for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from screenmark.benchmarks.unanswered import warning_tables
from screenmark.types import LabelledBox, Record, Table

_REPLY = 300


def retrieval_tables(results: dict[str, Any]) -> list[Table]:
    """The model's accuracy with what rules get, warnings, ranks, what papers report."""
    return [
        _headline(results),
        *warning_tables(results),
        *_ranking(results),
        *_published(results["published"]),
    ]


def _headline(results: dict[str, Any]) -> Table:
    head, answered = results["headline"], results["answered_only"]
    rows: list[tuple[Any, ...]] = [
        (results["model"], results["num_samples"], head["value"], head["low"], head["high"])
    ]
    if answered["num_samples"] not in {0, results["num_samples"]}:
        rows.append(("  answered only", answered["num_samples"], answered["accuracy"], None, None))
    for name, part in results["blind_baselines"].items():
        words = name.replace("_", " ")
        rows.append((f"blind: {words}", None, part["accuracy"], part["low"], part["high"]))
    outcomes = ", ".join(f"{count} {name}" for name, count in results["outcomes"].items())
    unfinished = "" if results["complete"] else "UNFINISHED · "
    about = " · ".join(_about(results))
    return Table(
        title=(
            f"{results['benchmark']} · {results['model']} · {unfinished}{about} · "
            f"{results['scoring']} scoring"
        ),
        columns=("who", "samples", "accuracy %", "low %", "high %"),
        rows=tuple(rows),
        note=(
            f"outcomes: {outcomes}. low, high: 95 % interval, whole screens drawn. blind: rules "
            "that never read what is looked for; of k equal candidates the right one counts 1/k."
            + (f" {results['data_note']}" if results["data_note"] else "")
        ),
    )


def _about(results: dict[str, Any]) -> Iterator[str]:
    """What a title says of the data and of what the model was given."""
    if results["data_note"]:
        yield "stand-in data"
    if results["variant"]:
        yield results["variant"]
    yield " + ".join(results["modalities"])
    if results["hierarchy"] is False:
        yield "no view hierarchy"
    yield results["setting"]


def _ranking(results: dict[str, Any]) -> list[Table]:
    block = results["ranking"]
    if block is None:
        return []
    names = tuple(f"top {k} %" for k in block["top_k"])
    row = (block["num_samples"], *block["top_k"].values(), f"{block['mrr']:.3f}")
    columns = ("samples with scores", *names, "MRR")
    title = "Where the right candidate stands"
    if results["data_note"]:
        title += " · stand-in data"
    return [Table(title=title, columns=columns, rows=(row,))]


def _published(figures: list[dict[str, Any]]) -> list[Table]:
    if not figures:
        return []
    rows = tuple((f["model"], f["split"], f["value"], f["data"], f["source"]) for f in figures)
    columns = ("published", "split", "accuracy %", "measured on", "source")
    return [Table(title="What papers report", columns=columns, rows=rows)]


def sample_tables(record: Record) -> list[Table]:
    """One expression: its candidates, what was chosen, and the reply."""
    sample, score = record.sample, record.score
    rows = []
    for candidate in sample["candidates"]:
        number, position = candidate["number"], candidate.get("leaf")
        leaf = sample["leaves"][position] if position is not None else {}
        marks = [
            word
            for word, holds in (
                ("right", number == score["label"]),
                ("chosen", number == score["chosen"]),
            )
            if holds
        ]
        words = (leaf.get(key) for key in ("text", "description", "resource_id"))
        said = next(filter(None, (*words, candidate.get("ocr"))), "")
        box = ", ".join(f"{value:.3f}" for value in candidate["box"])
        rows.append((number, box, leaf.get("class_name", ""), said, " and ".join(marks)))
    columns = ("candidate", "box", "class", "says", "")
    title = f"{record.sample_id}: {asked_for(sample)}"
    return [Table(title=title, columns=columns, rows=tuple(rows)), _facts(record)]


def asked_for(sample: dict[str, Any]) -> str:
    """What is looked for, of a sample as JSON: its expression, or its anchor in words."""
    anchor = sample["anchor"]
    if anchor is None:
        return str(sample["expression"])
    leaf = anchor.get("leaf") or {}
    said = leaf.get("text") or leaf.get("description") or anchor.get("ocr")
    box = ", ".join(f"{value:.3f}" for value in anchor["box"])
    return f"like {json.dumps(said, ensure_ascii=False)}" if said else f"like [{box}]"


def _facts(record: Record) -> Table:
    answer, reply = record.answer, record.reply
    rows: list[tuple[str, str | None]] = [("outcome", record.outcome.value)]
    if record.failure is not None:
        rows.append(("failure", record.failure.message))
    if answer is not None:
        rows += [("reason", answer.reason), ("repair", answer.repair)]
    rows.append(("correct", f"{record.score['correct']:g}"))
    if reply is not None:
        rows.append(("reply", reply.text[:_REPLY] + ("…" if len(reply.text) > _REPLY else "")))
    shown = tuple(row for row in rows if row[1] is not None)
    return Table(title="", columns=("", "value"), rows=shown)


def sample_boxes(record: Record) -> list[LabelledBox]:
    """The right candidate, and the chosen one, over the screenshot."""
    sample, score = record.sample, record.score
    boxes = []
    for candidate in sample["candidates"]:
        number = candidate["number"]
        x1, y1, x2, y2 = candidate["box"]
        width, height = sample.get("width", 0), sample.get("height", 0)
        box = (x1 * width, y1 * height, x2 * width, y2 * height)
        right = number == score["label"]
        if right:
            boxes.append(LabelledBox(box, "hit" if score["correct"] else "missed", True))
        if number == score["chosen"]:
            boxes.append(LabelledBox(box, "clicked" if right else "wrong", False))
    return boxes
