"""Places that belong to the nearest of several hubs: by lines, by words, by colours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeAlias

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence, Shown, few
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.map_checks.geodesy import distance_km
from screenmark.benchmarks.map_judging.map_checks.routes import positions
from screenmark.benchmarks.map_judging.samples import Check

Place: TypeAlias = tuple[float, ...]

TIE: Final = 0.01
"""By how much a hub may be farther than the nearest one: two may be equally far."""

_MOST_HUBS: Final = 0.34
_FEWEST: Final = 3
_MOST_POINTS: Final = 2000
_LONGEST_NAME: Final = 40
_SAME_KM: Final = 0.05
_ASKS_NEAREST: Final = re.compile(r"nearest|closest|가장 가까운|최근접|최단 거리", re.IGNORECASE)
_SAYS_HUB: Final = re.compile(
    r"nearest|closest|\bhub|assigned|allocated|가장 가까운|최근접|거점|배정|할당|허브",
    re.IGNORECASE,
)


class _Link(NamedTuple):
    """A place and the hub that the map gives it to."""

    place: Place
    hub: Place


def nearest_hub(found: Evidence, expected: Expectations, prompt: str) -> list[Check]:
    """Whether every place is given to the nearest hub.

    Lines to a few common ends say so, or words beside a point that name another point as its
    hub. Colours can only agree: which hub a colour stands for, no page says.
    """
    if not _ASKS_NEAREST.search(prompt):
        return []
    if "LineString" in expected.kinds:
        links, by = _by_lines(found), "lines lead"
        why = "lines do not lead to a few common ends"
    elif "Point" in expected.kinds:
        links, by = _by_words(found), "points are given"
        why = "no words say which hub points are given to"
    else:
        return []
    if links:
        return [_judged(found, links, by)]
    if "Point" in expected.kinds and (agreed := _by_colours(found)):
        return [Check("nearest_hub", "passed", agreed)]
    return [Check("nearest_hub", "not_extracted", why)]


def _judged(found: Evidence, links: list[_Link], by: str) -> Check:
    hubs = list(dict.fromkeys(link.hub for link in links))
    wrong = []
    for place, hub in links:
        nearest = _nearest(place, hubs)
        if not _as_near(place, hub, nearest):
            wrong.append(f"{_named(found, place)} is nearer to {_named(found, nearest)}")
    said = f"{len(links) - len(wrong)} of {len(links)} {by} to the nearest of {len(hubs)} hubs"
    if wrong:
        return Check("nearest_hub", "failed", f"{said}; {few(wrong, 3)}")
    return Check("nearest_hub", "passed", said)


def _nearest(place: Place, hubs: Iterable[Place]) -> Place:
    return min(hubs, key=lambda hub: distance_km(place, hub))


def _as_near(place: Place, hub: Place, nearest: Place) -> bool:
    return distance_km(place, hub) <= distance_km(place, nearest) * (1 + TIE) + _SAME_KM


def _by_lines(found: Evidence) -> list[_Link]:
    """Lines from many places to a few that they share."""
    lines = [p for s in found.of("LineString") if len(p := positions(s)) > 1]
    ends = [(tuple(p[0]), tuple(p[-1])) for p in lines]
    counts = [Counter(pair[side] for pair in ends) for side in (0, 1)]
    side = 0 if len(counts[0]) < len(counts[1]) else 1
    if not _are_hubs(len(counts[side]), len(ends)):
        return []
    return [_Link(pair[1 - side], pair[side]) for pair in ends]


def _are_hubs(hubs: int, places: int) -> bool:
    return places >= _FEWEST and 2 <= hubs <= _MOST_HUBS * places


def _points(found: Evidence) -> list[Shown]:
    return found.of("Point")[:_MOST_POINTS]


def _name(shown: Shown) -> str:
    """What a point is called: its label or the start of its popup, if that is short."""
    feature = shown.feature
    own = [str(v) for k, v in feature.properties.items() if k.lower() in {"name", "city", "이름"}]
    for text in (*own, feature.label, feature.popup):
        if 1 < len(text.strip()) <= _LONGEST_NAME and not _SAYS_HUB.search(text):
            return text.strip()
    return ""


def _by_words(found: Evidence) -> list[_Link]:
    """Points whose words name exactly one other point, and say that it is their hub."""
    points = _points(found)
    hubs: dict[str, Place] = {}
    for shown in points:
        if name := _name(shown):
            hubs.setdefault(name, _place(shown))
    links = []
    for shown in points:
        feature = shown.feature
        claims = [text for text in (feature.label, feature.popup) if _SAYS_HUB.search(text)]
        claims += [str(v) for k, v in feature.properties.items() if _SAYS_HUB.search(k)]
        if not claims:
            continue
        place, own = _place(shown), _name(shown)
        text = " ".join(claims)
        named = {
            name
            for name, at in hubs.items()
            if name != own and at != place and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        }
        if len(named) == 1:
            links.append(_Link(place, hubs[named.pop()]))
    several = 2 <= len({link.hub for link in links}) < len(links)
    return links if several and len(links) >= _FEWEST else []


def _by_colours(found: Evidence) -> str:
    """How colours agree with the nearest hubs; "" where they do not, or hubs are not known."""
    kinds: dict[tuple[str, str], list[Shown]] = {}
    for shown in _points(found):
        kinds.setdefault((shown.layer, shown.feature.kind), []).append(shown)
    for key, few_points in kinds.items():
        hubs = list(dict.fromkeys(_place(shown) for shown in few_points))
        others = [s for other, members in kinds.items() if other != key for s in members]
        rest = [s for s in others if _place(s) not in hubs and s.feature.fill]
        if not _are_hubs(len(hubs), len(rest)):
            continue
        pairs = {(s.feature.fill, _nearest(_place(s), hubs)) for s in rest}
        if len(pairs) == len(dict(pairs)) == len({hub for _, hub in pairs}) == len(hubs):
            return f"{len(rest)} points have the colour of the nearest of {len(hubs)} hubs"
    return ""


def _place(shown: Shown) -> Place:
    return tuple(positions(shown)[0])


def _named(found: Evidence, place: Any) -> str:
    """The name of the point at a place, or its coordinates."""
    for shown in found.of("Point"):
        if _place(shown) == place and (name := _name(shown) or shown.feature.label):
            return name[:_LONGEST_NAME]
    return f"({place[0]:.3f}, {place[1]:.3f})"
