"""Plans: which options make another run, and what a request is known by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image as PillowImage

from screenmark.engine.plan import Plan, differing_options
from screenmark.engine.requests import make_request, request_hash, still_holds
from screenmark.engine.run_folder import identity_hash
from screenmark.errors import UsageError
from screenmark.jsonfile import dump_json
from screenmark.models import BaseLLMAdapter
from screenmark.models.predictions import PredictionsFile
from screenmark.models.registry import build_adapter
from screenmark.types import (
    Image,
    ImageLimits,
    Message,
    Outcome,
    Record,
    Reply,
    Request,
    SentImage,
    Text,
)
from tests.support.pages import make_pages

pytestmark = pytest.mark.usefixtures("in_tmp")


class Mine(BaseLLMAdapter):
    """A model of one's own."""

    name = "mine"

    def infer(self, image_path: str, prompt: str) -> str:
        return ""


def identity(**options: Any) -> dict[str, Any]:
    """What stands for the run of these options, on pages in the working directory."""
    annotation = Path("pages.json")
    if not annotation.exists():
        make_pages(Path(), 4)
    plan = Plan("gui-hallubench", {"annotation": annotation, "model": "m", **options})
    plan.benchmark.settle_profile(None)
    model: BaseLLMAdapter = Mine()
    if plan.model.predictions is not None:
        model = PredictionsFile(plan.model.predictions)
    model.name = plan.model.model or "p"
    return plan.identity(plan.benchmark.load(), model)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"model": "n"}, id="model"),
        pytest.param({"adapter": "dashscope"}, id="adapter"),
        pytest.param({"temperature": 0.5}, id="temperature"),
        pytest.param({"max_tokens": 5}, id="max_tokens"),
        pytest.param({"repeats": 2}, id="repeats"),
        pytest.param({"max_samples": 2}, id="max_samples"),
        pytest.param({"max_samples": 2, "sample_seed": 1}, id="sample_seed"),
        pytest.param({"profile": "permille"}, id="profile"),
    ],
)
def test_options_that_make_another_run(options: dict[str, Any]) -> None:
    before, after = identity(), identity(**options)
    assert identity_hash(after) != identity_hash(before)
    flags = " ".join(differing_options(before, after))
    for name in options:
        assert "--" + name.replace("_", "-") in flags


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"api_base": ["http://a", "http://b"]}, id="api_base"),
        pytest.param({"api_key": "sk-secret"}, id="api_key"),
        pytest.param({"timeout": 5.0}, id="timeout"),
        pytest.param({"concurrency": 1}, id="concurrency"),
        pytest.param({"max_retries": 0}, id="max_retries"),
        pytest.param({"min_interval": 1.0}, id="min_interval"),
        pytest.param({"runs_dir": "elsewhere"}, id="runs_dir"),
        pytest.param({"output": "x.json"}, id="output"),
        pytest.param({"max_error_rate": 0.5}, id="max_error_rate"),
        pytest.param({"reuse": True}, id="reuse"),
        pytest.param({"image_dir": "."}, id="image_dir"),
        pytest.param({"scoring": "compat"}, id="scoring"),
        pytest.param({"iou_threshold": 0.9}, id="iou_threshold"),
        pytest.param({"matching": "optimal"}, id="matching"),
        pytest.param({"temperature": 0}, id="the default as an integer"),
        pytest.param({"adapter": "openai"}, id="the adapter that would be chosen anyway"),
    ],
)
def test_options_that_leave_the_run_the_same(options: dict[str, Any]) -> None:
    assert identity(**options) == identity()


def test_an_identity_is_strict_json_and_holds_no_path_of_this_machine(tmp_path: Path) -> None:
    text = dump_json(identity(image_dir=tmp_path))
    assert json.loads(text)["benchmark"] == "gui-hallubench"
    assert str(tmp_path) not in text


def test_content_counts_and_not_the_name_of_a_file() -> None:
    before = identity()
    Path("pages.json").rename("other.json")
    assert identity(annotation=Path("other.json")) == before
    Path("a.txt").write_text("Find {width} x {height} things.", encoding="utf-8")
    one = identity(prompt="a.txt", annotation=Path("other.json"))
    Path("a.txt").rename("b.txt")
    assert identity(prompt="b.txt", annotation=Path("other.json")) == one
    Path("b.txt").write_text("Find {width} x {height} more.", encoding="utf-8")
    two = identity(prompt="b.txt", annotation=Path("other.json"))
    assert differing_options(one, two) == ["--prompt (its content differs)"]
    make_pages(Path(), 4, description="Cancel")
    assert differing_options(before, identity()) == ["--annotation (its content differs)"]


def test_predictions_count_by_content() -> None:
    Path("p.json").write_text('{"images/0.png": []}', encoding="utf-8")
    one = identity(model=None, predictions="p.json")
    Path("p.json").write_text('{"images/0.png": [1]}', encoding="utf-8")
    two = identity(model=None, predictions="p.json")
    assert differing_options(one, two) == ["--predictions (its content differs)"]
    assert one["adapter"] == "predictions"


def test_differing_options_says_both_values() -> None:
    assert differing_options({"a_b": 1, "c": 2}, {"a_b": 3, "c": 2, "d": None}) == [
        "--a-b (the run has 1, the command says 3)"
    ]
    assert differing_options({}, {}) == []


class TestOptions:
    def test_every_option_but_the_key_as_plain_json(self, tmp_path: Path) -> None:
        values = {"model": "m", "api_key": "sk-secret", "runs_dir": tmp_path, "max_samples": 3}
        options = Plan("gui-hallubench", values).options
        text = dump_json(options)
        assert "sk-secret" not in text
        assert "api_key" not in options
        assert options["runs_dir"] == str(tmp_path)
        assert options["max_samples"] == 3
        assert options["iou_threshold"] == 0.5
        assert options["annotation"] is None

    def test_come_back_as_the_same_plan(self) -> None:
        values = {"model": "m", "api_base": ["http://a"], "temperature": 0.5, "prompt": "p.txt"}
        Path("p.txt").write_text("{width} {height}", encoding="utf-8")
        one = Plan("gui-hallubench", values)
        given = {k: v for k, v in json.loads(dump_json(one.options)).items() if v is not None}
        two = Plan("gui-hallubench", given)
        assert (two.model, two.engine) == (one.model, one.engine)
        assert two.benchmark.options == one.benchmark.options

    @pytest.mark.parametrize(
        ("benchmark", "options", "message"),
        [
            ("gui-halubench", {}, "unknown benchmark 'gui-halubench'; did you mean"),
            ("gui-hallubench", {"modle": "m"}, "gui-hallubench: unknown option 'modle'; did you"),
            ("gui-hallubench", {"timeout": float("inf")}, "--timeout: inf is out of range"),
            ("gui-hallubench", {"max_tokens": 10**30}, "--max-tokens: 1"),
        ],
    )
    def test_wrong_ones(self, benchmark: str, options: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError) as caught:
            Plan(benchmark, options)
        assert str(caught.value).startswith(message)


class TestWork:
    def plan(self, **options: Any) -> tuple[Plan, Sequence[Any]]:
        make_pages(Path(), 3)
        plan = Plan("gui-hallubench", {"annotation": "pages.json", "model": "m", **options})
        return plan, plan.choose(plan.benchmark.load())

    def test_goes_through_the_data_once_for_each_repetition(self) -> None:
        plan, samples = self.plan(repeats=2)
        done = np.zeros((3, 2), np.bool_)
        done[1, 0] = done[2, 1] = True
        work = list(plan.work(samples, done))
        assert [(w.repeat, w.position, w.sample.id) for w in work] == [
            (0, 0, "images/0.png"),
            (0, 2, "images/2.png"),
            (1, 0, "images/0.png"),
            (1, 1, "images/1.png"),
        ]

    def test_is_the_first_samples_only(self) -> None:
        plan, samples = self.plan(max_samples=2)
        work = plan.work(samples, np.zeros((2, 1), np.bool_))
        assert [w.sample.id for w in work] == ["images/0.png", "images/1.png"]

    def test_makes_requests_that_know_their_sample(self) -> None:
        plan, samples = self.plan(temperature=0.5, max_tokens=7)
        request = make_request(plan.benchmark, samples[1], plan.model)
        assert (request.temperature, request.max_tokens) == (0.5, 7)
        assert request.sample_id == "images/1.png"
        assert [Path(path).name for path in request.images] == ["1.png"]


REQUEST = Request((Message("user", (Image("a.png"), Text("?"))),), 0.5, 9, "s1")


@pytest.mark.parametrize(
    ("request_", "same"),
    [
        pytest.param(REQUEST, True, id="itself"),
        pytest.param(msgspec.structs.replace(REQUEST, sample_id="s2"), True, id="sample"),
        pytest.param(
            Request((Message("user", (Image("/data/b.png"), Text("?"))),), 0.5, 9), True, id="path"
        ),
        pytest.param(msgspec.structs.replace(REQUEST, temperature=0.6), False, id="temperature"),
        pytest.param(msgspec.structs.replace(REQUEST, max_tokens=8), False, id="max_tokens"),
        pytest.param(
            Request((Message("user", (Text("?"), Image("a.png"))),), 0.5, 9), False, id="order"
        ),
        pytest.param(
            Request((Message("user", (Image("a.png"), Text("!"))),), 0.5, 9), False, id="words"
        ),
        pytest.param(
            Request((Message("system", (Image("a.png"), Text("?"))),), 0.5, 9), False, id="role"
        ),
        pytest.param(Request((Message("user", (Text("?"),)),), 0.5, 9), False, id="no image"),
        pytest.param(
            msgspec.structs.replace(REQUEST, image_limits=ImageLimits(max_pixels=9)),
            False,
            id="limits of images",
        ),
        pytest.param(
            Request((Message("user", (Image(""), Image(""), Text("?"))),), 0.5, 9), False, id="two"
        ),
    ],
)
def test_request_hash(request_: Request, same: bool) -> None:
    assert (request_hash(request_) == request_hash(REQUEST)) is same


def test_hashes_of_old_runs_hold_as_long_as_no_newer_option_is_used() -> None:
    request = Request(
        (Message("user", (Image("a.png"), Text("where?"))),),
        image_limits=ImageLimits(500_000, 3_000_000),
    )
    assert request_hash(request) == "9c107851cfb55a64"
    limits = ImageLimits(500_000, 3_000_000, max_edge=1568)
    assert request_hash(msgspec.structs.replace(request, image_limits=limits)) != "9c107851cfb55a64"


class TestStillHolds:
    def record(self, *sha256: str, **changes: Any) -> Record:
        images = tuple(SentImage(digest, "image/png", 1, 1, 1) for digest in sha256)
        made = Record(sample_id="s", position=0, outcome=Outcome.OK, sample={})
        made.reply, made.request_hash = Reply("", images=images), request_hash(REQUEST)
        return msgspec.structs.replace(made, **changes)

    def test_same_words_and_same_image(self) -> None:
        import hashlib

        PillowImage.new("RGB", (4, 3)).save("a.png")
        digest = hashlib.sha256(Path("a.png").read_bytes()).hexdigest()
        assert still_holds(self.record(digest), REQUEST)
        assert not still_holds(self.record(digest, digest), REQUEST)
        assert not still_holds(self.record(digest, request_hash="other"), REQUEST)
        assert not still_holds(self.record(digest, reply=None), REQUEST)
        PillowImage.new("RGB", (4, 3), "red").save("a.png")
        assert not still_holds(self.record(digest), REQUEST)
        Path("a.png").unlink()
        assert not still_holds(self.record(digest), REQUEST)


def test_a_changed_profile_file_changes_the_identity(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"

    def profile(space: str) -> str:
        path.write_text(f'[m]\nspace = "{space}"\nsyntaxes = ["brackets"]\n', encoding="utf-8")
        made = Plan("mmbench-gui-l2", {"predictions": predictions, "profile": str(path)})
        return str(made.identity(made.benchmark.load(), build_adapter(made.model))["profile"])

    predictions = tmp_path / "p.json"
    predictions.write_text("[]", encoding="utf-8")
    first, second = profile("unit"), profile("permille")
    assert first.startswith(f"{path} ")
    assert first != second


def test_secrets_in_keyword_arguments_are_written_nowhere() -> None:
    given = {"api_key": "abc", "inner": {"password": "abc", "pad_token": 3}, "max_tokens": 5}
    plan = Plan("mmbench-gui-l2", {"model": "ocr", "model_kwargs": given})
    assert plan.model.model_kwargs == given
    kept = plan.options["model_kwargs"]
    assert kept == {
        "api_key": "(hidden)",
        "inner": {"password": "(hidden)", "pad_token": 3},
        "max_tokens": 5,
    }
    with pytest.raises(UsageError, match="--model-kwargs: it holds secrets"):
        Plan("mmbench-gui-l2", {"model": "ocr", "model_kwargs": kept})
