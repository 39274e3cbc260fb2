"""What colours say: which places stand out, and whether dark means high."""

from __future__ import annotations

from screenmark.benchmarks.map_judging.map_checks.colours import lightness, parse_colour
from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.map_checks.world import identify, states
from screenmark.benchmarks.map_judging.samples import Check

MONOTONIC = 0.9
"""Rank correlation of lightness and value of an even ramp."""

_FEWEST_VALUES = 5
_FEWEST_SHARED = 0.5


def highlight(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether exactly the places asked for share a colour or a trace of their own."""
    if not expected.highlight:
        return []
    wanted = set(expected.highlight)
    kind = "states" if all(code in states() for code in wanted) else "countries"
    colours: dict[str, set[str]] = {}
    layers: dict[str, set[str]] = {}
    for shown in found.of("Polygon"):
        code = _identified(shown, kind)
        if code is not None:
            colour = shown.feature.fill or shown.feature.stroke
            colours.setdefault(f"colour {colour}", set()).add(code)
            layers.setdefault(shown.layer, set()).add(code)
    # Layers tell places apart where colours do not, as hatched ones.
    groups = colours if len(colours) > 1 else layers
    if not groups:
        return [
            Check("highlight", "not_extracted", "no polygon that is one of the places was read")
        ]
    key, best = max(groups.items(), key=lambda group: _agreement(group[1], wanted))
    if best == wanted and found.is_whole:
        return [Check("highlight", "passed", f"{key}: {few(sorted(best), 12)}")]
    if found.may_lack and not best > wanted:
        return [Check("highlight", "not_extracted", "only a part of the features is there")]
    if len(best & wanted) < _FEWEST_SHARED * len(wanted):
        return [Check("highlight", "failed", "no colour or layer picks out the places asked for")]
    extra, missing = sorted(best - wanted), sorted(wanted - best)
    parts = [f"also {few(extra, 8)}"] * bool(extra) + [f"without {few(missing, 8)}"] * bool(missing)
    said = f"{len(best)} places for {len(wanted)}, {'; '.join(parts)}"
    return [Check("highlight", "failed", f"{key}: {said}")]


def _identified(shown: Shown, kind: str) -> str | None:
    is_state = shown.code in states()
    if shown.code and is_state == (kind == "states"):
        return shown.code
    return identify(shown.shape, kind) if shown.shape.area > 0 else None


def _agreement(some: set[str], others: set[str]) -> float:
    return len(some & others) / len(some | others)


def ramp(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether colours get steadily darker, or lighter, with the values."""
    if expected.colour_direction is None:
        return []
    pairs = [
        (shown.feature.value, lightness(colour))
        for shown in found.features
        if shown.feature.value is not None and (colour := parse_colour(shown.feature.fill))
    ]
    if len({value for value, _ in pairs}) < _FEWEST_VALUES:
        return [Check("ramp", "not_extracted", "too few values with colours were read")]
    if len({light for _, light in pairs}) < 2:
        return [Check("ramp", "failed", "all values have one colour")]
    correlation = _spearman(pairs)
    dark_is_high = expected.colour_direction == "dark=high"
    rises = -correlation if dark_is_high else correlation
    said = f"rank correlation of value and lightness {correlation:+.2f} over {len(pairs)} features"
    if rises >= MONOTONIC:
        return [Check("ramp", "passed", said)]
    why = "the ramp is the other way round" if rises <= -MONOTONIC else "the ramp is not even"
    return [Check("ramp", "failed", f"{why}: {said}")]


def _spearman(pairs: list[tuple[float, float]]) -> float:
    import numpy as np
    from scipy.stats import rankdata

    ranks = [rankdata(column) for column in zip(*pairs, strict=True)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
