"""Results of page parsing as tables for people."""

from __future__ import annotations

from typing import Any

from screenmark.benchmarks.base import profile_words
from screenmark.types import Table

_HEADLINES = (
    ("overall_f1", "F1"),
    ("overall_precision", "precision"),
    ("overall_recall", "recall"),
    ("f1_50_95", "F1 over IoU 0.50–0.95"),
    ("avg_description_similarity", "description similarity"),
)
_GROUPS = (("by_platform", "platform"), ("by_language", "language"))


def result_tables(results: dict[str, Any]) -> list[Table]:
    """Headline, groups of pages, kinds of elements, kinds of errors."""
    return [_headline(results), *_pages(results), *_elements(results), _errors(results)]


def _headline(results: dict[str, Any]) -> Table:
    answered = results["answered_only"]
    blind = results["blind_baselines"]["previous_page"]
    rows = []
    for key, name in _HEADLINES:
        interval = results["intervals"][key]
        rows.append(
            (
                name,
                results[key],
                interval["low"],
                interval["high"],
                answered[key],
                blind.get(key),
            )
        )
    outcomes = ", ".join(f"{count} {name}" for name, count in results["outcomes"].items())
    matching = "" if results["matching"] == "greedy" else f", {results['matching']} matching"
    return Table(
        title=(
            f"{results['benchmark']} · {results['model']} · {_pages_asked(results)} · "
            f"IoU > {results['iou_threshold']:g}{matching} · {_profile(results)}"
            f"{results['scoring']} scoring"
        ),
        columns=("metric", "all %", "low %", "high %", "answered only %", "blind %"),
        rows=tuple(rows),
        note=(
            f"outcomes: {outcomes}. low, high: 95 % interval. answered only: without the samples "
            "that got no list. blind: the previous page of the same size copied, never looking at "
            "the image."
        ),
    )


def _pages_asked(results: dict[str, Any]) -> str:
    repeats, count, planned = results.get("repeats"), results["num_samples"], results["num_planned"]
    if not results["complete"]:
        return f"UNFINISHED: {count} of {planned} pages"
    if repeats is not None:
        return f"{_number(repeats['num_samples'])} × {repeats['n']}"
    return _number(count)


def _number(pages: int) -> str:
    return "1 page" if pages == 1 else f"{pages} pages"


def _pages(results: dict[str, Any]) -> list[Table]:
    tables = []
    for key, name in _GROUPS:
        groups = results[key]
        if len(groups) < 2:
            continue
        rows = tuple(
            (
                group,
                part["num_samples"],
                part["overall_f1"],
                part["overall_precision"],
                part["overall_recall"],
                part["avg_description_similarity"],
            )
            for group, part in groups.items()
        )
        columns = (name, "pages", "F1 %", "precision %", "recall %", "description %")
        tables.append(Table(title=f"By {name}", columns=columns, rows=rows))
    return tables


def _profile(results: dict[str, Any]) -> str:
    """The profile where it is not the one that these pages are usually read in."""
    block = results.get("profile")
    if block is None or block["name"] == "pixel":
        return ""
    return f"{profile_words(block)} · "


def _elements(results: dict[str, Any]) -> list[Table]:
    tables = []
    for key, name in (("by_type", "element type"), ("by_size", "element size")):
        rows = tuple(
            (group, part["num_elements"], part["recall"], part["avg_description_similarity"])
            for group, part in results[key].items()
        )
        columns = (name, "elements", "found %", "description %")
        tables.append(Table(title=f"By {name}", columns=columns, rows=rows))
    return tables


def _errors(results: dict[str, Any]) -> Table:
    predicted, true = results["prediction_errors"], results["truth_errors"]
    names = dict.fromkeys([*predicted, *true])
    return Table(
        title="What became of every element",
        columns=("", "predicted", "true"),
        rows=(
            *((name, predicted.get(name), true.get(name)) for name in names),
            ("total", sum(predicted.values()), sum(true.values())),
        ),
    )
