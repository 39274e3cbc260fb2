"""Encoders: models that turn components and whole UIs into vectors instead of words.

Subclass `Encoder` and implement ``embed``; override what your model does better at once
(``embed_batch``), in context (``embed_components``) or for a UI as a whole (``embed_ui``).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from screenmark.errors import ModelError

if TYPE_CHECKING:
    from PIL import Image as PillowImage

Vector: TypeAlias = NDArray[np.float32]
"""Shape (d,)."""

Matrix: TypeAlias = NDArray[np.float32]
"""Shape (n, d), one row an embedding."""

Similarity: TypeAlias = Literal["dot", "cosine"]

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Component(msgspec.Struct, frozen=True, omit_defaults=True):
    """One component of a UI as far as it is known, or a text alone, such as an expression.

    Attributes:
        box: ``x1, y1, x2, y2`` in fractions of the screen, origin top left; None for a text.
        class_name, text, description, resource_id: of the view hierarchy; empty without one.
        ocr: the recognised text within the box; empty without any.
        file: the screenshot; empty without one.
    """

    box: tuple[float, float, float, float] | None = None
    class_name: str = ""
    text: str = ""
    description: str = ""
    resource_id: str = ""
    ocr: str = ""
    file: str = ""

    @property
    def words(self) -> str:
        """All that is said of it, names taken apart into words, with single spaces."""
        kind = self.class_name.replace("_", " ").lower()
        name = _HUMP.sub(" ", self.resource_id).replace("_", " ")
        return " ".join(f"{kind} {self.text} {self.description} {name} {self.ocr}".split())

    def crop(self) -> PillowImage.Image:
        """Its part of the screenshot in RGB, at least one pixel wide and high.

        Raises:
            ImageError: the screenshot cannot be read.
            ValueError: there is no screenshot, or no box.
        """
        from screenmark.images import open_rgb

        if self.box is None or not self.file:
            raise ValueError("the component has no box on a screenshot")
        screen = open_rgb(self.file)
        width, height = screen.size
        x1, y1, x2, y2 = (min(max(value, 0.0), 1.0) for value in self.box)
        left, top = min(int(x1 * width), width - 1), min(int(y1 * height), height - 1)
        return screen.crop(
            (left, top, max(left + 1, round(x2 * width)), max(top + 1, round(y2 * height)))
        )


class UI(msgspec.Struct, frozen=True, omit_defaults=True):
    """One screen with its components in the order of the data.

    Attributes:
        id: of the screen in its data set.
        file: the screenshot; empty without one.
    """

    id: str
    components: tuple[Component, ...] = ()
    file: str = ""


class Encoder(ABC):
    """A model whose answer is a vector; all its vectors have one length d.

    Attributes:
        name: shown in tables and part of the run folder's name.
        fingerprint: tells two encoders of one name apart; a run goes on only with the same one.
        batch: most components that ``embed_batch`` is given at once.
    """

    name: str = "encoder"
    fingerprint: str | None = None
    batch: int = 256

    @abstractmethod
    def embed(self, component: Component) -> Vector:
        """A component, or a text alone, as a vector of shape (d,)."""

    def embed_batch(self, components: Sequence[Component]) -> Matrix:
        """Several at once, shape (n, d); at least one."""
        return np.stack([np.asarray(self.embed(c), dtype=np.float32) for c in components])

    def embed_components(self, ui: UI) -> Matrix:
        """The components of one UI, shape (n, d). Override it if they depend on each other."""
        return embed_all(self, ui.components)

    def embed_ui(self, ui: UI) -> Vector:
        """A whole UI, shape (d,): by default the mean of its components, zeros without any."""
        if not ui.components:
            return np.zeros_like(embed_all(self, [Component()])[0])
        mean: Vector = self.embed_components(ui).mean(axis=0, dtype=np.float32)
        return mean

    def embed_uis(self, uis: Sequence[UI]) -> Matrix:
        """Several UIs, shape (n, d)."""
        return np.stack([np.asarray(self.embed_ui(ui), dtype=np.float32) for ui in uis])


def embed_all(encoder: Encoder, components: Sequence[Component]) -> Matrix:
    """Any number of components in batches; equal ones are embedded once.

    Args:
        components: at least one.

    Raises:
        ModelError: what came is no finite vector for each of them.
    """
    distinct = list(dict.fromkeys(components))
    rows = {component: row for row, component in enumerate(distinct)}
    parts = [
        checked(encoder, encoder.embed_batch(b), len(b)) for b in _batches(distinct, encoder.batch)
    ]
    if len({part.shape[1] for part in parts}) != 1:
        raise ModelError(f"{encoder.name}: vectors of different lengths")
    found: Matrix = np.concatenate(parts)[[rows[component] for component in components]]
    return found


def components_of(encoder: Encoder, uis: Sequence[UI]) -> list[Matrix]:
    """The components of several UIs, for each the shape (n, d).

    All go through ``embed_batch`` together, unless the encoder embeds them in context.

    Raises:
        ModelError: as for `embed_all`.
    """
    if type(encoder).embed_components is not Encoder.embed_components:
        return [checked(encoder, encoder.embed_components(ui), len(ui.components)) for ui in uis]
    flat = [component for ui in uis for component in ui.components]
    ends = np.cumsum([len(ui.components) for ui in uis])[:-1]
    return list(np.split(embed_all(encoder, flat), ends)) if flat else []


def concatenated(embeddings: Matrix, most: int) -> Vector:
    """The first ``most`` embeddings of a UI's components in one vector of ``most`` times d.

    What is missing is zero, so that UIs with few components and with many have one length.

    Args:
        embeddings: shape (n, d).
        most: how many to keep, at least 1.
    """
    if most < 1:
        raise ValueError(f"most must be at least 1, got {most}")
    count, width = embeddings.shape
    found = np.zeros((most, width), dtype=np.float32)
    found[: min(count, most)] = embeddings[:most]
    return found.reshape(-1)


def similarities(query: Vector, candidates: Matrix, how: Similarity = "dot") -> NDArray[np.float64]:
    """How alike each candidate is to the query, shape (n,), the highest the most.

    Args:
        query: shape (d,).
        candidates: shape (n, d).
        how: dot product, or that of unit vectors (cosine), where a zero vector is like nothing.
    """
    # Row by row: a matrix product may give equal rows different last digits, and break ties.
    found: NDArray[np.float64] = (candidates.astype(np.float64) * query).sum(axis=1)
    if how == "cosine":
        lengths = np.linalg.norm(candidates, axis=1).astype(np.float64) * np.linalg.norm(query)
        found = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
    return found


def checked(encoder: Encoder, vectors: object, count: int) -> Matrix:
    """What an encoder returned, as a matrix of ``count`` rows.

    Raises:
        ModelError: it is none, or holds something that is not a finite number.
    """
    try:
        found: Matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{encoder.name}: expected vectors of numbers ({error})") from None
    if found.ndim != 2 or len(found) != count or not found.shape[1]:
        raise ModelError(
            f"{encoder.name}: expected vectors of the shape ({count}, d), found {found.shape}"
        )
    if not np.isfinite(found).all():
        raise ModelError(f"{encoder.name}: a vector holds what is not a finite number")
    return found


def _batches(components: Sequence[Component], most: int) -> Iterator[Sequence[Component]]:
    for start in range(0, len(components), most):
        yield components[start : start + most]
