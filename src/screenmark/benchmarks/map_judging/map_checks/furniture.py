"""Title, legend, labels and projection of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from screenmark.benchmarks.map_judging.map_checks.evidence import Evidence
from screenmark.benchmarks.map_judging.map_checks.expectations import Expectations
from screenmark.benchmarks.map_judging.samples import Check

_SHOWN: Final = 80
_SAME_PROJECTION: Final = {
    "albers": ("albers", "conic equal area", "epsg:5070", "epsg:102003", "esri:102003"),
    "mercator": ("mercator", "epsg:3857"),
    "lambert": ("lambert", "conic conformal", "epsg:3034", "epsg:2154", "azimuthal equal area"),
}
_KNOWN_CRS: Final = ("epsg:", "esri:")


def furniture(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether there are a title, a legend and labels where they are wanted."""
    checks = []
    for name, wanted, texts in (
        ("title", expected.title, found.titles),
        ("legend", expected.legend, found.legends),
    ):
        if wanted:
            checks.append(_present(name, found, texts))
    if expected.labels:
        checks.append(_labels(found))
    return checks


def _present(name: str, found: Evidence, texts: Sequence[str]) -> Check:
    if texts:
        return Check(name, "passed", f"“{texts[0][:_SHOWN]}”")
    if _unknown(found):
        return Check(name, "not_extracted", "the page could not be read")
    return Check(name, "failed", f"no {name} was found on the page")


def _labels(found: Evidence) -> Check:
    if found.visible_labels:
        return Check("labels", "passed", f"“{found.visible_labels[0][:_SHOWN]}”, …")
    hidden = [s.feature.label or s.feature.popup for s in found.features]
    hidden = [text for text in hidden if text]
    if hidden:
        return Check("labels", "passed", f"only on pointing at features: “{hidden[0][:_SHOWN]}”, …")
    if _unknown(found) or not found.features:
        return Check("labels", "not_extracted", "the page's labels could not be read")
    return Check("labels", "failed", "no label was found on the map")


def _unknown(found: Evidence) -> bool:
    """Whether nobody knows what stands on a page: for want of scripts or data, because it
    meddles, or because an engine draws it whose words cannot be read."""
    return (
        bool(found.not_served)
        or not found.readings
        or not found.is_whole
        or (found.hides_words and not found.features)
    )


def projection(found: Evidence, expected: Expectations) -> list[Check]:
    """Whether a map is in the projection asked for."""
    if not expected.projection:
        return []
    wanted = expected.projection.lower()
    words = next((same for key, same in _SAME_PROJECTION.items() if key in wanted), (wanted,))
    said = [f"{view.projection} {view.crs}".strip().lower() for view in found.views]
    if any(word in text for word in words for text in said):
        return [Check("projection", "passed", f"the map says {said[0]}")]
    known = [v for v in found.views if v.projection or v.crs.lower().startswith(_KNOWN_CRS)]
    if not known:
        return [Check("projection", "not_extracted", "the map's projection is not known")]
    return [Check("projection", "failed", f"the map says {said[0]}, not {expected.projection}")]
