"""Results of agents, and one of their episodes, as tables for people."""

from __future__ import annotations

from typing import Any, Final

from screenmark.benchmarks.unanswered import warning_tables
from screenmark.types import Record, Table

KINDS: Final = {
    "oracle": "ORACLE: measures the world, no model",
    "embedded": "an embedded baseline",
    "pair": "planner and grounder",
}
"""What a table says of an agent that is not simply a model."""

_COLUMNS: Final = ("tasks", "episodes", "success %", "EQA %", "EQA any %", "steps")


def result_tables(results: dict[str, Any]) -> list[Table]:
    """Scores over all, by platform and world, and how episodes ended."""
    return [
        _scores(results),
        *warning_tables(results),
        *_worlds(results),
        _ends(results),
    ]


def _scores(results: dict[str, Any]) -> Table:
    head = results["headline"]
    platforms = results["by_platform"]
    whole = {
        "num_tasks": sum(part["num_tasks"] for part in platforms.values()),
        "num_episodes": sum(part["num_episodes"] for part in platforms.values()),
        "left_out": sum(part.get("left_out", 0) for part in platforms.values()),
        "steps": results["steps"]["mean"],
    }
    rows = [("all", *_cells({**results, **whole}))]
    if len(platforms) > 1:
        rows += [(f"  {name}", *_cells(part)) for name, part in platforms.items()]
    rows += _others(results, whole)
    kind = KINDS.get(results["agent_kind"] or "")
    unfinished = "" if results["complete"] else " · UNFINISHED"
    seen = results.get("observation", "screenshot")
    title = f"{results['benchmark']} · {results['model']} · {results['budget']} steps"
    title += ("" if seen == "screenshot" else f" · {seen}") + unfinished
    outcomes = ", ".join(f"{count} {name}" for name, count in results["outcomes"].items())
    interval = "" if head["low"] is None else f" ({head['low']:.1%} to {head['high']:.1%})"
    return Table(
        title=title + (f" · {kind}" if kind else ""),
        columns=("platform", *_COLUMNS),
        rows=tuple(rows),
        note=(
            f"outcomes: {outcomes}. success: 95 % interval{interval}, whole tasks drawn. EQA: in "
            "data order; any: its mean over all orders. Averages are weighted by tasks."
        ),
    )


def _others(results: dict[str, Any], whole: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The same run seen otherwise: without what got no reply, and within a smaller budget."""
    rows = []
    answered, derived = results.get("answered_only"), results["derived"]
    if answered is not None and answered["num_episodes"] not in {0, whole["num_episodes"]}:
        part = {**whole, "left_out": 0, **answered}
        rows.append(("  answered only", *_cells(part)))
    if derived is not None:
        part = {**whole, **derived, "steps": None}
        rows.append((f"  derived at {derived['budget']}", *_cells(part)))
    return rows


def _cells(part: dict[str, Any]) -> tuple[Any, ...]:
    steps = part["steps"]
    return (
        part["num_tasks"],
        _episodes(part),
        part["success_rate"],
        part["eqa"],
        part["eqa_order_averaged"],
        None if steps is None else f"{steps:.1f}",
    )


def _episodes(part: dict[str, Any]) -> int | str:
    """How many count; of how many, where some broke down."""
    count, lost = int(part["num_episodes"]), int(part.get("left_out", 0))
    return f"{count} of {count + lost}" if lost else count


def _worlds(results: dict[str, Any]) -> list[Table]:
    if len(results["by_world"]) < 2:
        return []
    rows = tuple((name, *_cells(part)) for name, part in results["by_world"].items())
    return [Table(title="By world", columns=("world", *_COLUMNS), rows=rows)]


def _ends(results: dict[str, Any]) -> Table:
    claims, steps, usage = results["claims"], results["steps"], results["usage"]
    per_task = results["per_task"]
    rows: list[tuple[Any, ...]] = [
        ("ended by the world, the agent, the budget", _counts(claims["ended_by"])),
        ("claimed success", claims["claimed_success"]),
        ("  of these wrongly", _share(claims["false_success"], claims["false_success_rate"])),
        ("gave up", claims["gave_up"]),
        ("turns without a valid action", _share(steps["invalid"], steps["invalid_share"])),
        ("turns that could not be carried out", steps["impossible"]),
        ("turns that changed nothing, again", steps["repeated"]),
        ("seconds an episode", _number(per_task["seconds"])),
    ]
    if usage is not None:
        tokens = (_number(per_task[name], 0) for name in ("input_tokens", "output_tokens"))
        rows.append(("tokens an episode, in and out", ", ".join(tokens)))
        if usage["cost_usd"] is not None:
            count = max(1, results["num_samples"])
            rows.append(("dollars an episode", f"{usage['cost_usd'] / count:.4f}"))
    return Table(title="Episodes", columns=("what", "how many"), rows=tuple(rows))


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(str(counts.get(name, 0)) for name in ("world", "agent", "budget"))


def _share(count: int, share: float | None) -> str:
    return str(count) if share is None else f"{count} ({share:.1%})"


def _number(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def episode_tables(record: Record) -> list[Table]:
    """One record: how its episode ended."""
    value = record.answer.value if record.answer is not None else None
    played = value if isinstance(value, dict) else {}
    names = (
        *("instruction", "success", "reason", "steps", "budget", "ended", "claim"),
        *("invalid", "impossible", "repeated", "seconds", "folder"),
    )
    rows: list[tuple[Any, ...]] = [(name, _text(played[name])) for name in names if name in played]
    if record.failure is not None:
        rows.append(("failure", record.failure.message))
    note = None
    if played:
        note = f"screenmark show RUN --episode {played['folder']} lists its steps."
    return [
        Table(title=record.sample_id, columns=("what", "value"), rows=tuple(rows), note=note),
    ]


def _text(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
