"""A local model in two processes, some of which die."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image as PillowImage

import screenmark
from screenmark.errors import ModelError, StageError, UsageError
from screenmark.models import ModelOptions
from screenmark.models.local.layout import Layout, environment, layout
from screenmark.models.transformers_adapter import TransformersAdapter
from screenmark.types import Image, Message, Reply, Request, Text

CODE = """
import os, signal
from pathlib import Path

def pre(message_rows, model, processor, folder):
    text = message_rows[-1]["value"]
    mark = Path(folder, text)
    Path(folder, f"pid {os.getpid()}").touch()
    if text.startswith("dies") and (text == "dies always" or not mark.exists()):
        mark.touch()
        print("last words", file=__import__("sys").stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "raises":
        raise ValueError("no such page")
    return dict(processor.tokenizer(text, return_tensors="pt"))
"""


def asked(words: str, image: Path | None = None, **more: Any) -> Request:
    parts = (Text(words),) if image is None else (Image(str(image)), Text(words))
    return Request((Message("user", parts),), **{"max_tokens": 3, **more})


def answers(
    options: ModelOptions,
    *requests: Request,
    first: Callable[[TransformersAdapter], Any] | None = None,
) -> list[Reply | BaseException]:
    async def main() -> list[Reply | BaseException]:
        adapter = TransformersAdapter(options)
        try:
            await adapter.start()
            if first is not None:
                await first(adapter)
            asked = [adapter.generate(request) for request in requests]
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await adapter.close()

    return asyncio.run(main())


def options(checkpoint: Path, **more: Any) -> ModelOptions:
    return ModelOptions(model=str(checkpoint), adapter="transformers", **{"workers": 2, **more})


def own(checkpoint: Path, folder: Path, **more: Any) -> ModelOptions:
    (folder / "own_worker.py").write_text(CODE, encoding="utf-8")
    return options(
        checkpoint, code_dir=folder, preprocess="own_worker.pre",
        model_kwargs={"folder": str(folder)}, **more,
    )  # fmt: skip


def test_two_processes_say_what_one_says_and_one_may_die(checkpoint: Path, tmp_path: Path) -> None:
    shot = tmp_path / "shot.png"
    PillowImage.new("RGB", (200, 100), (9, 200, 90)).save(shot)
    requests = [asked(f"Where is button {n}?", shot, max_tokens=8) for n in range(6)]
    alone = answers(options(checkpoint, workers=1), *requests)

    async def main() -> list[Reply]:
        adapter = TransformersAdapter(options(checkpoint, batch_size=2))
        await adapter.start()
        try:
            assert adapter._fleet is not None
            worker = adapter._fleet._slots[0].worker
            assert worker is not None
            tasks = [asyncio.create_task(adapter.generate(request)) for request in requests]
            while not worker._waiting:  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0)
            os.kill(worker._process.pid, signal.SIGKILL)
            return await asyncio.gather(*tasks)
        finally:
            await adapter.close()

    together = asyncio.run(main())
    assert [msgspec.structs.replace(reply, notes=()) for reply in together] == alone
    notes = [reply.notes[0] for reply in together if reply.notes]
    assert notes
    assert all(note.startswith("asked again: worker 0 died (exit code -9") for note in notes)


@pytest.mark.full
def test_a_worker_that_dies_is_replaced_and_its_samples_are_asked_again(
    checkpoint: Path, tmp_path: Path
) -> None:
    words = ["dies once", "fine", "dies always", "raises", "good"]
    once, fine, always, raises, good = answers(
        own(checkpoint, tmp_path), *(asked(one) for one in words)
    )
    assert isinstance(once, Reply)
    assert len(once.notes) == 1
    assert once.notes[0].startswith("asked again: worker ")
    assert once.notes[0].endswith("died (exit code -9: last words)")
    assert isinstance(fine, Reply)
    assert isinstance(good, Reply)
    assert isinstance(always, ModelError)
    assert str(always).startswith("two workers died over it: worker ")
    assert isinstance(raises, StageError)
    assert str(raises) == "own_worker.pre failed: ValueError: no such page"
    # Two at the start, one after each of three deaths.
    assert 4 <= len(list(tmp_path.glob("pid *"))) <= 5


@pytest.mark.full
def test_a_run_names_the_death_in_the_record(checkpoint: Path, tmp_path: Path) -> None:
    code = CODE.replace(
        'text.startswith("dies")', 'model.config is not None and not list(Path(folder).glob("d*"))'
    ).replace("Path(folder, text)", "Path(folder, 'died')")
    (tmp_path / "own_worker.py").write_text(code, encoding="utf-8")
    run = screenmark.run(
        "mmbench-gui-l1", model=str(checkpoint), adapter="transformers", workers=2,
        code_dir=tmp_path, preprocess="own_worker.pre", model_kwargs={"folder": str(tmp_path)},
        max_samples=4, max_tokens=2, runs_dir=tmp_path / "runs",
    )  # fmt: skip
    records = list(run.records)
    assert all(record.reply is not None for record in records)
    notes = [record.reply.notes for record in records if record.reply and record.reply.notes]
    assert 1 <= len(notes) <= 2  # one died; both workers may have found no mark yet
    assert "died (exit code -9" in notes[0][0]


@pytest.mark.full
def test_what_one_worker_cannot_load_nobody_waits_for(checkpoint: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be loaded"):
        answers(options(broken))


@pytest.mark.full
def test_a_dropped_request_is_dropped_in_the_worker(checkpoint: Path) -> None:
    async def drop(adapter: TransformersAdapter) -> None:
        cfg = {"min_new_tokens": 4000, "max_new_tokens": 4000}
        tasks = [
            asyncio.create_task(adapter.generate(asked("on and on", generate_cfg=cfg)))
            for _ in range(2)
        ]
        await asyncio.sleep(0.3)
        for task in tasks:
            task.cancel()

    (reply,) = answers(options(checkpoint, timeout=600), asked("short"), first=drop)
    assert isinstance(reply, Reply)


@pytest.mark.full
def test_workers_end_with_their_parent(checkpoint: Path, tmp_path: Path) -> None:
    """Killed with SIGKILL, a run leaves no process behind."""
    import subprocess
    import sys

    script = (
        "import asyncio, json, sys\n"
        "from screenmark.models import ModelOptions\n"
        "from screenmark.models.transformers_adapter import TransformersAdapter\n"
        "async def main():\n"
        "    adapter = TransformersAdapter(ModelOptions(model=sys.argv[1], workers=2))\n"
        "    await adapter.start()\n"
        "    pids = [slot.worker._process.pid for slot in adapter._fleet._slots]\n"
        "    print(json.dumps(pids), flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(checkpoint)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pids = json.loads(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait(30)
    parent.stdout.close()

    async def gone() -> None:
        while any(_alive(pid) for pid in pids):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(gone(), 30))


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("given", "gpus", "expected"),
    [
        ({}, 0, (1, 4, 0)),
        ({}, 1, (1, 16, 1)),
        ({}, 8, (8, 16, 8)),
        ({"device_map": "auto"}, 8, (1, 16, 8)),
        ({"workers": 4, "batch_size": 2}, 8, (4, 2, 8)),
        ({"workers": 3}, 0, (3, 4, 0)),
        ({"batch_size": 8}, 0, (1, 8, 0)),
    ],
    ids=["cpu", "one gpu", "eight gpus", "spread", "two each", "cpu workers", "cpu batch"],
)
def test_layout(given: dict[str, Any], gpus: int, expected: tuple[int, int, int]) -> None:
    assert layout(ModelOptions(**given), gpus) == expected


def test_layout_of_what_cannot_be() -> None:
    with pytest.raises(UsageError, match="--workers 3: there are only 2 GPUs"):
        layout(ModelOptions(workers=3), 2)
    assert layout(ModelOptions(), 1, batches=False).rows == 1


@pytest.mark.parametrize(
    ("name", "gpus", "there"),
    [
        pytest.param("cuda", 0, "PyTorch finds no GPU here", id="none"),
        pytest.param("cuda:1", 1, "there is cuda:0", id="one"),
        pytest.param("cuda:2", 2, "there are cuda:0 to cuda:1", id="two"),
        pytest.param("cuda:x", 2, "there are cuda:0 to cuda:1", id="no number"),
    ],
)
def test_a_gpu_that_is_not_there(name: str, gpus: int, there: str) -> None:
    with pytest.raises(UsageError, match=there):
        layout(ModelOptions(device_map=name), gpus)


@pytest.mark.parametrize(
    ("name", "gpus"), [("auto", 0), ("cpu", 0), ("cuda", 1), ("cuda:1", 2), ("mps", 0)]
)
def test_a_device_that_is_there(name: str, gpus: int) -> None:
    assert layout(ModelOptions(device_map=name), gpus).workers == 1


@pytest.mark.parametrize(
    ("plan", "own", "devices"),
    [
        (Layout(2, 1, 2), {}, ["0", "1"]),
        (Layout(2, 1, 4), {}, ["0,1", "2,3"]),
        (Layout(2, 1, 2), {"CUDA_VISIBLE_DEVICES": "5, 7"}, ["5", "7"]),
        (Layout(2, 1, 3), {"CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b,GPU-c"}, ["GPU-a", "GPU-b"]),
    ],
    ids=["one each", "two each", "some of them", "one is left"],
)
def test_each_worker_sees_its_own_gpus(
    plan: Layout, own: dict[str, str], devices: list[str]
) -> None:
    found = [environment(n, plan, own)["CUDA_VISIBLE_DEVICES"] for n in range(plan.workers)]
    assert found == devices


def test_workers_without_gpus_share_the_processors() -> None:
    processors = os.cpu_count() or 1
    plan = Layout(2, 1, 0)
    assert environment(0, plan, {}) == {"OMP_NUM_THREADS": str(max(1, processors // 2))}
    assert environment(0, plan, {"OMP_NUM_THREADS": "3"}) == {"OMP_NUM_THREADS": "3"}
