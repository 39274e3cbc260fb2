"""Reliability of judges and effects of probes as tables for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from screenmark.types import Table

_NOTE = "95 % intervals over tasks in brackets; n/a: undefined, as where all marks are the same. "


def reliability_tables(found: Mapping[str, Any]) -> list[Table]:
    """One table on the runs of each judge, on people, and on judges among themselves."""
    tables = []
    for judge, part in found["judges"].items():
        tables.append(
            _agreement(
                f"{judge} · {found['num_runs']} runs of {found['num_outputs']} outputs, "
                f"{found['num_tasks']} tasks",
                part["runs"],
                "alpha, ICC: consistency of a judge with itself, which is not validity.",
            )
        )
        if part["human"] is not None:
            tables.append(_against(judge, part["human"]))
    if found["between_judges"] is not None:
        title = f"{len(found['judges'])} judges among themselves"
        tables.append(_agreement(title, found["between_judges"], "By the middle run of each."))
    if found["people"] is not None:
        tables.append(_agreement("People among themselves", found["people"], ""))
    return tables


def _agreement(title: str, part: Mapping[str, Any], note: str) -> Table:
    spreads = "sd" in next(iter(part.values()))
    rows = []
    for name, figures in part.items():
        row = [name]
        if spreads:
            row += [_plain(figures["sd"]), _plain(figures["identical"])]
        rows.append((*row, figures["level"], _with_interval(figures["alpha"])))
    for name, words in (("icc_single", "ICC(2,1)"), ("icc_mean", "ICC(2,k)")):
        empty = ("", "") if spreads else ()
        rows.append((f"total, {words}", *empty, "", _with_interval(part["total"][name])))
    columns = ("criterion", *(("sd", "identical") if spreads else ()), "level", "alpha or ICC")
    return Table(title=title, columns=columns, rows=tuple(rows), note=_NOTE + note)


def _against(judge: str, part: Mapping[str, Any]) -> Table:
    rows = [
        (name, "quadratic weighted kappa", _with_interval(figure))
        for name, figure in part["criteria"].items()
    ]
    for key, words in (
        ("spearman", "Spearman's rank correlation"),
        ("mae", "mean absolute error, of 100"),
        ("bias", "judge less people, of 100"),
    ):
        rows.append(("total", words, _with_interval(part[key])))
    rows.append(("pass", "Cohen's kappa", _with_interval(part["pass_kappa"])))
    title = f"{judge} against people · {part['num_outputs']} outputs"
    return Table(
        title=title, columns=("of", "figure", "value"), rows=tuple(rows), note=_NOTE.strip()
    )


def bias_table(found: Mapping[str, Any], base: str, other: str) -> Table:
    """What a change did to the marks.

    Args:
        found: as `reliability.bias` returns it, and ``options``: those that differ, in words.
        base, other: names of the two runs.
    """
    options = "; ".join(found["options"]) or "nothing, so that all differences are chance"
    rows = [
        *((name, _with_interval(figure)) for name, figure in found["criteria"].items()),
        ("total, of 100", _with_interval(found["total"])),
        ("share with another total", _with_interval(found["changed"])),
        ("share that passes in one only", _with_interval(found["flips"])),
    ]
    return Table(
        title=f"{found['num_outputs']} outputs · {other} less {base}",
        columns=("criterion", "mean difference"),
        rows=tuple(rows),
        note=_NOTE + f"An interval without 0 in it is an effect. The runs differ in: {options}.",
    )


def _plain(figure: Mapping[str, Any] | None) -> str:
    value = None if figure is None else figure["value"]
    return "n/a" if value is None else _decimals(value)


def _with_interval(figure: Mapping[str, Any] | None) -> str:
    text = _plain(figure)
    if figure is None or figure["low"] is None:
        return text
    return f"{text} [{_decimals(figure['low'])}, {_decimals(figure['high'])}]"


def _decimals(value: float) -> str:
    """Two decimals; what rounds to 0 has no sign."""
    return f"{round(value, 2) + 0.0:.2f}"
