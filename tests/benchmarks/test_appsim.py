"""Similar components: bundled stand-ins, data of one's own, asking, rules, encoders, runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.benchmarks.base import Dataset
from screenmark.benchmarks.ui_components.appsim import AppSim, AppSimRico, AppSimWeb
from screenmark.benchmarks.ui_components.encoding import encoder_scores
from screenmark.benchmarks.ui_components.pair_rules import PAIR_SCORERS
from screenmark.benchmarks.ui_components.retrieval import RetrievalOptions
from screenmark.benchmarks.ui_components.samples import Anchor, Candidate, Leaf, RetrievalSample
from screenmark.errors import DataError, UsageError
from screenmark.images import open_rgb
from screenmark.jsonfile import dump_json
from screenmark.metrics import top_k_accuracy
from screenmark.models.encoders import UI, Component, Encoder, Matrix, Vector
from screenmark.types import Image, Message, Text
from tests.support.commands import command
from tests.support.tfrecords import SIDES, file_of

TASKS: dict[str, type[AppSim]] = {"rico": AppSimRico, "web": AppSimWeb}


def make(task: str = "rico", **options: Any) -> AppSim:
    return TASKS[task](RetrievalOptions(**options))


@cache
def bundled(task: str, split: str = "test", modalities: str | None = None) -> Dataset[Any]:
    return make(task, split=split, modalities=modalities).load()


def pair(**changes: Any) -> dict[str, Sequence[Any]]:
    """One record: the anchor "Sign in" and three candidates, of which the second is right."""
    boxes = [(0.0, 0.0, 0.1, 0.03), (0.1, 0.5, 0.9, 0.6), (0.2, 0.8, 0.3, 0.9)]
    found: dict[str, Sequence[Any]] = {
        "anchor/image/id": [b"7"],
        "search/image/id": [b"42"],
        "search/correct/index": [1],
    }
    for n, side in enumerate(SIDES):
        found[f"anchor/image/anchor/bbox/{side}"] = [(0.1, 0.1, 0.5, 0.2)[n]]
        found[f"search/image/candidate/bbox/{side}"] = [box[n] for box in boxes]
    return found | {name.replace("__", "/"): value for name, value in changes.items()}


def node(box: Sequence[int], text: str = "", **more: Any) -> dict[str, Any]:
    return {"bounds": list(box), "class": "android.widget.Button", "text": text, **more}


def folder_of(place: Path, *records: dict[str, Sequence[Any]]) -> Path:
    """A data folder in which all is there that a run can use."""
    for name in ("app_sim", "combined", "ocr"):
        (place / name).mkdir()
    (place / "app_sim" / "test.tfrecord").write_bytes(file_of(records or [pair()]))
    for id, box in (("7", [100, 100, 500, 200]), ("42", [100, 500, 900, 600])):
        root = node([0, 0, 1000, 1000], children=[node(box, "Sign in")])
        tree = {"activity": {"root": root}}
        (place / "combined" / f"{id}.json").write_text(json.dumps(tree), encoding="utf-8")
        PillowImage.new("RGB", (100, 100), "white").save(place / "combined" / f"{id}.jpg")
        line = {"text": f"seen {id}", "box": [v / 1000 for v in box]}
        (place / "ocr" / f"{id}.json").write_text(json.dumps([line]), encoding="utf-8")
    return place


class TestBundled:
    @pytest.mark.parametrize("task", TASKS)
    @pytest.mark.parametrize("split", ["test", "dev"])
    def test_all_of_it_can_be_used(self, task: str, split: str) -> None:
        dataset = bundled(task, split)
        assert len(dataset.samples) == TASKS[task].info.splits[split]
        assert dataset.problems == []
        for sample in dataset.samples:
            assert sample.problem is None
            assert len(sample.candidates) == 10
            assert sample.width
            assert sample.anchor.width
            assert sample.image_id != sample.anchor.image_id
        assert len({sample.id for sample in dataset.samples}) == len(dataset.samples)
        assert len({sample.label for sample in dataset.samples}) == 10

    def test_web_pages_have_no_hierarchy_and_the_others_do(self) -> None:
        assert all(not sample.leaves for sample in bundled("web").samples)
        for sample in bundled("rico").samples:
            assert all(candidate.leaf is not None for candidate in sample.candidates)
            assert sample.anchor.leaf is not None

    def test_names_of_icons_are_not_given_away(self) -> None:
        said = {leaf.text for sample in bundled("rico").samples for leaf in sample.leaves}
        assert "Dashboard" in said
        assert "bell" not in said

    def test_modalities_not_used_are_not_there(self) -> None:
        (first, *_) = bundled("rico", "test", "img").samples
        assert (first.leaves, first.anchor.leaf, first.anchor.ocr) == ((), None, "")
        assert {c.ocr for c in first.candidates} == {""}
        (first, *_) = bundled("rico", "test", "vh").samples
        assert (first.file, first.anchor.file) == ("", "")

    def test_splits_share_no_screen(self) -> None:
        for task in TASKS:
            test, dev = (
                {i for s in bundled(task, split).samples for i in (s.image_id, s.anchor.image_id)}
                for split in ("test", "dev")
            )
            assert not test & dev


class TestOwnData:
    def test_a_folder_with_everything(self, tmp_path: Path) -> None:
        benchmark = make(data=folder_of(tmp_path))
        assert benchmark.modalities == ("img", "ocr", "vh")
        (sample,) = benchmark.load().samples
        assert (sample.id, sample.image_id, sample.label) == ("7-42", "42", 1)
        assert sample.anchor is not None
        assert sample.anchor.leaf is not None
        assert (sample.anchor.leaf.text, sample.anchor.ocr) == ("Sign in", "seen 7")
        assert [c.leaf for c in sample.candidates] == [None, 0, None]
        assert [c.ocr for c in sample.candidates] == ["", "seen 42", ""]
        assert (sample.width, sample.anchor.width) == (100, 100)

    def test_pairs_of_the_same_two_screens(self, tmp_path: Path) -> None:
        data = make(data=folder_of(tmp_path, pair(), pair())).load()
        assert [sample.id for sample in data.samples] == ["7-42", "7-42.1"]

    def test_web_takes_no_hierarchy(self, tmp_path: Path) -> None:
        assert make("web", data=folder_of(tmp_path)).modalities == ("img", "ocr")

    def test_the_hash_covers_what_was_read(self, tmp_path: Path) -> None:
        data = folder_of(tmp_path)
        before = make(data=data).load().data_hash
        images = make(data=data, modalities="img").load().data_hash
        (data / "ocr" / "42.json").write_text("[]", encoding="utf-8")
        assert before not in {images, make(data=data).load().data_hash}
        assert make(data=data, modalities="img").load().data_hash == images

    @pytest.mark.parametrize("name", ["42.json", "42.jpg"])
    def test_a_screen_that_is_missing_is_named(self, tmp_path: Path, name: str) -> None:
        data = folder_of(tmp_path, pair(), pair(search__image__id=[b"7"]))
        (data / "combined" / name).unlink()
        missing, there = make(data=data).load().samples
        assert there.problem is None
        assert name.split(".")[1] in str(missing.problem)
        assert "42" in str(missing.problem)

    @pytest.mark.parametrize(
        ("changes", "field", "said"),
        [
            ({"search__correct__index": [3]}, "search/correct/index", "expected 0 to 2"),
            ({"search__image__id": [b"../x"]}, "search/image/id", "a number or a name"),
            (
                {f"anchor__image__anchor__bbox__{s}": [0.1, 0.2] for s in SIDES},
                "anchor/image/anchor/bbox/xmin",
                "one value, found 2",
            ),
        ],
        ids=["index", "id", "two anchors"],
    )
    def test_bad_record_is_left_out_by_name(
        self, tmp_path: Path, changes: dict[str, Any], field: str, said: str
    ) -> None:
        data = make(data=folder_of(tmp_path, pair(**changes), pair())).load()
        assert len(data.samples) == 1
        (problem,) = data.problems
        assert (problem.sample, problem.field) == ("record 0", field)
        assert said in str(problem)

    @pytest.mark.parametrize(
        ("task", "options", "said"),
        [
            ("web", {"modalities": "vh"}, "a web UI has no view hierarchy"),
            ("rico", {"split": "train"}, "bundled data has test, dev"),
            ("rico", {"image_dir": Path()}, "--image-dir needs --annotation or --data"),
            ("rico", {"annotation": Path("x"), "split": "dev"}, "--split is for"),
            ("rico", {"annotation": Path("x"), "data": Path()}, "both say where"),
            ("rico", {"annotation": Path("/none/x")}, "nothing to show a model"),
        ],
    )
    def test_refuses(self, task: str, options: dict[str, Any], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            make(task, **options)

    def test_what_the_folder_lacks(self, tmp_path: Path) -> None:
        (tmp_path / "test.tfrecord").write_bytes(file_of([pair()]))
        for word in ("img", "ocr", "vh"):
            with pytest.raises(UsageError, match=f"--modalities {word}: there "):
                make(data=tmp_path, modalities=word)
        with pytest.raises(DataError, match=r"holds no app_sim/dev\.tfrecord"):
            make(data=tmp_path, split="dev")
        with pytest.raises(DataError, match="no such folder"):
            make(data=tmp_path, image_dir=tmp_path / "none")
        (tmp_path / "test.tfrecord").write_bytes(b"")
        (tmp_path / "ocr").mkdir()
        with pytest.raises(DataError, match="no record"):
            make(data=tmp_path).load()


class TestAsking:
    def parts(self, tmp_path: Path, **options: Any) -> tuple[list[PillowImage.Image], str]:
        benchmark = make(data=folder_of(tmp_path), **options)
        (sample,) = benchmark.load().samples
        (message,) = benchmark.build_prompt(sample)
        assert isinstance(message, Message)
        *images, words = message.parts
        assert isinstance(words, Text)
        paths = [image.path for image in images if isinstance(image, Image)]
        return [open_rgb(path) for path in paths], words.text  # gone with the benchmark

    def test_all_of_it(self, tmp_path: Path) -> None:
        images, text = self.parts(tmp_path)
        assert [image.size for image in images] == [(100, 100)] * 2
        assert images[0].tobytes() != images[1].tobytes()
        said = 'TEXT_BUTTON, "Sign in" reads "seen'
        assert f'as the candidates below: [100, 100, 500, 200] {said} 7"' in text
        assert f'1: [100, 500, 900, 600] {said} 42"' in text
        assert "0: [0, 0, 100, 30]\n" in text

    def test_recognised_text_alone(self, tmp_path: Path) -> None:
        images, text = self.parts(tmp_path, modalities="ocr")
        assert images == []
        assert 'reads "seen 42"' in text
        assert "Sign in" not in text

    def test_images_alone(self, tmp_path: Path) -> None:
        images, text = self.parts(tmp_path, modalities="img")
        assert len(images) == 2
        assert "Numbers: 0, 1, 2" in text
        assert "seen" not in text

    def test_crops(self, tmp_path: Path) -> None:
        images, text = self.parts(tmp_path, candidates="crops", modalities="img")
        anchor, sheet = images
        assert anchor.size == (48, 18), "40 x 10 with 4 pixels around"
        assert sheet.width > sheet.height
        assert "cut out of the screen" in text

    def test_pictures_are_not_drawn_for_rules(self, tmp_path: Path) -> None:
        benchmark = make(data=folder_of(tmp_path))
        benchmark.draws = False
        (message,) = benchmark.build_prompt(benchmark.load().samples[0])
        assert len(message.parts) == 1


def sample(anchor: Leaf | None = None, ocr: str = "") -> RetrievalSample:
    """Candidates: a leaf "Sign in", one that reads "Log out", and one that says nothing."""
    return RetrievalSample(
        id="s",
        image_id="42",
        anchor=Anchor("7", (0.0, 0.8, 0.2, 1.0), anchor, ocr),
        candidates=(
            Candidate(0, (0.0, 0.0, 0.2, 0.2), 1.0, 0),
            Candidate(1, (0.5, 0.5, 1.0, 1.0), ocr="Log out"),
            Candidate(2, (0.0, 0.7, 0.2, 0.9)),
        ),
        leaves=(Leaf((0.0, 0.0, 0.2, 0.2), "TEXT_VIEW", "Sign in"),),
        label=0,
    )


class Lengths(Encoder):
    """Two numbers of the words of a component."""

    name = "lengths"

    def embed(self, component: Component) -> Vector:
        return np.array([len(component.words), 1], dtype=np.float32)


class Crowd(Lengths):
    """Knows how many components there are beside each."""

    def embed_components(self, ui: UI) -> Matrix:
        return np.full((len(ui.components), 1), len(ui.components), dtype=np.float32)


class TestRules:
    @pytest.mark.parametrize(
        ("name", "anchor", "ocr", "expected"),
        [
            pytest.param("text-overlap", Leaf(text="sign IN"), "", [1, 0, 0], id="texts"),
            pytest.param("text-overlap", None, "log", [0, 2 / 3, 0], id="recognised"),
            pytest.param("text-overlap", None, "", [0, 0, 0], id="nothing"),
            pytest.param("text-overlap-matched", None, "", [1e-6, 0, 0], id="matched"),
            pytest.param("geometry", None, "", [-1.6, -1.6, -0.2], id="place"),
        ],
    )
    def test_scores(self, name: str, anchor: Leaf | None, ocr: str, expected: list[float]) -> None:
        (scores,) = PAIR_SCORERS[name].scores([sample(anchor, ocr)])
        assert scores == pytest.approx(expected)

    def test_minilm(self) -> None:
        asked = sample(Leaf(class_name="TEXT_VIEW", text="Sign in"))
        alone, matched = (
            PAIR_SCORERS[name].scores([asked])[0] for name in ("minilm", "minilm-matched")
        )
        assert alone[0] == matched[0] == pytest.approx(1, abs=1e-5)
        assert -1 < alone[1] < 0.9
        assert matched[1:] == [-1, -1]

    @pytest.mark.full
    @pytest.mark.parametrize(
        ("task", "split", "known"),
        [
            ("rico", "dev", 98.71),
            ("rico", "test", 100.0),
            ("web", "dev", 81.16),
            ("web", "test", 85.82),
        ],
    )
    def test_figures_of_minilm(self, task: str, split: str, known: float) -> None:
        """As docs/ui_components.md has them: candidates of equal words share their place."""
        samples = bundled(task, split).samples
        scores = PAIR_SCORERS["minilm"].scores(samples)
        found = 100 * top_k_accuracy(scores, [sample.place for sample in samples])
        assert found == pytest.approx(known, abs=0.006)

    def test_what_the_stand_ins_are_worth(self) -> None:
        """They are easier than UIBert's data; place alone decides less than half."""
        for task in TASKS:
            samples = bundled(task).samples
            places = [s.place for s in samples]
            words = top_k_accuracy(PAIR_SCORERS["text-overlap"].scores(samples), places)
            place = top_k_accuracy(PAIR_SCORERS["geometry"].scores(samples), places)
            assert 0.6 < words < 0.9, task
            assert place < 0.5, task

    @pytest.mark.parametrize(
        ("task", "modalities", "names"),
        [
            ("rico", None, set(PAIR_SCORERS)),
            ("web", None, set(PAIR_SCORERS) - {"text-overlap-matched", "minilm-matched"}),
            ("web", "img", {"random", "first", "last", "largest-box", "prior", "geometry"}),
        ],
    )
    def test_those_that_make_sense(
        self, task: str, modalities: str | None, names: set[str]
    ) -> None:
        benchmark = make(task, modalities=modalities)
        assert set(benchmark.rules()) == names
        assert not set(benchmark.lacking_rules()) & names


class TestEncoders:
    def test_the_similarity_is_the_option_s(self) -> None:
        asked = sample(Leaf(text="abc"))  # 3 letters against 17, 7 and none
        (dot,) = encoder_scores(Lengths(), [asked], "dot")
        (cosine,) = encoder_scores(Lengths(), [asked], "cosine")
        assert dot == [3 * 17 + 1, 3 * 7 + 1, 1]
        assert cosine[2] == pytest.approx(1 / 10**0.5)

    def test_an_expression_is_a_text(self) -> None:
        asked = msgspec.structs.replace(sample(), anchor=None, expression="abc")
        assert encoder_scores(Lengths(), [asked], "dot")[0][2] == 1
        assert encoder_scores(Lengths(), [asked], "dot")[0][1] == 22

    def test_in_context(self) -> None:
        assert encoder_scores(Crowd(), [sample()], "dot") == [[3, 3, 3]]
        assert encoder_scores(Crowd(), [], "dot") == []


class TestRuns:
    def run(self, folder: Path, **options: Any) -> Any:
        return screenmark.run(options.pop("task", "uibert-appsim-web"), runs_dir=folder, **options)

    def test_the_table_says_what_it_is(self, in_tmp: Path) -> None:
        run = self.run(in_tmp, model="text-overlap", setting="fine-tuned")
        results = run.results
        assert results["macro_f1"] is None
        assert results["num_samples"] == 87
        assert results["headline"]["low"] < results["accuracy"] < results["headline"]["high"]
        assert set(results["blind_baselines"]) == set(AppSimWeb.info.blind_baselines)
        assert results["published"] == []
        first, second = AppSimWeb.tables(results)
        assert (
            "text-overlap · stand-in data · img + ocr · no view hierarchy · fine-tuned"
            in first.title
        )
        assert "no figure here can be held against a paper's" in str(first.note)
        assert "stand-in data" in second.title
        (record, *_) = run.records
        assert AppSimWeb.sample_tables(record)[0].title.startswith(record.sample_id)
        manifest = json.loads((run.path / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["options"]["modalities"] == "img,ocr"
        dump_json(results)

    def test_an_encoder_by_name(self, in_tmp: Path) -> None:
        (in_tmp / "mine.py").write_text(
            "import numpy as np\n"
            "from screenmark.models import Encoder\n"
            "class Widths(Encoder):\n"
            "    def embed(self, component):\n"
            "        x1, y1, x2, y2 = component.box\n"
            "        return np.array([x2 - x1, y2 - y1], dtype=np.float32)\n",
            encoding="utf-8",
        )
        run = self.run(in_tmp, adapter="mine:Widths", similarity="cosine", max_samples=10)
        assert run.results["outcomes"] == {"ok": 10}
        assert run.results["ranking"]["num_samples"] == 10
        manifest = json.loads((run.path / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["identity"]["adapter"] == "mine:Widths"
        assert manifest["identity"]["similarity"] == "cosine"

    @pytest.mark.parametrize(
        ("task", "model", "said"),
        [
            ("uibert-appsim-web", "expression-only", "there is no expression"),
            ("uibert-appsim-web", "minilm-matched", "no view hierarchy is used here"),
            ("uibert-appsim-rico", "whole-pixels", "a rule of uibert-refexp"),
        ],
    )
    def test_rules_that_make_no_sense_say_so(
        self, in_tmp: Path, task: str, model: str, said: str
    ) -> None:
        with pytest.raises(UsageError, match=f"{model} makes no sense on {task}: .*{said}"):
            self.run(in_tmp, task=task, model=model)

    def test_public_data_is_held_against_papers(self, in_tmp: Path) -> None:
        data = in_tmp / "data"
        data.mkdir()
        folder_of(data)
        run = self.run(in_tmp, task="uibert-appsim-rico", data=data, model="first")
        assert [figure["value"] for figure in run.results["published"]] == [0.8553, 0.8643]
        title = AppSimRico.tables(run.results)[0].title
        assert "stand-in" not in title
        assert "img + ocr + vh" in title

    def test_the_audit_says_stand_in(self, in_tmp: Path) -> None:
        done = command("audit", "uibert-appsim-rico")
        assert done.returncode == 0, done.stderr
        assert "geometry" in done.stdout
        assert "Stand-in data" in done.stdout
        found = json.loads(command("audit", "uibert-appsim-web", "--json").stdout)
        assert found["data_note"].startswith("Stand-in data")
        assert found["blind_baselines"]["random"]["accuracy"] == pytest.approx(0.1)
