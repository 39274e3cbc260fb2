"""Results of element grounding, and one of its records, for people."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks.base import profile_words
from screenmark.benchmarks.unanswered import warning_tables
from screenmark.metrics.points import bounds
from screenmark.types import LabelledBox, Record, Table

_NAMES = {
    "center": "the middle of the image",
    "random": "anywhere",
    "best_point": "the one best place",
    "always_absent": "never there",
}
_GROUPS = {
    "platform": "platform",
    "data_type": "kind of target",
    "group": "group",
    "application": "application",
    "target_size": "target size",
    "gui_type": "kind of element",
    "language": "language",
}
_COLUMNS = ("samples", "accuracy %", "low %", "high %", "no point", "distance")
_KINDS = ("icon", "text")
_KIND_HEADS = tuple(f" {kind}" for kind in _KINDS)
_REPLY = 300
_DOT = 6


def result_tables(results: dict[str, Any]) -> list[Table]:
    """Hit rates, what is worth a look, absent targets, what blind clicks get, and groups."""
    return [
        _headline(results),
        *warning_tables(results),
        *_absent(results),
        _blind(results),
        *_cells(results),
        *_groups(results),
    ]


def _scores(part: dict[str, Any]) -> tuple[Any, ...]:
    no_point = part["format_errors"] + part["refused"] + part["failures"]
    return (
        part["num_samples"],
        part["accuracy"],
        part["low"],
        part["high"],
        no_point,
        part["median_distance"],
    )


def _headline(results: dict[str, Any]) -> Table:
    rows = [
        (name, *_scores(results[name]))
        for name in ("basic", "advanced")
        if results[name] is not None
    ]
    head, present = results["headline"], results["present"]
    counts_absent = head["metric"] == "accuracy_all"
    if counts_absent:
        absent = results["absent"] or {"num_samples": 0}
        total = present["num_samples"] + absent["num_samples"]
        # Replies without a point are misses only where there is a target.
        figures = (total, head["value"], head["low"], head["high"], None, None)
        rows = [("all, on screen or not", *figures), ("on screen", *_scores(present))]
        if results["absent"] is not None:
            rate = (absent["rejection_rate"], absent["low"], absent["high"])
            rows.append(("not on screen", absent["num_samples"], *rate, None, None))
    else:
        overall = present | {"low": head["low"], "high": head["high"]}
        rows.append(("all", *_scores(overall)))
    answered = results["answered_only"]
    if answered["num_samples"] not in {0, present["num_samples"]}:
        name = "on screen, answered" if counts_absent else "answered only"
        rows.append((name, *_scores(answered)))
    outcomes = ", ".join(f"{count} {name}" for name, count in results["outcomes"].items())
    unfinished = "" if results["complete"] else "UNFINISHED · "
    macro, average = results["accuracy_macro"], results["average"]
    means = [f"macro over cells {macro:.1%}"] if macro is not None else []
    if average is not None and results["basic"] and results["advanced"]:
        means.append(f"mean of basic and advanced {average:.1%}")
    by_profile = not results["profile"].get("read_by")
    unsaid = results["scoring"] == "compat" and by_profile
    reading = "" if unsaid else f"{profile_words(results['profile'])} · "
    samples = "sample" if results["num_samples"] == 1 else "samples"
    return Table(
        title=(
            f"{results['benchmark']} · {results['model']} · {unfinished}"
            f"{results['num_samples']} {samples} · {reading}{results['scoring']} scoring"
        ),
        columns=("targets" if counts_absent else "targets on screen", *_COLUMNS),
        rows=tuple(rows),
        note=(
            f"{'; '.join([*means, f'outcomes: {outcomes}'])}. low, high: 95 % interval, in the "
            f"row {'all, on screen or not' if counts_absent else 'all'} by a bootstrap over "
            "screenshots, in the others after Wilson, as if targets were independent. distance: "
            "median from the target's middle, in target sizes."
        ),
    )


def _absent(results: dict[str, Any]) -> list[Table]:
    part = results["absent"]
    if part is None:
        return []
    rows = [
        ("targets not on screen", part["num_samples"], None),
        ("declined", part["rejected"], part["rejection_rate"]),
        ("clicked nevertheless", part["clicked"], part["hallucination_rate"]),
        ("targets on screen that were declined", part["false_rejections"], None),
        ("right in all, present and absent", None, results["accuracy_all"]),
    ]
    columns = ("what is not there", "samples", "share %")
    return [Table(title="Absent targets", columns=columns, rows=tuple(rows))]


def _blind(results: dict[str, Any]) -> Table:
    absent = results["absent"] is not None
    rows = tuple(
        (_NAMES[name], part["accuracy"], *([part["accuracy_all"]] if absent else []))
        for name, part in results["blind_baselines"].items()
    )
    columns = ("without the image", "accuracy %", *(["with absent ones %"] if absent else []))
    return Table(title="What blind clicks get on these targets", columns=columns, rows=rows)


def _cells(results: dict[str, Any]) -> list[Table]:
    """Platform by grounding type and kind of target, as the public tables have it.

    ScreenSpot and its successors know one kind of instruction, and ScreenSpot-Pro's rows are its
    groups of applications.
    """
    levels = {
        name: results[name]["by_platform"]
        for name in ("basic", "advanced")
        if results[name] is not None
    }
    what = "platform"
    if not levels:
        what = "group" if results.get("by_group_and_kind") else "platform"
        parts = results.get(f"by_{what}_and_kind", {})
        if any(part["by_data_type"] for part in parts.values()):
            levels = {"all": parts}
    names = sorted({name for parts in levels.values() for name in parts})
    if len(names) < 2:
        return []
    rows = []
    for name in names:
        cells: list[Any] = []
        for parts in levels.values():
            part = parts.get(name, {})
            cells.append(part.get("accuracy"))
            cells += [part.get("by_data_type", {}).get(kind, {}).get("accuracy") for kind in _KINDS]
        rows.append((name, *cells))
    heads = [f"{level}{suffix} %" for level in levels for suffix in ("", *_KIND_HEADS)]
    return [Table(title=f"By {what} and target", columns=(what, *heads), rows=tuple(rows))]


def _groups(results: dict[str, Any]) -> list[Table]:
    tables = []
    for key, title in _GROUPS.items():
        groups = results["by_group"].get(key, {})
        if len(groups) < 2:
            continue
        rows = tuple((name, *_scores(part)) for name, part in groups.items())
        tables.append(Table(title=f"By {title}", columns=(title, *_COLUMNS), rows=rows))
    return tables


def point_tables(record: Record) -> list[Table]:
    """One item: what was asked, what was answered, how far off it is."""
    sample, score, answer, reply = record.sample, record.score, record.answer, record.reply
    rows: list[tuple[str, Any]] = [
        ("instruction", sample["instruction"]),
        ("target", sample["target"]),
        ("hit", "yes" if score["hit"] else "no"),
        ("outcome", record.outcome.value),
    ]
    if record.failure is not None:
        rows.append(("failure", record.failure.message))
    if answer is not None:
        rows += [("reason", answer.reason), ("repair", answer.repair)]
    if score["point"] is not None:
        x, y = score["point"]
        rows.append(("point", f"{x * sample['width']:.0f}, {y * sample['height']:.0f} px"))
    for shape in sample["shapes"]:
        box = _pixels(sample, shape)
        rows.append(("target box", ", ".join(f"{number:.0f}" for number in box) + " px"))
    rows += [("distance", score["distance"]), *sample["groups"].items()]
    if reply is not None:
        rows.append(("reply", reply.text[:_REPLY] + ("…" if len(reply.text) > _REPLY else "")))
    shown = tuple(
        (name, f"{value:.3f}" if isinstance(value, float) else value)
        for name, value in rows
        if value is not None
    )
    return [Table(title=record.sample_id, columns=("", "value"), rows=shown)]


def point_caption(record: Record) -> str:
    """The instruction, and in a few words what came of it."""
    sample, score = record.sample, record.score
    if score["point"] is not None:
        came = "hit" if score["hit"] else "missed"
        if sample["target"] == "absent":
            came = "clicked, but there is no such thing"
    else:
        reason = record.answer.reason if record.answer is not None else None
        came = f"no point: {reason or record.outcome.value}"
    return f"{sample['instruction']}  ->  {came}"


def point_boxes(record: Record) -> list[LabelledBox]:
    """The target, and a small box around the point."""
    sample, score = record.sample, record.score
    word = "hit" if score["hit"] else "missed"
    boxes = [LabelledBox(_pixels(sample, shape), word, True) for shape in sample["shapes"]]
    if score["point"] is not None and sample["width"]:
        x, y = score["point"][0] * sample["width"], score["point"][1] * sample["height"]
        label = "clicked" if score["hit"] else "wrong"
        boxes.append(LabelledBox((x - _DOT, y - _DOT, x + _DOT, y + _DOT), label, False))
    return boxes


def _pixels(sample: dict[str, Any], shape: list[float]) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = bounds(shape)
    width, height = sample["width"], sample["height"]
    return x1 * width, y1 * height, x2 * width, y2 * height
