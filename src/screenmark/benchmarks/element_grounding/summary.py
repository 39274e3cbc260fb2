"""Records of element grounding to results."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from screenmark.answers import Profile
from screenmark.benchmarks.element_grounding.audit import Seen, audit, look_at
from screenmark.benchmarks.element_grounding.baselines import blind_scores
from screenmark.benchmarks.element_grounding.samples import GroundingSample
from screenmark.metrics.clusters import clustered_interval
from screenmark.metrics.intervals import wilson_interval
from screenmark.metrics.pages import mean, ratio
from screenmark.metrics.points import bounds
from screenmark.types import Outcome, Record

_SIZES = ((16**2, "tiny"), (32**2, "small"), (96**2, "medium"))
_FORMAT_ERRORS = (Outcome.UNPARSEABLE, Outcome.EMPTY, Outcome.TRUNCATED)


class _Item(NamedTuple):
    """What the summary keeps of a record."""

    sample: GroundingSample
    score: dict[str, Any]
    outcome: Outcome


def summarise_points(
    records: Iterable[Record],
    profile: Profile,
    profile_source: str | None = None,
    *,
    compat: bool,
    count_absent: bool,
    read_by: str | None = None,
) -> dict[str, Any]:
    """The benchmark's part of ``results.json``; ``records`` are in data order.

    With ``count_absent`` the headline is over absent targets too, as OSWorld-G's is. ``read_by``
    is the function of the user's own that reads the replies, if there is one.
    """
    items: list[_Item] = []
    seen: list[Seen] = []
    for record in records:
        sample = msgspec.convert(record.sample, GroundingSample)
        items.append(_Item(sample, record.score, record.outcome))
        if not compat:
            seen.append(look_at(sample, record, profile))
    present = [item for item in items if item.sample.target == "present"]
    counted = items if count_absent else present
    low, high = clustered_interval(
        [item.score["hit"] for item in counted], [item.sample.image_path for item in counted]
    )
    total, everything = _scores(present), _scores(items)
    head = everything if count_absent else total
    unique = {item.sample.id: item.sample for item in items}
    kinds = {name: _level(present, name) for name in ("basic", "advanced")}
    return {
        "headline": {
            "metric": "accuracy_all" if count_absent else "accuracy",
            "value": head["accuracy"],
            "low": low,
            "high": high,
        },
        "profile": {
            "name": profile.name,
            "space": profile.space,
            "chosen_by": profile_source,
            "read_by": read_by,
        },
        "blind_baselines": blind_scores(list(unique.values())),
        "accuracy": total["accuracy"],
        "accuracy_all": everything["accuracy"],
        "accuracy_macro": _macro(present),
        "average": mean([part["accuracy"] for part in kinds.values() if part is not None]),
        "present": total,
        "absent": _absent(items),
        "answered_only": _scores([item for item in present if item.score["point"] is not None]),
        "basic": kinds["basic"],
        "advanced": kinds["advanced"],
        "by_platform_and_kind": _with_kinds(present, "platform"),
        "by_group_and_kind": _with_kinds(present, "group"),
        "by_group": _by_group(present),
        "audit": None if compat else audit(seen, profile, read_by),
        "per_sample": [_row(item) for item in items],
    }


def _row(item: _Item) -> dict[str, Any]:
    sample = item.sample
    return {
        "id": sample.id,
        "image_path": sample.image_path,
        "instruction": sample.instruction,
        **sample.groups,
        **item.score,
        "outcome": item.outcome.value,
    }


def _scores(items: Sequence[_Item]) -> dict[str, Any]:
    """Hit rate with a Wilson interval, and what became of the others."""
    hits = sum(item.score["hit"] for item in items)
    outcomes = Counter(item.outcome for item in items)
    distances = [d for item in items if (d := item.score["distance"]) is not None]
    low, high = wilson_interval(hits, len(items))
    return {
        "num_samples": len(items),
        "num_hits": hits,
        "accuracy": ratio(hits, len(items)),
        "low": low,
        "high": high,
        "format_errors": sum(outcomes[outcome] for outcome in _FORMAT_ERRORS),
        "refused": outcomes[Outcome.REFUSED],
        "failures": sum(count for outcome, count in outcomes.items() if outcome.is_failure),
        "median_distance": statistics.median(distances) if distances else None,
    }


def _absent(items: Sequence[_Item]) -> dict[str, Any] | None:
    """How often a target that is not there was declined, and how often clicked nevertheless."""
    absent = [item for item in items if item.sample.target == "absent"]
    if not absent:
        return None
    part = _scores(absent)
    clicked = sum(item.score["point"] is not None for item in absent)
    return {
        "num_samples": len(absent),
        "rejected": part["num_hits"],
        "rejection_rate": part["accuracy"],
        "low": part["low"],
        "high": part["high"],
        "clicked": clicked,
        "hallucination_rate": ratio(clicked, len(absent)),
        "false_rejections": sum(
            item.outcome is Outcome.REFUSED for item in items if item.sample.target == "present"
        ),
    }


def _split(items: Sequence[_Item], key: Callable[[_Item], str | None]) -> dict[str, list[_Item]]:
    groups: dict[str, list[_Item]] = defaultdict(list)
    for item in items:
        name = key(item)
        if name:
            groups[name].append(item)
    return dict(sorted(groups.items()))


def _level(present: Sequence[_Item], name: str) -> dict[str, Any] | None:
    """One grounding type by platform, and within it by kind of target; None if not asked."""
    members = [item for item in present if item.sample.groups.get("grounding_type") == name]
    if not members:
        return None
    return {**_scores(members), "by_platform": _with_kinds(members, "platform")}


def _with_kinds(members: Sequence[_Item], field: str) -> dict[str, Any]:
    """By what stands in a field, as platform, and within it by kind of target."""
    return {
        name: {
            **_scores(part),
            "by_data_type": {
                kind: _scores(rest)
                for kind, rest in _split(part, lambda i: i.sample.groups.get("data_type")).items()
            },
        }
        for name, part in _split(members, lambda i: i.sample.groups.get(field)).items()
    }


def _by_group(present: Sequence[_Item]) -> dict[str, dict[str, Any]]:
    names = dict.fromkeys(name for item in present for name in item.sample.groups)
    found = {
        name: {
            value: _scores(members)
            for value, members in _split(present, lambda i, n=name: i.sample.groups.get(n)).items()  # type: ignore[misc]
        }
        for name in names
    }
    found["language"] = {
        value: _scores(members)
        for value, members in _split(present, lambda item: item.sample.language).items()
    }
    order = [name for _, name in _SIZES] + ["large"]
    sizes = _split(present, _size)
    found["target_size"] = {name: _scores(sizes[name]) for name in order if name in sizes}
    return found


def _size(item: _Item) -> str | None:
    """By area in pixels: tiny < 16², small < 32², medium < 96², large."""
    sample = item.sample
    if not sample.shapes:
        return None
    x1, y1, x2, y2 = bounds(sample.shapes[0])
    area = (x2 - x1) * sample.width * (y2 - y1) * sample.height
    return next((name for limit, name in _SIZES if area < limit), "large")


def _macro(present: Sequence[_Item]) -> float | None:
    """Mean over the cells of platform, grounding type and kind of target."""
    keys = ("platform", "grounding_type", "data_type", "group")
    cells = _split(present, lambda item: "/".join(item.sample.groups.get(key, "") for key in keys))
    return mean([ratio(sum(i.score["hit"] for i in cell), len(cell)) for cell in cells.values()])


def public_scores(results: dict[str, Any]) -> dict[str, Any]:
    """Results in the layout of the public implementation's ``_score.json``, in percent.

    A mode that was not asked has no block, and no accuracy; the average is over the modes that
    were.
    """
    blocks: dict[str, Any] = {}
    for name in ("basic", "advanced"):
        level = results[name]
        if level is not None:
            blocks[name] = {
                platform: _public_cell(part) for platform, part in level["by_platform"].items()
            }
    accuracies = {name: _percent(results[name]["accuracy"]) for name in blocks}
    head = {f"{name.capitalize()} accuracy": value for name, value in accuracies.items()}
    head["Average accuracy"] = mean(list(accuracies.values()))
    return {**head, **blocks}


def _public_cell(part: dict[str, Any]) -> dict[str, Any]:
    kinds = part["by_data_type"]
    icon, text = kinds.get("icon"), kinds.get("text")
    return {
        "Total num": part["num_samples"],
        "Icon num": icon["num_samples"] if icon else 0,
        "Text num": text["num_samples"] if text else 0,
        "Total accuracy": _percent(part["accuracy"]),
        "Icon accuracy": _percent(icon["accuracy"]) if icon else None,
        "Text accuracy": _percent(text["accuracy"]) if text else None,
        "Correct num": part["num_hits"],
        "Wrong num": part["num_samples"] - part["num_hits"] - _bad(part),
        "Error format num": _bad(part),
    }


def _bad(part: dict[str, Any]) -> int:
    return int(part["format_errors"] + part["refused"] + part["failures"])


def _percent(rate: float | None) -> float | None:
    return None if rate is None else 100 * rate
