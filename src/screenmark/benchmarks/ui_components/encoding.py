"""Retrieval by an encoder: whose vector is most like that of the expression or the anchor."""

from __future__ import annotations

from collections.abc import Sequence

from screenmark.benchmarks.ui_components.samples import Box, Leaf, RetrievalSample
from screenmark.models.encoders import (
    UI,
    Component,
    Encoder,
    Matrix,
    Similarity,
    checked,
    components_of,
    embed_all,
    similarities,
)


def encoder_scores(
    encoder: Encoder, samples: Sequence[RetrievalSample], how: Similarity
) -> list[list[float]]:
    """A number for each candidate of each sample; everything is embedded in few batches.

    Raises:
        ModelError: what the encoder returned is no vector for each component.
    """
    if not samples:
        return []
    queries = _queries(encoder, samples)
    candidates = components_of(encoder, [screen_of(sample) for sample in samples])
    return [
        similarities(query, matrix, how).tolist()
        for query, matrix in zip(queries, candidates, strict=True)
    ]


def query_of(sample: RetrievalSample) -> Component:
    """What is looked for: the anchor, or the expression as a text."""
    anchor = sample.anchor
    if anchor is None:
        return Component(text=sample.expression)
    return _component(anchor.box, anchor.leaf, anchor.ocr, anchor.file)


def screen_of(sample: RetrievalSample) -> UI:
    """The screen with the candidates as its components, in their order."""
    components = tuple(
        _component(c.box, sample.leaf_of(c), c.ocr, sample.file) for c in sample.candidates
    )
    return UI(sample.image_id, components, sample.file)


def _queries(encoder: Encoder, samples: Sequence[RetrievalSample]) -> Matrix | list[Matrix]:
    contextual = type(encoder).embed_components is not Encoder.embed_components
    if not contextual or any(sample.anchor is None for sample in samples):
        return embed_all(encoder, [query_of(sample) for sample in samples])
    found = []
    for sample in samples:
        anchor = query_of(sample)
        ui = UI(sample.anchor.image_id if sample.anchor else "", (anchor,), anchor.file)
        found.append(checked(encoder, encoder.embed_components(ui), 1)[0])
    return found


def _component(box: Box, leaf: Leaf | None, ocr: str, file: str) -> Component:
    if leaf is None:
        return Component(box=box, ocr=ocr, file=file)
    return Component(
        box=box,
        class_name=leaf.class_name,
        text=leaf.text,
        description=leaf.description,
        resource_id=leaf.resource_id,
        ocr=ocr,
        file=file,
    )
