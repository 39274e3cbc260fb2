"""Classification from a command to its results."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from sklearn.metrics import f1_score

import screenmark
from screenmark.benchmarks.ui_classification import AppType, IconCoarse, IconFine, Sync
from screenmark.benchmarks.ui_classification.confusion_picture import confusion_png
from screenmark.benchmarks.ui_classification.head import predicted_labels
from screenmark.benchmarks.ui_classification.options import AppTypeOptions, ClassificationOptions
from screenmark.errors import UsageError
from screenmark.models import Component, Encoder
from screenmark.types import Image as ImagePart
from screenmark.types import Reply, Text
from tests.support.commands import command


def run(benchmark: str, folder: Path, **options: Any) -> dict[str, Any]:
    return screenmark.run(benchmark, runs_dir=folder, **options).results


def size(picture: Path) -> tuple[int, int]:
    return Image.open(io.BytesIO(picture.read_bytes())).size


def test_predictions_of_app_types(in_tmp: Path) -> None:
    samples = AppType(AppTypeOptions()).load().samples
    said = [{"id": s.id, "prediction": s.label if n % 3 else "list"} for n, s in enumerate(samples)]
    Path("mine.json").write_text(json.dumps(said), encoding="utf-8")
    done = command("run", "uibert-app-type", "--predictions", "mine.json", "--output", "out.json")
    assert done.returncode == 0, done.stderr
    assert "692 topics of Enrico, a stand-in" in done.stdout
    found = json.loads(Path("out.json").read_text(encoding="utf-8"))
    gold, answers = [s.label for s in samples], [one["prediction"] for one in said]
    right = sum(a == g for a, g in zip(answers, gold, strict=True))
    assert found["accuracy"] == found["headline"]["value"] == right / 692
    for average in ("macro", "micro", "weighted"):
        theirs = f1_score(gold, answers, average=average, zero_division=0)
        assert found[f"{average}_f1"] == pytest.approx(theirs, abs=1e-12)
    assert found["num_samples"] == 692
    for ends in found["intervals"].values():
        assert 0 <= ends["low"] <= ends["high"] <= 1
    low, high = (found["intervals"]["macro_f1"][end] for end in ("low", "high"))
    assert low < found["macro_f1"] < high
    assert set(found["blind_baselines"]) == {"random", "prior", "stratified"}
    assert found["blind_baselines"]["random"]["accuracy"] == pytest.approx(1 / 20)
    assert sum(map(sum, found["confusion"]["counts"])) == 692


def test_trained_head_on_icons(in_tmp: Path) -> None:
    options: dict[str, Any] = {"model": "logistic-regression", "setting": "fine-tuned"}
    made = screenmark.run("uibert-icon-32", runs_dir=in_tmp, **options)
    found = made.results
    best_blind = max(part["accuracy"] for part in found["blind_baselines"].values())
    assert found["accuracy"] > 0.6 > 5 * best_blind
    assert (found["setting"], found["modalities"]) == ("fine-tuned", ["img"])
    assert found["published"] == [], "figures on other data are no yardstick"
    assert min(size(made.path / "artifacts" / "confusion.png")) > 400
    task = IconCoarse(ClassificationOptions(setting="fine-tuned"))
    again = task.rules()["logistic-regression"].answer(task.load().samples)
    assert again == [row["chosen"] for row in found["per_sample"]]


@pytest.mark.parametrize("model", ["logistic-regression", "most-frequent"])
def test_what_was_trained_says_so(in_tmp: Path, model: str) -> None:
    if model == "most-frequent":
        assert run("uibert-sync", in_tmp, model=model)["accuracy"] == 0.5
        return
    with pytest.raises(UsageError, match="say --setting fine-tuned"):
        run("uibert-sync", in_tmp, model=model)


def test_ink_tells_sync_without_training(in_tmp: Path) -> None:
    found = run("uibert-sync", in_tmp, model="ink")
    assert found["accuracy"] > 0.85
    assert found["blind_baselines"]["prior"]["accuracy"] == 0.5


def test_rules_need_what_they_read() -> None:
    assert "ink" in Sync(ClassificationOptions()).rules()
    assert "ink" not in Sync(ClassificationOptions(modalities="img")).rules()


class _Corner(Encoder):
    """Sees the mean darkness of nine parts of an icon."""

    name = "corner"

    def embed(self, component: Component) -> Any:
        small = component.crop().convert("L").resize((3, 3))
        return np.asarray(small, dtype=np.float32).ravel() / 255


def test_head_on_an_encoder() -> None:
    task = IconFine(ClassificationOptions(setting="fine-tuned"))
    samples = task.load().samples[:60]
    said = task.encoder_rule(_Corner()).answer(samples)
    assert set(said) <= set(samples[0].classes)
    assert sum(a == s.label for a, s in zip(said, samples, strict=True)) > 6


def test_no_head_without_a_train_part() -> None:
    with pytest.raises(UsageError, match="no train part"):
        AppType(AppTypeOptions()).encoder_rule(_Corner())


def test_head_tells_clusters_apart() -> None:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 5)) * 4
    labels = [f"c{n % 3}" for n in range(60)]
    points = np.stack([centres[n % 3] + rng.normal(size=5) * 0.2 for n in range(60)])
    assert predicted_labels(points[:30], labels[:30], points[30:]) == labels[30:]


@pytest.mark.parametrize(
    ("modalities", "image", "said", "silent"),
    [
        (None, True, ["The image is the screenshot", "The list of elements"], ["recognised"]),
        ("img", True, ["The image is the screenshot"], ["The list of elements"]),
        ("vh", False, ["The list of elements"], ["The image is"]),
    ],
    ids=["both", "picture", "list"],
)
def test_what_a_model_is_given(
    modalities: str | None, image: bool, said: list[str], silent: list[str]
) -> None:
    task = Sync(ClassificationOptions(modalities=modalities))
    sample = task.load().samples[0]
    (message,) = task.build_prompt(sample)
    text = "".join(part.text for part in message.parts if isinstance(part, Text))
    assert any(isinstance(part, ImagePart) for part in message.parts) == image
    assert "Classes: synced, unsynced" in text
    assert all(words in text for words in said)
    assert not any(words in text for words in silent)


def test_recognised_text_is_part_of_the_prompt() -> None:
    task = Sync(ClassificationOptions(modalities="ocr,vh"))
    sample = min(task.load().samples, key=lambda s: (s.width * s.height, s.id))
    (message,) = task.build_prompt(sample)
    (part,) = message.parts
    assert isinstance(part, Text)
    known = [c.text for c in sample.components if sample.label == "synced" and len(c.text) > 5]
    recognised = part.text.partition("Text recognised")[2].partition("The list of elements")[0]
    assert recognised.count("\n") > 3
    assert any(text in recognised for text in known)


def test_an_icon_is_shown_enlarged() -> None:
    task = IconFine(ClassificationOptions())
    sample = task.load().samples[0]
    (message,) = task.build_prompt(sample)
    (shown, _) = message.parts
    assert isinstance(shown, ImagePart)
    assert max(size(Path(shown.path))) == 192


def test_replies_are_read_strictly() -> None:
    task = IconFine(ClassificationOptions())
    sample = task.load().samples[0]
    right = task.parse(Reply(f"Class: {sample.label}"), sample)
    assert task.score(sample, right)["correct"] == 1
    vague = task.parse(Reply(f"maybe {sample.label} or so"), sample)
    assert task.score(sample, vague) == {"correct": 0, "chosen": None, "label": sample.label}
    schema = task.answer_schema(sample)
    assert schema is not None
    assert task.parse(Reply(json.dumps({"class": "mail"})), sample).value == "mail"


def test_sample_is_shown_with_its_boxes(in_tmp: Path) -> None:
    run("uibert-sync", in_tmp / "runs", model="ink", max_samples=2)
    id = Sync(ClassificationOptions()).load().samples[0].id
    done = command("show", "--sample", id, "--picture", "p.png")
    assert done.returncode == 0, done.stderr
    assert "answered" in done.stdout
    assert size(Path("p.png"))[0] == 390


def test_confusion_picture_colours() -> None:
    png = confusion_png(["a", "b"], [[3, 0], [1, 1]], "two classes")
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    colours = {colour for _, colour in picture.getcolors(1 << 20) or []}
    assert (0, 114, 178) in colours, "a row that is all right"
    assert picture.height > 80


@pytest.mark.parametrize("count", [1, 77], ids=["one class", "77 classes"])
def test_confusion_picture_of_any_size(count: int) -> None:
    counts = np.eye(count, dtype=int).tolist()
    png = confusion_png([f"a class with quite a long name {n}" for n in range(count)], counts, "t")
    assert Image.open(io.BytesIO(png)).height > 20 * count


def test_prompt_of_ones_own_names_the_classes(tmp_path: Path) -> None:
    own = tmp_path / "p.txt"
    own.write_text("What is it? {options}", encoding="utf-8")
    task = IconFine(ClassificationOptions(prompt=own))
    (message,) = task.build_prompt(task.load().samples[0])
    text = message.parts[-1]
    assert isinstance(text, Text)
    assert text.text.startswith("What is it? add, alert, ")


def test_what_has_to_be_trained_is_listed_too(in_tmp: Path) -> None:
    rows = json.loads(command("list", "models", "--json").stdout)
    listed = {(row["model"], row["on"]) for row in rows}
    assert {("logistic-regression", "uibert-sync"), ("ink", "uibert-sync")} <= listed
    assert ("logistic-regression", "uibert-app-type") not in listed
