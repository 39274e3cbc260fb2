"""Batches, adapters, types and limits of a local checkpoint, on tiny ones with random weights."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.errors import MissingExtra, ModelError, RunFolderError, UsageError
from screenmark.models import ModelOptions, build_adapter
from screenmark.models.local.answering import Answering
from screenmark.models.local.memory import OutOfMemory
from screenmark.models.transformers_adapter import TransformersAdapter
from screenmark.types import Image, Message, Reply, Request, Text
from tests.support.families import save_lora

SIZES = [(200, 100), (100, 200), (90, 90), (300, 40), (120, 80), (64, 64), (200, 100), (112, 112)]
WORDS = "Where is the button that sends the form? Answer with a point."


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("shots")
    paths = []
    for n, size in enumerate(SIZES):
        path = folder / f"{n}.png"
        PillowImage.new("RGB", size, (20 * n, 200 - 20 * n, 240)).save(path)
        paths.append(path)
    return paths


def asked(shot: Path | None, words: str, **more: Any) -> Request:
    image = () if shot is None else (Image(str(shot)),)
    return Request((Message("user", (*image, Text(words))),), **{"max_tokens": 12, **more})


def questions(shots: Sequence[Path], **more: Any) -> list[Request]:
    return [asked(shot, WORDS[: 20 + 5 * n], **more) for n, shot in enumerate(shots)]


Watch = Callable[[TransformersAdapter], None]


def answers(
    checkpoint: Path, requests: Sequence[Request], watch: Watch | None = None, **more: Any
) -> list[Reply | BaseException]:
    """All asked at once."""

    async def main() -> list[Reply | BaseException]:
        options = ModelOptions(model=str(checkpoint), adapter="transformers", **more)
        adapter = TransformersAdapter(options)
        await adapter.start()
        if watch is not None:
            watch(adapter)
        try:
            asked = [adapter.generate(request) for request in requests]
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await adapter.close()

    return asyncio.run(main())


def texts(replies: Sequence[Reply | BaseException]) -> list[str]:
    return [reply.text for reply in replies if isinstance(reply, Reply)]


class Rows:
    """Notes how many samples each call of the model's method had, and may fail for some."""

    def __init__(self, fails: Callable[[int], Exception | None] = lambda rows: None) -> None:
        self.seen: list[int] = []
        self._fails = fails

    def __call__(self, adapter: TransformersAdapter) -> None:
        model = adapter._model
        assert model is not None
        real = model.model.generate

        def generate(**kwargs: Any) -> Any:
            rows = kwargs["input_ids"].shape[0]
            self.seen.append(rows)
            error = self._fails(rows)
            if error is not None:
                raise error
            return real(**kwargs)

        model.model.generate = generate


@pytest.mark.parametrize("name", ["checkpoint", "qwen3_vl", "llava"])
def test_a_batch_says_what_each_sample_alone_says(
    name: str, shots: list[Path], request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(name)
    # Some end early: half of all tokens end a reply.
    cfg = {"eos_token_id": list(range(0, 512, 2))}
    requests = questions(shots) + questions(shots, generate_cfg=cfg)
    alone = answers(folder, requests, batch_size=1)
    rows = Rows()
    together = answers(folder, requests, rows, batch_size=4)
    assert texts(together) == texts(alone)
    assert len(set(texts(alone))) > 5
    assert max(rows.seen) == 4
    assert len(rows.seen) < len(requests)
    assert [reply.usage for reply in together if isinstance(reply, Reply)] == [
        reply.usage for reply in alone if isinstance(reply, Reply)
    ]
    assert [r.finish_reason for r in together if isinstance(r, Reply)] == [
        r.finish_reason for r in alone if isinstance(r, Reply)
    ]
    assert [r.images for r in together if isinstance(r, Reply)] == [
        r.images for r in alone if isinstance(r, Reply)
    ]


@pytest.mark.parametrize("kind", ["torch", "runtime"])
def test_out_of_memory_halves_the_batch_and_goes_on(
    checkpoint: Path, shots: list[Path], kind: str
) -> None:
    import torch

    errors = {
        "torch": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB"),
        "runtime": RuntimeError("DefaultCPUAllocator: can't allocate memory"),
    }
    rows = Rows(lambda n: errors[kind] if n > 2 else None)
    requests = [asked(shots[0], WORDS[:20])] * 12
    found = answers(checkpoint, requests, rows, batch_size=8)
    assert texts(found) == texts(answers(checkpoint, requests[:1])) * 12
    # 8 do not fit, nor do 4; from then on nothing above 2 is tried.
    assert rows.seen == [8, 4, 2, 2, 4, 2, 2, 2, 2]
    notes = [reply.notes for reply in found if isinstance(reply, Reply)]
    assert notes[0] == (
        "asked again in a smaller batch: 8 were out of memory",
        "asked again in a smaller batch: 4 were out of memory",
    )
    assert notes[-1] == ()


def test_a_sample_that_does_not_fit_is_alone_with_it(checkpoint: Path, shots: list[Path]) -> None:
    def watch(adapter: TransformersAdapter) -> None:
        model = adapter._model
        assert model is not None
        real = model.model.generate

        def generate(**kwargs: Any) -> Any:
            if (kwargs["image_grid_thw"].prod(dim=1) == 44).any():  # the one of 300 x 40
                raise RuntimeError("CUDA error: out of memory")
            return real(**kwargs)

        model.model.generate = generate

    found = answers(checkpoint, questions(shots), watch, batch_size=8)
    failed = [n for n, reply in enumerate(found) if not isinstance(reply, Reply)]
    assert failed == [3]
    assert isinstance(found[3], OutOfMemory)
    assert str(found[3]) == (
        "out of memory on cpu (300x40); --max-image-pixels makes images smaller"
    )


def test_a_run_keeps_what_is_answered(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of memory for good, in a whole run: that sample is an api_error, the others are not."""
    real = Answering._generate

    def generate(self: Answering, jobs: Any) -> Any:
        if len(jobs) > 1 or jobs[0].request.sample_id == "0":
            raise MemoryError
        return real(self, jobs)

    monkeypatch.setattr(Answering, "_generate", generate)
    run = screenmark.run(
        "mmbench-gui-l1", model=str(checkpoint), adapter="transformers", batch_size=4,
        max_samples=6, max_tokens=2, runs_dir=tmp_path,
    )  # fmt: skip
    records = list(run.records)
    lost = [record for record in records if record.failure is not None]
    assert len(records) == 6
    assert [record.sample_id for record in lost] == ["0"][: len(lost)]


def test_a_model_that_cannot_do_batches_is_asked_one_by_one(
    checkpoint: Path, shots: list[Path]
) -> None:
    rows = Rows(lambda n: ValueError("one at a time, please") if n > 1 else None)
    requests = [asked(shots[0], WORDS[:20])] * 6
    found = answers(checkpoint, requests, rows, batch_size=3)
    assert len(texts(found)) == 6
    assert rows.seen == [3, 1, 1, 1, 1, 1, 1]


def test_each_sample_of_a_batch_has_a_deadline_of_its_own(
    checkpoint: Path, shots: list[Path]
) -> None:
    def watch(adapter: TransformersAdapter) -> None:
        answering = adapter._answering
        assert answering is not None
        ready = answering.get_ready

        def get_ready(request: Request, images: Any) -> Any:
            job = ready(request, images)
            job.deadline.seconds = 0.0 if "late" in request.text else 600.0
            return job

        answering.get_ready = get_ready  # type: ignore[method-assign]

    requests = [asked(shots[0], words, max_tokens=8) for words in ("too late", "in time")]
    late, other = answers(checkpoint, requests, watch, batch_size=2)
    # Asked again alone, it is late there too.
    assert isinstance(late, ModelError)
    assert "--timeout allows more" in str(late)
    assert isinstance(other, Reply)
    assert texts([other]) == texts(answers(checkpoint, requests[1:]))


def test_who_is_late_in_a_batch_has_another_chance_alone(
    checkpoint: Path, shots: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from screenmark.models.local import answering
    from screenmark.models.local.generation import Deadlines

    class SlowInBatches(Deadlines):
        def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
            if len(self._deadlines) > 1:
                self._deadlines[0]._end = 0.0
            return super().__call__(input_ids, scores, **kwargs)

    monkeypatch.setattr(answering, "Deadlines", SlowInBatches)
    requests = questions(shots[:3])
    rows = Rows()
    found = answers(checkpoint, [requests[0]] * 4, rows, batch_size=3)
    assert texts(found) == texts(answers(checkpoint, requests[:1])) * 4
    assert rows.seen == [3, 1, 1]
    notes = [reply.notes for reply in found if isinstance(reply, Reply)]
    assert notes == [("asked again alone: too slow in a batch of 3",), (), (), ()]


def test_left_out_the_size_is_what_memory_allows(
    checkpoint: Path, shots: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from screenmark.models import transformers_adapter

    requests = [asked(shots[0], WORDS[:20])] * 8
    for room, seen in ((1 << 40, [4, 4]), (1 << 20, [2, 2, 2, 2]), (0, [1] * 8)):
        monkeypatch.setattr(transformers_adapter, "plannable_bytes", lambda device, b=room: b)
        rows = Rows()
        answers(checkpoint, requests, rows)
        assert rows.seen == seen


def test_own_functions_get_one_sample_at_a_time(checkpoint: Path) -> None:
    with pytest.raises(UsageError, match="functions of your own are given one sample at a time"):
        build_adapter(
            ModelOptions(
                model=str(checkpoint), adapter="transformers", generate_function="generate",
                batch_size=4,
            )
        )  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")  # in peft
class TestLora:
    def test_is_what_peft_makes_of_it(
        self, checkpoint: Path, shots: list[Path], tmp_path: Path
    ) -> None:
        import peft
        import torch
        import transformers

        lora = save_lora(checkpoint, tmp_path / "lora")
        requests = questions(shots[:4])
        plain = texts(answers(checkpoint, requests))
        tuned = answers(checkpoint, requests, lora=str(lora), batch_size=4)
        assert texts(tuned) != plain
        bare = transformers.Qwen2_5_VLForConditionalGeneration.from_pretrained(checkpoint)
        model = peft.PeftModel.from_pretrained(bare, lora).eval()
        seen: list[Any] = []

        def watch(adapter: TransformersAdapter) -> None:
            assert adapter._model is not None
            seen.append(adapter._model)

        answers(checkpoint, [], watch, lora=str(lora))
        ids = torch.tensor([[20, 30, 40]])
        with torch.inference_mode():
            ours, theirs = seen[0].model(input_ids=ids).logits, model(input_ids=ids).logits
        assert torch.equal(ours, theirs)

    def test_another_one_is_another_model(self, checkpoint: Path, tmp_path: Path) -> None:
        lora = save_lora(checkpoint, tmp_path / "lora")
        given: dict[str, Any] = {
            "model": str(checkpoint), "adapter": "transformers", "max_samples": 1,
            "max_tokens": 2, "runs_dir": tmp_path / "runs", "lora": str(lora),
        }  # fmt: skip
        run = screenmark.run("mmbench-gui-l1", **given)
        save_lora(checkpoint, lora, seed=2)
        with pytest.raises(RunFolderError, match=r"--model \(its content differs\)"):
            screenmark.run(resume=run.path)

    def test_of_another_model(self, checkpoint: Path, llava: Path, tmp_path: Path) -> None:
        lora = save_lora(llava, tmp_path / "lora")
        with pytest.raises(UsageError, match=r"--lora .*lora: "):
            answers(checkpoint, [], lora=str(lora))

    def test_without_peft(self, checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("screenmark.models.local.lora.find_spec", lambda name: None)
        with pytest.raises(MissingExtra, match=r"--lora needs an extra: .*screenmark\[local\]"):
            answers(checkpoint, [], lora="owner/name")

    @pytest.mark.parametrize(
        ("name", "message"),
        [("{empty}", "no adapter_config.json in this folder"), ("./none", "there is no folder")],
    )
    def test_no_adapter(self, checkpoint: Path, tmp_path: Path, name: str, message: str) -> None:
        lora = name.format(empty=tmp_path)
        with pytest.raises(UsageError, match=message):
            build_adapter(ModelOptions(model=str(checkpoint), adapter="transformers", lora=lora))


class TestOptions:
    def loaded(self, checkpoint: Path, **more: Any) -> Any:
        found: list[Any] = []

        def watch(adapter: TransformersAdapter) -> None:
            found.append(adapter._model)

        answers(checkpoint, [], watch, **more)
        return found[0]

    @pytest.mark.parametrize(
        ("dtype", "name"),
        [("auto", "float32"), ("bfloat16", "bfloat16"), ("float16", "float16")],
    )
    def test_dtype(self, checkpoint: Path, dtype: str, name: str) -> None:
        assert str(self.loaded(checkpoint, dtype=dtype).model.dtype) == f"torch.{name}"

    def test_bfloat16_answers(self, checkpoint: Path, shots: list[Path]) -> None:
        found = answers(checkpoint, questions(shots), dtype="bfloat16", batch_size=4)
        assert len(texts(found)) == len(shots)

    @pytest.mark.parametrize("attention", ["eager", "sdpa"])
    def test_attention(self, checkpoint: Path, attention: str) -> None:
        model = self.loaded(checkpoint, attention=attention)
        assert model.attention == attention
        assert model.config._attn_implementation == attention

    def test_attention_that_is_not_there(self, checkpoint: Path) -> None:
        with pytest.raises(UsageError, match="--attention flash_attention_2: not with this"):
            self.loaded(checkpoint, attention="flash_attention_2")

    def test_device_map(
        self, checkpoint: Path, shots: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import transformers

        kind = transformers.Qwen2_5_VLForConditionalGeneration
        real, given = kind.from_pretrained, []

        def from_pretrained(place: str, **more: Any) -> Any:
            given.append(more.get("device_map"))
            return real(place, **more)

        monkeypatch.setattr(kind, "from_pretrained", from_pretrained)
        self.loaded(checkpoint)
        self.loaded(checkpoint, device_map="cpu")
        assert given == [None, "cpu"]
        requests = questions(shots[:2])
        mapped = answers(checkpoint, requests, device_map="auto")
        assert texts(mapped) == texts(answers(checkpoint, requests))

    @pytest.mark.parametrize("name", ["checkpoint", "qwen3_vl"])
    def test_pixel_limits_are_what_the_model_sees(
        self, name: str, shots: list[Path], request: pytest.FixtureRequest
    ) -> None:
        folder = request.getfixturevalue(name)
        side = 28 if name == "checkpoint" else 32
        less, more = 4 * side * side, 40 * side * side
        tried: list[dict[str, Any]] = [
            {"max_pixels": less},
            {"min_pixels": more, "max_pixels": 2 * more},
        ]
        for limits in tried:
            (reply,) = answers(folder, [asked(shots[0], WORDS)], **limits)
            assert isinstance(reply, Reply)
            (image,) = reply.images
            assert image.seen_width is not None
            assert image.seen_height is not None
            pixels = image.seen_width * image.seen_height
            assert limits.get("min_pixels", 0) <= pixels <= limits["max_pixels"]

    @pytest.mark.parametrize(
        ("name", "limits", "message"),
        [
            ("llava", {"max_pixels": 9}, "--max-pixels: CLIPImageProcessor.* has no such limit"),
            ("llava", {"min_pixels": 9}, "--min-pixels: CLIPImageProcessor.* has no such limit"),
            ("checkpoint", {"min_pixels": 999999}, "--min-pixels 999999 is above --max-pixels"),
        ],
        ids=["most", "least", "crossed"],
    )
    def test_pixel_limits_that_cannot_be(
        self, name: str, limits: dict[str, Any], message: str, request: pytest.FixtureRequest
    ) -> None:
        with pytest.raises(UsageError, match=message):
            answers(request.getfixturevalue(name), [], **limits)

    @pytest.mark.parametrize(
        ("adapter", "given", "message"),
        [
            ("openai", {"batch_size": 4}, "--batch-size is for --adapter transformers or vllm"),
            ("openai", {"lora": "x"}, "--lora is for --adapter transformers or vllm, not openai"),
            ("transformers", {"engine_args": {}}, "--engine-args is for --adapter vllm, not tra"),
        ],
    )
    def test_options_of_others(
        self, checkpoint: Path, adapter: str, given: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(UsageError, match=message):
            build_adapter(ModelOptions(model=str(checkpoint), adapter=adapter, **given))

    def test_code_of_a_checkpoint_runs_only_when_told(
        self, checkpoint: Path, tmp_path: Path
    ) -> None:
        copy = tmp_path / "model"
        shutil.copytree(checkpoint, copy)
        config = (copy / "config.json").read_text(encoding="utf-8")
        config = config.replace('"model_type": "qwen2_5_vl"', '"model_type": "mine"')
        config = config.replace(
            '"architectures"', '"auto_map": {"AutoConfig": "mine.Config"}, "architectures"'
        )
        (copy / "config.json").write_text(config, encoding="utf-8")
        flag = tmp_path / "ran"
        code = f"open({str(flag)!r}, 'w').close()\nclass Config: pass\n"
        (copy / "mine.py").write_text(code, encoding="utf-8")
        with pytest.raises(UsageError, match="--trust-remote-code runs the code"):
            answers(copy, [])
        assert not flag.exists()
