"""vLLM's offline engine, against a stand-in that has the signatures of its documentation."""

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.errors import ModelError, TransientError, UsageError
from screenmark.models import ModelOptions, build_adapter
from screenmark.models.vllm_adapter import VllmAdapter
from screenmark.types import Image, Message, Reply, Request, Text

STAND_INS = Path(__file__).parents[1] / "support" / "stand_ins"


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(STAND_INS))
    monkeypatch.setenv("PYTHONPATH", str(STAND_INS))
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "ERROR")
    import vllm

    yield vllm
    for name in [name for name in sys.modules if name.partition(".")[0] == "vllm"]:
        del sys.modules[name]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder that looks like a checkpoint of Qwen2.5-VL."""
    folder = tmp_path / "Qwen2.5-VL-7B"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def lora(tmp_path: Path) -> Path:
    folder = tmp_path / "lora"
    folder.mkdir()
    (folder / "adapter_config.json").write_text('{"r": 12}', encoding="utf-8")
    return folder


def asked(words: str, shot: Path | None = None, **more: Any) -> Request:
    image = () if shot is None else (Image(str(shot)),)
    return Request((Message("user", (*image, Text(words))),), **{"max_tokens": 20, **more})


def answers(model: Path, requests: Sequence[Request], **more: Any) -> list[Any]:
    async def main() -> list[Any]:
        adapter = VllmAdapter(ModelOptions(model=str(model), adapter="vllm", **more))
        await adapter.start()
        try:
            asked = [adapter.generate(request) for request in requests]
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await adapter.close()

    return asyncio.run(main())


def test_requests_go_together_and_everybody_gets_their_own(
    vllm: Any, model: Path, tmp_path: Path
) -> None:
    shot = tmp_path / "shot.png"
    PillowImage.new("RGB", (200, 100)).save(shot)
    replies = answers(model, [asked(f"where is {n}", shot) for n in range(5)], batch_size=3)
    assert [reply.text for reply in replies] == [f"where is {n} 200x100" for n in range(5)]
    assert [len(call["messages"]) for call in vllm.LLM.calls[-2:]] == [3, 2]
    first = vllm.LLM.calls[-2]
    (message,) = first["messages"][0]
    assert message["role"] == "user"
    assert [part["type"] for part in message["content"]] == ["image_url", "text"]
    assert message["content"][0]["image_url"]["url"].startswith("data:image/png;base64,")
    assert first["tqdm"] is False
    assert replies[0].usage.output_tokens == 4
    (image,) = replies[0].images
    assert (image.seen_width, image.seen_height) == (196, 112)  # multiples of 28


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {"temperature": 0.0, "max_tokens": 20, "top_k": 0, "repetition_penalty": 1.05}),
        ({"temperature": 0.7}, {"temperature": 0.7, "top_k": 1, "top_p": 0.001}),
        ({"generate_cfg": {"max_new_tokens": 3, "top_p": 0.5}}, {"max_tokens": 3, "top_p": 0.5}),
        ({"temperature": 0.7, "generate_cfg": {"do_sample": False}}, {"temperature": 0.0}),
        ({"keep_special": True}, {"skip_special_tokens": False}),
        ({"generate_cfg": {"repetition_penalty": 1.0}}, {"repetition_penalty": 1.0}),
    ],
    ids=["greedy", "sampled", "cfg", "no sampling", "special", "own penalty"],
)
def test_sampling(vllm: Any, model: Path, more: dict[str, Any], expected: dict[str, Any]) -> None:
    answers(model, [asked("hello", **more)])
    (params,) = vllm.LLM.calls[-1]["params"]
    assert {name: getattr(params, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {},
            {
                "dtype": "auto",
                "trust_remote_code": False,
                "limit_mm_per_prompt": {"image": 4},
                "mm_processor_kwargs": {"min_pixels": 3136, "max_pixels": 12845056},
            },
        ),
        (
            {"max_pixels": 999999},
            {"mm_processor_kwargs": {"min_pixels": 3136, "max_pixels": 999999}},
        ),
        (
            {"engine_args": {"tensor_parallel_size": 8, "limit_mm_per_prompt": {"image": 1}}},
            {"tensor_parallel_size": 8, "limit_mm_per_prompt": {"image": 1}},
        ),
        (
            {"dtype": "bfloat16", "trust_remote_code": True},
            {"dtype": "bfloat16", "trust_remote_code": True},
        ),
        ({"lora": "{lora}"}, {"enable_lora": True, "max_lora_rank": 16}),
    ],
    ids=["defaults", "pixels", "own", "type", "lora"],
)  # fmt: skip
def test_engine(
    vllm: Any, model: Path, lora: Path, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    if "lora" in given:
        given = {"lora": str(lora)}
    answers(model, [asked("hello")], **given)
    made = vllm.LLM.made[-1]
    assert {name: made[name] for name in expected} == expected
    assert made["model"] == str(model)
    wanted = ("tuned", 1, str(lora)) if "lora" in given else None
    assert vllm.LLM.calls[-1]["lora"] == wanted


def test_a_family_without_that_resize_is_left_alone(vllm: Any, tmp_path: Path) -> None:
    folder = tmp_path / "Qwen3-VL-8B"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    answers(folder, [asked("hello")])
    assert "mm_processor_kwargs" not in vllm.LLM.made[-1]


def test_one_bad_request_is_alone_with_it(vllm: Any, model: Path) -> None:
    good, bad, other = answers(model, [asked("a"), asked("too long"), asked("b")])
    assert (good.text, other.text) == ("a", "b")
    assert isinstance(bad, ModelError)
    assert str(bad).startswith("vLLM: ValueError: The decoder prompt (length 99999)")


def test_options_that_vllm_does_not_have(vllm: Any, model: Path) -> None:
    (found,) = answers(model, [asked("a", generate_cfg={"num_beams": 4})])
    assert isinstance(found, ModelError)
    assert "--generate-cfg: vLLM's SamplingParams says: Unexpected keyword" in str(found)


def test_a_dead_engine_is_made_anew(vllm: Any, model: Path) -> None:
    made = len(vllm.LLM.made)
    found = answers(model, [asked("dies"), asked("a"), asked("b")], batch_size=1)
    assert isinstance(found[0], TransientError)
    assert "vLLM's engine died: EngineCore encountered an issue." in str(found[0])
    assert [found[1].text, found[2].text] == ["a", "b"]
    assert len(vllm.LLM.made) == made + 2


def test_an_engine_that_does_not_start(vllm: Any, model: Path) -> None:
    with pytest.raises(UsageError, match="vLLM cannot start, ValueError: No available memory") as e:
        answers(model, [], engine_args={"gpu_memory_utilization": 3})
    assert "max_model_len" in str(e.value)


@pytest.mark.parametrize(
    ("given", "command"),
    [
        (
            {},
            "vllm serve {model} --limit-mm-per-prompt '{{\"image\": 4}}' --mm-processor-kwargs "
            '\'{{"min_pixels": 3136, "max_pixels": 12845056}}\', and ask it with --preset vllm '
            "--model {model} ",
        ),
        (
            {"lora": "{lora}", "dtype": "bfloat16"},
            "--dtype bfloat16 --enable-lora --max-lora-rank 16 --lora-modules tuned={lora}, and "
            "ask it with --preset vllm --model tuned ",
        ),
    ],
    ids=["plain", "lora"],
)
def test_without_vllm_the_command_of_a_server(
    monkeypatch: pytest.MonkeyPatch, model: Path, lora: Path, given: dict[str, Any], command: str
) -> None:
    monkeypatch.setattr("screenmark.models.vllm_adapter.find_spec", lambda name: None)
    given = {k: str(lora) if k == "lora" else v for k, v in given.items()}
    with pytest.raises(UsageError) as caught:
        build_adapter(ModelOptions(model=str(model), adapter="vllm", **given))
    assert "vLLM is not installed here" in str(caught.value)
    assert command.format(model=model, lora=lora) in str(caught.value)


@pytest.mark.parametrize(
    ("rank", "message"),
    [(1024, "its rank is 1024; vLLM takes at most 512"), ("x", "its rank is x")],
)
def test_a_rank_that_vllm_does_not_take(
    vllm: Any, model: Path, lora: Path, rank: object, message: str
) -> None:
    (lora / "adapter_config.json").write_text(json.dumps({"r": rank}), encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        answers(model, [], lora=str(lora))


def test_a_run(vllm: Any, model: Path, tmp_path: Path) -> None:
    run = screenmark.run(
        "mmbench-gui-l2", model=str(model), adapter="vllm", max_samples=6, max_tokens=4096,
        runs_dir=tmp_path / "runs",
    )  # fmt: skip
    records = list(run.records)
    assert len(records) == 6
    assert all(record.reply is not None for record in records)
    assert not any(record.outcome.is_failure for record in records)
    assert run.manifest.profile == "qwen2.5-vl"


@pytest.mark.full
def test_two_processes(vllm: Any, model: Path) -> None:
    replies = answers(model, [asked(f"word {n}") for n in range(6)], workers=2)
    assert all(isinstance(reply, Reply) for reply in replies)
    assert [reply.text for reply in replies] == [f"word {n}" for n in range(6)]
