"""Functions of the user's own in the place of a benchmark's verbs."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine.plan import Plan
from screenmark.errors import RunFolderError, UsageError
from screenmark.types import Image, Outcome, Reply, SentImage, Text

CODE = """
import json

def build(line, dataset):
    image = {"role": "user", "type": "image", "value": line["image_file"]}
    words = json.dumps([dataset, line["instruction"], sorted(line)])
    return [{"role": "system", "type": "text", "value": "short"}, image,
            {"role": "user", "type": "text", "value": words}]

def build_nothing(line, dataset):
    return None

def build_wrong(line, dataset):
    return line["no such field"]

def post(outputs, model, processor, **kwargs):
    return outputs.replace(kwargs["cut"], "") + kwargs["dataset_name"][:0]

def post_wrong(outputs, model, processor):
    return 3

def parse(response, meta):
    value = json.loads(response)
    return value if meta["index"] is not None else None

def parse_without_meta(response):
    return (0.5, 0.25)

def parse_in_seen(response, meta):
    x, y = json.loads(response)
    width, height = meta["seen_size"] or meta["sent_size"]
    return x / width, y / height

def parse_wrong(response, meta):
    raise KeyError("x")

def parse_huge(response, meta):
    return [10 ** 400, 1]

def parse_flags(response, meta):
    return (True, False)

def parse_exit(response, meta):
    raise SystemExit(3)

def build_exit(line, dataset):
    raise SystemExit(7)

def build_half(line, dataset):
    return [{"role": "user", "type": "text", "value": chr(0xd800)}]

def post_leak(outputs, model, processor, api_token, inner):
    import os
    raise ValueError(f"{api_token} {inner['password']} {os.environ['OWN_API_KEY']}")
"""


@pytest.fixture(autouse=True)
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_stages", raising=False)
    (tmp_path / "own_stages.py").write_text(CODE, encoding="utf-8")
    return tmp_path


def plan(code: Path, benchmark: str = "mmbench-gui-l2", **options: Any) -> Plan:
    return Plan(benchmark, {"model": "m", "code_dir": code, **options})


def test_prompt_builder(code: Path) -> None:
    for id, name in (
        ("mmbench-gui-l1", "GUIContentUnderstanding"),
        ("mmbench-gui-l2", "GUIElementGrounding"),
    ):
        benchmark = plan(code, id, build_prompt="own_stages.build").benchmark
        sample = benchmark.load().samples[0]
        system, user = benchmark.build_prompt(sample)
        assert system.parts == (Text("short"),)
        image, words = user.parts
        assert isinstance(image, Image)
        assert image.path == sample.file
        assert isinstance(words, Text)
        dataset, instruction, fields = json.loads(words.text)
        assert dataset == name
        assert {"index", "image_path", "instruction", "platform", "app_name"} <= set(fields)
        if id.endswith("l1"):
            assert instruction.startswith(f"Question: {sample.question}\nOptions:\nA. ")


def test_system_prompt_only_without_a_builder(code: Path) -> None:
    benchmark = plan(code, system_prompt="be brief").benchmark
    system, _ = benchmark.build_prompt(benchmark.load().samples[0])
    assert system.parts == (Text("be brief"),)
    both = plan(code, system_prompt="be brief", build_prompt="own_stages.build").benchmark
    assert both.build_prompt(both.load().samples[0])[0].parts == (Text("short"),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param([0.5, 0.25], [0.5, 0.25], id="fractions"),
        pytest.param([640, 400], "pixels", id="pixels by the contract"),
        pytest.param([0.1, 0.2, 0.3, 0.4], [0.2, 0.3], id="a box by its centre"),
        pytest.param(None, None, id="none"),
        pytest.param("x", None, id="not a point"),
        pytest.param([1, 2, 3], None, id="three numbers"),
    ],
)
def test_parse_function_of_grounding(code: Path, value: Any, expected: Any) -> None:
    benchmark = plan(code, parse_function="own_stages.parse").benchmark
    sample = benchmark.load().samples[0]
    answer = benchmark.parse(Reply(json.dumps(value)), sample)
    if expected is None:
        assert answer.outcome is Outcome.UNPARSEABLE
    elif expected == "pixels":
        assert answer.value == [640 / sample.width, 400 / sample.height]
    else:
        assert answer.value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [("c", Outcome.OK), ("Z", Outcome.UNPARSEABLE), (3, Outcome.UNPARSEABLE)],
    ids=["letter", "beyond the options", "number"],
)
def test_parse_function_of_choices(code: Path, value: Any, outcome: Outcome) -> None:
    benchmark = plan(code, "mmbench-gui-l1", parse_function="own_stages.parse").benchmark
    answer = benchmark.parse(Reply(json.dumps(value)), benchmark.load().samples[0])
    assert answer.outcome is outcome
    assert answer.value == ("C" if outcome is Outcome.OK else None)


@pytest.mark.parametrize(
    ("options", "reply", "reason"),
    [
        ({"parse_function": "own_stages.parse"}, "{", "parse function failed: JSONDecodeError"),
        ({"parse_function": "own_stages.parse_wrong"}, "a", "parse function failed: KeyError: 'x'"),
        ({"postprocess": "own_stages.post_wrong"}, "a", "postprocess returned int, not a text"),
        ({"postprocess": "own_stages.post"}, "a", "postprocess failed: KeyError: 'cut'"),
        ({"parse_function": "own_stages.parse_huge"}, "a", "the parse function returned int too"),
        ({"parse_function": "own_stages.parse_flags"}, "a", "expected finite numbers"),
        ({"parse_function": "own_stages.parse_exit"}, "a", "parse function failed: SystemExit: 3"),
    ],
    ids=["reply", "parse", "not a text", "postprocess", "huge", "booleans", "exit"],
)
def test_a_failing_function_is_an_unparseable_reply(
    code: Path, options: dict[str, Any], reply: str, reason: str
) -> None:
    benchmark = plan(code, **options).benchmark
    answer = benchmark.parse(Reply(reply), benchmark.load().samples[0])
    assert answer.outcome is Outcome.UNPARSEABLE
    assert reason in str(answer.reason)


def test_a_parse_function_without_meta_and_an_end_that_needs_none(code: Path) -> None:
    benchmark = plan(code, parse_function="own_stages.parse_without_meta").benchmark
    sample = benchmark.load().samples[0]
    assert benchmark.parse(Reply("x"), sample).value == [0.5, 0.25]
    cut = benchmark.parse(Reply("x", finish_reason="length"), sample)
    assert cut.outcome is Outcome.TRUNCATED


@pytest.mark.parametrize(
    ("seen", "expected"),
    [({}, [0.5, 0.25]), ({"seen_width": 200, "seen_height": 100}, [0.25, 0.25])],
    ids=["as sent", "after the model's resize"],
)
def test_a_parse_function_learns_the_size_that_the_model_saw(
    code: Path, seen: dict[str, int], expected: list[float]
) -> None:
    benchmark = plan(code, parse_function="own_stages.parse_in_seen").benchmark
    image = SentImage("0", "image/png", 1, 100, 100, **seen)  # type: ignore[arg-type]
    reply = Reply("[50, 25]", images=(image,))
    assert benchmark.parse(reply, benchmark.load().samples[0]).value == expected


def predictions(folder: Path, text: str) -> Path:
    samples = Plan("mmbench-gui-l2", {"model": "m"}).benchmark.load().samples[:3]
    path = folder / "predictions.json"
    path.write_text(json.dumps([{"id": s.id, "text": text} for s in samples]), encoding="utf-8")
    return path


def test_postprocess_comes_before_reading_and_the_record_keeps_the_reply(code: Path) -> None:
    run = screenmark.run(
        "mmbench-gui-l2",
        predictions=predictions(code, "JUNK(0.5, 0.5)JUNK"),
        profile="unit",
        max_samples=3,
        code_dir=code,
        postprocess="own_stages.post",
        model_kwargs={"cut": "JUNK"},
        runs_dir=code / "runs",
    )
    records = list(run.records)
    assert [record.answer.value for record in records if record.answer] == [[0.5, 0.5]] * 3
    assert {record.reply.text for record in records if record.reply} == {"JUNK(0.5, 0.5)JUNK"}


@pytest.mark.parametrize(
    ("builder", "message"),
    [
        ("build_nothing", "expected a list of rows with role, type and value, found nothing"),
        ("build_wrong", "failed on stisla_bootstrap_breadcrumb__mobile.png"),
        ("build_exit", "SystemExit: 7"),
        ("build_half", "row 0: value holds half a character"),
    ],
)
def test_a_failing_builder_is_named_in_the_record(code: Path, builder: str, message: str) -> None:
    run = screenmark.run(
        "mmbench-gui-l2",
        predictions=predictions(code, "x"),
        max_samples=1,
        code_dir=code,
        build_prompt=f"own_stages.{builder}",
        runs_dir=code / "runs",
    )
    (record,) = run.records
    assert record.outcome is Outcome.API_ERROR
    assert record.failure is not None
    assert record.failure.kind == "StageError"
    assert f"own_stages.{builder}" in record.failure.message
    assert message in record.failure.message


def test_changed_code_does_not_resume(code: Path) -> None:
    options: dict[str, Any] = {
        "predictions": predictions(code, "(1, 2)"),
        "max_samples": 3,
        "code_dir": code,
        "build_prompt": "own_stages.build",
        "runs_dir": code / "runs",
    }
    run = screenmark.run("mmbench-gui-l2", **options)
    again = screenmark.run("mmbench-gui-l2", reuse=True, **options)
    assert again.path == run.path
    with (code / "own_stages.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    with pytest.raises(RunFolderError, match="--build-prompt"):
        screenmark.run(resume=run.path)


@pytest.mark.parametrize(
    ("benchmark", "options", "message"),
    [
        ("gui-hallubench", {"build_prompt": "own_stages.build"}, "has no rows to hand to them"),
        (
            "mmbench-gui-l2",
            {"build_prompt": "own_stages.nope"},
            "--build-prompt: own_stages has no",
        ),
        (
            "mmbench-gui-l2",
            {"preprocess": "own_stages.post", "adapter": "dashscope"},
            "--preprocess: the adapter dashscope has no such stage",
        ),
        (
            "mmbench-gui-l2",
            {"generate_function": "chat", "adapter": "openai"},
            "--generate-function is for --adapter transformers",
        ),
    ],
    ids=["no rows", "no function", "no stage", "no method"],
)
def test_what_cannot_be_put_in_place(
    code: Path, benchmark: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        plan(code, benchmark, **options)


SECRETS = ("tok-SECRET-123456", "pass-SECRET-123456", "env-SECRET-123456")


def test_a_functions_secrets_are_written_nowhere(
    code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_API_KEY", SECRETS[2])
    run = screenmark.run(
        "mmbench-gui-l2",
        predictions=predictions(code, "(1, 2)"),
        max_samples=3,
        code_dir=code,
        postprocess="own_stages.post_leak",
        model_kwargs={"api_token": SECRETS[0], "inner": {"password": SECRETS[1]}},
        runs_dir=code / "runs",
    )
    written = [path.read_text("utf-8") for path in run.path.iterdir() if path.is_file()]
    assert any("postprocess failed: ValueError" in text for text in written)
    for secret in SECRETS:
        assert not any(secret in text for text in written)
    warnings = run.results["audit"]["warnings"]
    assert any(text.startswith("--postprocess failed on 3 replies") for text in warnings)
    assert not any("profile" in text for text in warnings)
