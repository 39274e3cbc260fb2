"""What colours say: which places stand out, and whether dark means high."""

from __future__ import annotations

from collections.abc import Iterable

from screenmark.benchmarks.map_judging.map_checks.colours import lightness, parse_colour
from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.map_checks.world import identify, states
from screenmark.benchmarks.map_judging.samples import Check

MONOTONIC = 0.9
"""Rank correlation of lightness and value of an even ramp."""

_SURE = 0.97
_FEWEST_VALUES = 5
_FEWEST_COLOURS = 3
_MOST_COMPARED = 2000
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
    """Whether colours get steadily darker, or lighter, with the values.

    Where an engine does not say which number a colour stands for, the numbers that came with
    the features are tried. Such a ramp can pass, but not fail: another number may be meant.
    """
    if expected.colour_direction is None:
        return []
    sign = -1 if expected.colour_direction == "dark=high" else 1
    pairs = _pairs(found.features, None)
    if len({value for value, _ in pairs}) < _FEWEST_VALUES:
        return [_ramp_of_properties(found, sign)]
    if len({light for _, light in pairs}) < 2:
        return [Check("ramp", "failed", "all values have one colour")]
    correlation = _correlation(pairs)
    rises = sign * correlation
    said = f"rank correlation of value and lightness {correlation:+.2f} over {len(pairs)} features"
    if rises >= MONOTONIC:
        return [Check("ramp", "passed", said)]
    why = "the ramp is the other way round" if rises <= -MONOTONIC else "the ramp is not even"
    return [Check("ramp", "failed", f"{why}: {said}")]


def _ramp_of_properties(found: Evidence, sign: int) -> Check:
    shapes = found.of("Polygon") or found.features
    names = {name for shown in shapes for name in shown.feature.properties}
    ways: dict[str, float] = {}
    for name in sorted(names):
        pairs = _pairs(shapes, name)
        values, lights = {value for value, _ in pairs}, {light for _, light in pairs}
        if len(values) >= _FEWEST_VALUES and len(lights) >= _FEWEST_COLOURS:
            ways[name] = sign * _correlation(pairs)
    right = [name for name, rises in ways.items() if rises >= _SURE]
    wrong = [name for name, rises in ways.items() if rises <= -_SURE]
    if right and not wrong:
        name = right[0]
        said = f"rank correlation of {name} and lightness {sign * ways[name]:+.2f}"
        return Check("ramp", "passed", said)
    if not ways:
        return Check("ramp", "not_extracted", "too few values with colours were read")
    return Check("ramp", "not_extracted", "which number the colours stand for is not known")


def _pairs(shapes: Iterable[Shown], name: str | None) -> list[tuple[float, float]]:
    """Values, or numbers of a property, with the lightness that they are drawn in."""
    pairs = []
    for shown in shapes:
        feature = shown.feature
        value = feature.value if name is None else feature.properties.get(name)
        colour = parse_colour(feature.fill)
        if colour is not None and isinstance(value, int | float) and not isinstance(value, bool):
            pairs.append((float(value), lightness(colour)))
    return pairs


def _correlation(pairs: list[tuple[float, float]]) -> float:
    """Rank correlation; in few classes, where ranks are tied, that of pairs that differ."""
    import numpy as np
    from scipy.stats import rankdata

    ranks = [rankdata(column) for column in zip(*pairs, strict=True)]
    spearman = float(np.corrcoef(ranks[0], ranks[1])[0, 1])
    values, lights = (np.asarray(rank[:_MOST_COMPARED]) for rank in ranks)
    signs = np.sign(values[:, None] - values) * np.sign(lights[:, None] - lights)
    compared = int(np.abs(signs).sum())
    gamma = float(signs.sum()) / compared if compared else 0.0
    return max(spearman, gamma, key=abs)
