"""Encoders: batches, context, similarities, what is refused, and running as a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from screenmark.benchmarks import Dataset, Sample
from screenmark.benchmarks.rules import Rule
from screenmark.errors import ModelError, RejectedError, UsageError
from screenmark.models.base import ModelOptions
from screenmark.models.encoders import (
    UI,
    Component,
    Encoder,
    Matrix,
    Vector,
    checked,
    components_of,
    concatenated,
    embed_all,
    similarities,
)
from screenmark.models.registry import own_encoder
from screenmark.models.rule import RuleAdapter
from screenmark.types import Request


class Lengths(Encoder):
    """Number of letters and of words; counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def embed(self, component: Component) -> Vector:
        return np.array([len(component.words), len(component.words.split())], dtype=np.float32)

    def embed_batch(self, components: Sequence[Component]) -> Matrix:
        self.asked.append(len(components))
        return super().embed_batch(components)


class Contextual(Lengths):
    """Adds the number of components of the UI."""

    def embed_components(self, ui: UI) -> Matrix:
        return super().embed_components(ui) + len(ui.components)


class Sized(Encoder):
    """Wants the temperature, and has a name of its own."""

    name = "sized"

    def __init__(self, temperature: float) -> None:
        self.temperature = temperature

    def embed(self, component: Component) -> Vector:
        return np.array([self.temperature], dtype=np.float32)


def texts(*words: str) -> tuple[Component, ...]:
    return tuple(Component(text=word) for word in words)


def test_words_of_a_component() -> None:
    component = Component(
        class_name="TEXT_VIEW", text=" Sign\nIn ", resource_id="logIn_2", ocr="iPhone"
    )
    assert component.words == "text view Sign In log In 2 iPhone"
    assert Component().words == ""


def test_batches_and_equal_components() -> None:
    encoder = Lengths()
    many = texts(*(f"w{number}" for number in range(Encoder.batch + 5)), "w0", "w0")
    found = embed_all(encoder, many)
    assert encoder.asked == [Encoder.batch, 5]
    assert found.shape == (Encoder.batch + 7, 2)
    assert found.dtype == np.float32
    assert (found[-1] == found[0]).all()


def test_components_of_several_uis() -> None:
    uis = [UI("a", texts("x", "yy")), UI("b"), UI("c", texts("zzz"))]
    encoder = Lengths()
    first, second, third = components_of(encoder, uis)
    assert first.tolist() == [[1, 1], [2, 1]]
    assert second.shape == (0, 2)
    assert third.tolist() == [[3, 1]]
    assert encoder.asked == [3], "all at once"
    assert components_of(encoder, []) == []
    assert components_of(Contextual(), [uis[0]])[0].tolist() == [[3, 3], [4, 3]]


def test_a_ui_is_the_mean_of_its_components() -> None:
    encoder = Lengths()
    uis = [UI("a", texts("x", "yyy")), UI("b")]
    assert encoder.embed_uis(uis).tolist() == [[2, 1], [0, 0]]


def test_concatenated_is_cut_and_filled() -> None:
    matrix = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
    assert concatenated(matrix, 2).tolist() == [1, 2, 3, 4]
    assert concatenated(matrix[:1], 2).tolist() == [1, 2, 0, 0]
    with pytest.raises(ValueError, match="at least 1"):
        concatenated(matrix, 0)


def test_similarities() -> None:
    query = np.array([2, 0], dtype=np.float32)
    candidates = np.array([[3, 4], [0, 0], [-1, 0]], dtype=np.float32)
    assert similarities(query, candidates).tolist() == [6, 0, -2]
    assert similarities(query, candidates, "cosine") == pytest.approx([0.6, 0, -1])
    same = np.tile(np.linspace(0.1, 0.9, 384, dtype=np.float32), (9, 1))
    assert len(set(similarities(same[0] / 7, same).tolist())) == 1, "equal rows, equal numbers"
    assert similarities(0 * query, candidates, "cosine").tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        pytest.param([[1.0], [2.0]], r"shape \(3, d\), found \(2, 1\)", id="too few"),
        pytest.param([1.0, 2.0, 3.0], r"found \(3,\)", id="no vectors"),
        pytest.param([[], [], []], r"found \(3, 0\)", id="empty vectors"),
        pytest.param([["a"], ["b"], ["c"]], "vectors of numbers", id="words"),
        pytest.param([[1.0], [2.0, 3.0], [1.0]], "vectors of numbers", id="lengths"),
        pytest.param([[1.0], [float("nan")], [1.0]], "not a finite number", id="nan"),
    ],
)
def test_what_is_no_embedding(vectors: Any, said: str) -> None:
    with pytest.raises(ModelError, match=rf"encoder: .*{said}"):
        checked(Lengths(), vectors, 3)


def test_lengths_that_differ_between_batches() -> None:
    class Growing(Lengths):
        def embed_batch(self, components: Sequence[Component]) -> Matrix:
            return np.ones((len(components), len(components)), dtype=np.float32)

    with pytest.raises(ModelError, match="different lengths"):
        embed_all(Growing(), texts(*map(str, range(Encoder.batch + 1))))


def test_crop(tmp_path: Path) -> None:
    path = tmp_path / "screen.png"
    image = Image.new("RGB", (100, 50), "white")
    image.putpixel((10, 10), (255, 0, 0))
    image.save(path)
    crop = Component(box=(0.1, 0.2, 0.3, 0.6), file=str(path)).crop()
    assert crop.size == (20, 20)
    assert crop.getpixel((0, 0)) == (255, 0, 0)
    assert Component(box=(1.2, 1.2, 1.2, 1.2), file=str(path)).crop().size == (1, 1)
    with pytest.raises(ValueError, match="no box"):
        Component(text="x").crop()


class TestByName:
    def test_an_encoder_is_made_with_what_it_asks_for(self) -> None:
        options = ModelOptions(adapter=f"{__name__}:Sized", temperature=0.5)
        encoder = own_encoder(options)
        assert isinstance(encoder, Encoder)
        assert encoder.name == "sized"
        assert encoder.embed(Component()).tolist() == [0.5]

    def test_it_has_the_model_s_name(self) -> None:
        encoder = own_encoder(ModelOptions(adapter=f"{__name__}:Lengths", model="mine"))
        assert encoder is not None
        assert encoder.name == "mine"

    @pytest.mark.parametrize(
        "options",
        [
            pytest.param({"adapter": "openai"}, id="adapter by name"),
            pytest.param({}, id="none"),
            pytest.param({"adapter": "tests.support.adapters:Silent"}, id="no encoder"),
        ],
    )
    def test_others_are_left_alone(self, options: dict[str, Any]) -> None:
        assert own_encoder(ModelOptions(**options)) is None

    def test_an_abstract_one_is_refused(self) -> None:
        options = ModelOptions(adapter="screenmark.models.encoders:Encoder")
        with pytest.raises(UsageError, match="does not implement embed"):
            own_encoder(options)

    def test_a_benchmark_without_vectors_refuses_one(self) -> None:
        from screenmark.engine.plan import Plan

        plan = Plan("mmbench-gui-l1", {"adapter": f"{__name__}:Lengths"})
        with pytest.raises(UsageError, match="mmbench-gui-l1 takes no encoder"):
            plan.replicas()


class TestAnswering:
    """A rule that looks at each sample alone is not asked about those that nobody asks."""

    @pytest.mark.parametrize(
        ("alone", "seen"),
        [pytest.param(True, [128, 22], id="alone"), pytest.param(False, [150], id="all")],
    )
    def test_which_samples_are_answered(self, alone: bool, seen: list[int]) -> None:
        asked: list[int] = []

        def answer(samples: Sequence[Any]) -> list[str]:
            asked.append(len(samples))
            return [f"reply to {sample.id}" for sample in samples]

        class Many:
            draws = True

            def load(self) -> Dataset[Sample]:
                return Dataset([Sample(id=str(n)) for n in range(150)], "many", "0")

        async def run() -> list[str]:
            benchmark: Any = Many()
            adapter = RuleAdapter("rule", Rule("a rule", answer, alone), benchmark)
            assert not benchmark.draws
            await adapter.start()
            replies = [adapter.generate(Request((), sample_id=str(n))) for n in (3, 127, 149, 128)]
            with pytest.raises(RejectedError, match="knows no sample x"):
                await adapter.generate(Request((), sample_id="x"))
            return [reply.text for reply in await asyncio.gather(*replies)]

        assert asyncio.run(run()) == [f"reply to {n}" for n in (3, 127, 149, 128)]
        assert asked == seen
