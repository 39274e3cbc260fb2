"""Results of content understanding, and one of its records, as tables for people."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks.unanswered import warning_tables
from screenmark.types import Record, Table

_NAMES = {
    "always_a": "always A",
    "longest_option": "the longest option",
    "majority_letter": "the most frequent letter",
    "options_only": "words shared with the question",
}
_REPLY = 300


def result_tables(results: dict[str, Any]) -> list[Table]:
    """Accuracy by difficulty, what guessing gets, and groups."""
    return [
        _headline(results),
        *warning_tables(results),
        _blind(results),
        *_platforms(results),
        *_groups(results),
    ]


def _headline(results: dict[str, Any]) -> Table:
    rows = []
    for name, part in results["by_difficulty"].items():
        rows.append((name, part["num_samples"], *_four(part)))
    head = results["headline"]
    everything = {
        "score": results["accuracy"],
        "low": head["low"],
        "high": head["high"],
        "score_weighted": results["accuracy_weighted"],
    }
    rows.append(("all", sum(row[1] for row in rows), *_four(everything)))
    answered = results["answered_only"]
    if answered["num_samples"] not in {0, rows[-1][1]}:
        rows.append(("answered only", answered["num_samples"], *_four(answered)))
    outcomes = ", ".join(f"{count} {name}" for name, count in results["outcomes"].items())
    if incomplete := results["num_incomplete"]:
        are = "is" if incomplete == 1 else "are"
        outcomes += f". {_questions(incomplete)} {are} left out: not every rotation was asked"
    circular = " · circular: right under every rotation" if results["circular"] else ""
    unfinished = "" if results["complete"] else "UNFINISHED · "
    return Table(
        title=(
            f"{results['benchmark']} · {results['model']} · {unfinished}"
            f"{_questions(results['num_questions'])} · {results['scoring']} scoring{circular}"
        ),
        columns=("difficulty", "questions", "accuracy %", "low %", "high %", "option-weighted %"),
        rows=tuple(rows),
        note=(
            f"outcomes: {outcomes}. low, high: 95 % interval, in the row all by a bootstrap over "
            "screenshots, in the others after Wilson. option-weighted: a question with n options "
            "weighs (n - 1) / n, as in the published table."
        ),
    )


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count} questions"


def _four(part: dict[str, Any]) -> tuple[Any, ...]:
    return part["score"], part["low"], part["high"], part["score_weighted"]


def _blind(results: dict[str, Any]) -> Table:
    rows = tuple(
        (_NAMES[name], part["accuracy"], part["low"], part["high"], part["accuracy_weighted"])
        for name, part in results["blind_baselines"].items()
    )
    columns = ("without the image", "accuracy %", "low %", "high %", "option-weighted %")
    return Table(title="What guessing gets on these questions", columns=columns, rows=rows)


def _platforms(results: dict[str, Any]) -> list[Table]:
    levels = results["by_difficulty"]
    names = sorted({name for part in levels.values() for name in part["by_platform"]})
    if len(names) < 2:
        return []
    columns = ("platform", "questions", "all %", *(f"{name} %" for name in levels))
    rows = []
    for name in names:
        whole = results["by_platform"][name]
        parts = [level["by_platform"].get(name, {}).get("score") for level in levels.values()]
        rows.append((name, whole["num_samples"], whole["score"], *parts))
    return [Table(title="By platform", columns=columns, rows=tuple(rows))]


def _groups(results: dict[str, Any]) -> list[Table]:
    tables = []
    for key, name in (("by_language", "language"), ("by_num_options", "options")):
        groups = results[key]
        if len(groups) < 2:
            continue
        rows = tuple((group, part["num_samples"], *_four(part)) for group, part in groups.items())
        columns = (name, "questions", "accuracy %", "low %", "high %", "option-weighted %")
        tables.append(Table(title=f"By {name}", columns=columns, rows=rows))
    return tables


def question_tables(record: Record) -> list[Table]:
    """One question: its options, what was chosen, and the reply."""
    sample, score = record.sample, record.score
    options = tuple(
        (
            letter,
            text,
            " and ".join(
                word
                for word, holds in (
                    ("right", letter == sample["answer"]),
                    ("chosen", letter == score["chosen"]),
                )
                if holds
            ),
        )
        for letter, text in sample["options"].items()
    )
    # As a row, which is folded where the terminal ends, and not as a title, which is not.
    rows = (("", sample["question"], ""), *options)
    return [
        Table(title=record.sample_id, columns=("", "question, options", ""), rows=rows),
        _facts(record),
    ]


def _facts(record: Record) -> Table:
    answer, reply = record.answer, record.reply
    rows: list[tuple[str, str | None]] = [("outcome", record.outcome.value)]
    if record.failure is not None:
        rows.append(("failure", record.failure.message))
    if answer is not None:
        rows += [("reason", answer.reason), ("repair", answer.repair)]
    rows += [("difficulty", record.sample["difficulty"]), ("image", record.sample["image_path"])]
    rows.append(("explanation", record.sample.get("explanation")))
    if reply is not None:
        rows.append(("reply", reply.text[:_REPLY] + ("…" if len(reply.text) > _REPLY else "")))
    shown = tuple(row for row in rows if row[1] is not None)
    return Table(title="", columns=("", "value"), rows=shown)
