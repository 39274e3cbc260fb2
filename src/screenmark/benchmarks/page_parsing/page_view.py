"""One page of a run for a person: every element beside what it was matched with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from screenmark.types import Json, LabelledBox, Record, Table

_REPLY = 300


def page_tables(record: Record) -> list[Table]:
    """How the page ended, its matched pairs, and what is left on either side."""
    predicted, true, matches = _sides(record)
    pairs = tuple(
        (
            predicted[m["prediction"]]["description"],
            true[m["truth"]]["description"],
            m["iou"],
            m["description_similarity"],
        )
        for m in matches
    )
    columns = ("predicted", "true", "IoU %", "similarity %")
    return [
        _facts(record),
        Table(title=f"{len(pairs)} matched pairs", columns=columns, rows=pairs),
        _rest("predicted without a match", predicted, {m["prediction"] for m in matches}),
        _rest("true without a match", true, {m["truth"] for m in matches}),
    ]


def page_boxes(record: Record) -> list[LabelledBox]:
    """Matched pairs, and what is left on either side, to draw."""
    predicted, true, matches = _sides(record)
    hit = {m["prediction"] for m in matches}
    found = {m["truth"] for m in matches}
    boxes = [
        LabelledBox(tuple(e["coordinates"]), "found" if n in found else "missed", True)
        for n, e in enumerate(true)
    ]
    boxes += [
        LabelledBox(tuple(e["coordinates"]), "matched" if n in hit else "wrong", False)
        for n, e in enumerate(predicted)
    ]
    return boxes


def element_rows(record: Record) -> Iterator[dict[str, Json]]:
    """A row for each predicted, then for each true element, with what it is matched with.

    ``number`` is the place in its list, ``match`` the place of its partner in the other.
    """
    predicted, true, matches = _sides(record)
    score = record.score
    for side, own, other, elements, labels in (
        ("predicted", "prediction", "truth", predicted, score["prediction_labels"]),
        ("true", "truth", "prediction", true, score["truth_labels"]),
    ):
        partners = {match[own]: match for match in matches}
        for number, (element, label) in enumerate(zip(elements, labels, strict=True)):
            match = partners.get(number, {})
            yield {
                "side": side,
                "number": number,
                "type": element["type"],
                "description": element["description"],
                **dict(zip(("x1", "y1", "x2", "y2"), element["coordinates"], strict=True)),
                "label": label,
                "match": match.get(other),
                "iou": match.get("iou"),
                "description_similarity": match.get("description_similarity"),
            }


def _sides(record: Record) -> tuple[list[Any], list[Any], list[Any]]:
    answer = record.answer
    predicted = answer.value if answer is not None and answer.value is not None else []
    return predicted, record.sample["elements"], record.score["matches"]


def _facts(record: Record) -> Table:
    answer, reply = record.answer, record.reply
    score = record.score
    rows: list[tuple[str, str | float | None]] = [("outcome", record.outcome.value)]
    if record.failure is not None:
        rows.append(("failure", record.failure.message))
    if answer is not None:
        rows += [("reason", answer.reason), ("repair", answer.repair)]
        rows += [("dropped", line) for line in answer.dropped]
    rows += [(f"{name} %", score[name]) for name in ("precision", "recall", "f1")]
    if reply is not None:
        rows += [("image", image.note) for image in reply.images]
        rows.append(("finish reason", reply.finish_reason))
        rows.append(("reply", reply.text[:_REPLY] + ("…" if len(reply.text) > _REPLY else "")))
    shown = tuple(
        (name.removesuffix(" %"), f"{100 * value:.1f} %" if isinstance(value, float) else value)
        for name, value in rows
        if value is not None
    )
    return Table(title=record.sample_id, columns=("", "value"), rows=shown)


def _rest(title: str, elements: list[Any], matched: set[int]) -> Table:
    rows = tuple(
        (e["type"], e["description"], " ".join(f"{v:g}" for v in e["coordinates"]))
        for n, e in enumerate(elements)
        if n not in matched
    )
    columns = ("type", "description", "x1 y1 x2 y2")
    return Table(title=f"{len(rows)} {title}", columns=columns, rows=rows)
