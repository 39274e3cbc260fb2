"""The run folder: a safe name, numbered successors, one owner at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.engine.manifest import FORMAT, Manifest, read_manifest, write_manifest
from screenmark.engine.run_folder import (
    RunFolder,
    folder_name,
    folders_of,
    identity_hash,
    list_folders,
    next_folder,
    open_folder,
)
from screenmark.errors import RunFolderError


def manifest(**changes: Any) -> Manifest:
    made = Manifest(
        benchmark="b", model="m", adapter="openai", profile=None, scoring="strict", identity={},
        options={}, prompt="", data_source="d", data_hash="h", num_samples=1,
        created="2026-01-01T00:00:00.000+00:00",
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


HASH = identity_hash({})


@pytest.mark.parametrize(
    ("model", "slug"),
    [
        pytest.param("qwen-vl-max", "qwen-vl-max", id="plain"),
        pytest.param("Qwen/Qwen2.5-VL-7B", "Qwen2.5-VL-7B", id="organisation"),
        pytest.param("/models/ui-tars/", "ui-tars", id="checkpoint"),
        pytest.param("../../x", "x", id="up"),
        pytest.param("../..", "model", id="only up"),
        pytest.param("", "model", id="empty"),
        pytest.param("///", "model", id="slashes"),
        pytest.param(".hidden", "hidden", id="dot"),
        pytest.param("-rf", "rf", id="looks like a flag"),
        pytest.param("a/b:c", "b_c", id="colon"),
        pytest.param("C:\\models\\x", "C_models_x", id="backslash"),
        pytest.param("模型", "模型", id="Chinese"),
        pytest.param("a\x00b\nc\x1b[2J", "a_b_c_2J", id="controls"),
        pytest.param("a $(rm) `x` *", "a_rm_x", id="shell"),
        pytest.param("x" * 500, "x" * 60, id="long"),
        pytest.param("\U00020000" * 60, "\U00020000" * 45, id="four bytes each"),
    ],
)
def test_folder_name(model: str, slug: str) -> None:
    assert folder_name("gui-hallubench", model, {}) == f"gui-hallubench-{slug}-{HASH}"


@given(st.text(st.characters()))
def test_any_model_name_makes_one_safe_folder(model: str) -> None:
    name = folder_name("gui-hallubench", model, {"model": "x"})
    assert name == os.path.basename(name)
    assert name.startswith("gui-hallubench-")
    assert "\x00" not in name
    assert len(name.encode("utf-8")) <= 255 - len("-999")


def test_the_longest_name_can_be_made(tmp_path: Path) -> None:
    name = folder_name("gui-hallubench", "\U00020000" * 500, {})
    with next_folder(tmp_path, name).locked():
        assert (tmp_path / name).is_dir()


def test_identity_is_a_hash_of_content_not_of_order() -> None:
    one = identity_hash({"a": 1, "b": {"c": 2, "d": None}})
    assert one == identity_hash({"b": {"d": None, "c": 2}, "a": 1})
    assert len(one) == 10
    assert int(one, 16) >= 0
    others: list[dict[str, Any]] = [{}, {"a": 1}, {"a": "1"}, {"a": 1.5}, {"a": None}, {"b": 1}]
    assert len({identity_hash(other) for other in others} | {one}) == len(others) + 1


def test_successors_are_numbered(tmp_path: Path) -> None:
    names = []
    for _ in range(4):
        folder = next_folder(tmp_path, "run")
        names.append(folder.path.name)
        folder.path.mkdir()
    assert names == ["run", "run-2", "run-3", "run-4"]
    for other in ("run-other", "run-1", "run-05", "run-2-2", "Run", "a-run"):
        (tmp_path / other).mkdir()
    assert [folder.path.name for folder in folders_of(tmp_path, "run")] == names
    assert folders_of(tmp_path / "none", "run") == []
    assert next_folder(tmp_path / "none", "run").path == tmp_path / "none" / "run"


def test_a_removed_run_leaves_a_gap_that_is_not_filled(tmp_path: Path) -> None:
    for name in ("run-2", "run-10", "run-9"):
        (tmp_path / name).mkdir()
    found = [folder.path.name for folder in folders_of(tmp_path, "run")]
    assert found == ["run-2", "run-9", "run-10"]
    assert next_folder(tmp_path, "run").path.name == "run-11"


class TestLock:
    def test_is_exclusive_within_a_process_and_names_the_holder(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path / "deep" / "run")
        message = rf"another process \(pid {os.getpid()}\)"
        with folder.locked(), pytest.raises(RunFolderError, match=message):
            RunFolder(folder.path).locked().__enter__()
        with folder.locked():
            pass

    def test_is_let_go_after_an_error(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path)
        with pytest.raises(ZeroDivisionError), folder.locked():
            _ = 1 / 0
        with folder.locked():
            pass

    def test_goes_with_a_process_that_is_killed(self, tmp_path: Path) -> None:
        code = (
            "import sys, time; from pathlib import Path\n"
            "from screenmark.engine.run_folder import RunFolder\n"
            "with RunFolder(Path(sys.argv[1])).locked():\n"
            "    print('held', flush=True); time.sleep(60)\n"
        )
        command = [sys.executable, "-c", code, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            with pytest.raises(RunFolderError, match=rf"\(pid {process.pid}\) is running here"):
                RunFolder(tmp_path).locked().__enter__()
            process.kill()
        with RunFolder(tmp_path).locked():
            pass

    def test_a_place_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("", encoding="utf-8")
        with pytest.raises(RunFolderError, match="cannot be written"):
            RunFolder(tmp_path / "file" / "run").locked().__enter__()

    def test_a_file_system_without_locks_is_not_another_process(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def flock(descriptor: int, operation: int) -> None:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        monkeypatch.setattr(fcntl, "flock", flock)
        with pytest.raises(RunFolderError, match=os.strerror(errno.ENOLCK)):
            RunFolder(tmp_path).locked().__enter__()


def make_run(path: Path, **changes: Any) -> None:
    path.mkdir(parents=True)
    write_manifest(path / "manifest.json", manifest(**changes))


def test_runs_are_listed_newest_first_and_damage_is_passed_over(tmp_path: Path) -> None:
    for day, name in ((2, "a"), (3, "c"), (1, "b")):
        make_run(tmp_path / name, created=f"2026-01-0{day}T00:00:00.000+00:00")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("{}", encoding="utf-8")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/manifest.json").write_text("{", encoding="utf-8")
    (tmp_path / "folder/manifest.json").mkdir(parents=True)
    assert [folder.path.name for folder, _ in list_folders(tmp_path)] == ["c", "a", "b"]
    assert list_folders(tmp_path / "none") == []


def test_open_folder(tmp_path: Path) -> None:
    make_run(tmp_path / "run", model="模型")
    folder, found = open_folder(tmp_path / "run")
    assert (folder.path, found.model) == (tmp_path / "run", "模型")
    with pytest.raises(RunFolderError, match=r"no run here.*screenmark runs"):
        open_folder(tmp_path)


class TestManifest:
    def test_comes_back_as_it_was(self, tmp_path: Path) -> None:
        made = manifest(identity={"a": 1}, problems=["p"], status="finished", finished="now")
        write_manifest(tmp_path / "m", made)
        assert read_manifest(tmp_path / "m") == made

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "cannot be read as a manifest"),
            ("[]", "cannot be read as a manifest"),
            ('{"format": 1}', "cannot be read as a manifest"),
            ("\ufeff{}", "cannot be read as a manifest"),
        ],
    )
    def test_damaged(self, tmp_path: Path, text: str, message: str) -> None:
        (tmp_path / "m").write_text(text, encoding="utf-8")
        with pytest.raises(RunFolderError, match=message) as caught:
            read_manifest(tmp_path / "m")
        assert str(tmp_path / "m") in str(caught.value)

    def test_newer_than_this_version(self, tmp_path: Path) -> None:
        write_manifest(tmp_path / "m", manifest(format=FORMAT + 1))
        with pytest.raises(RunFolderError, match=rf"format {FORMAT + 1} is newer"):
            read_manifest(tmp_path / "m")

    def test_fields_of_a_later_version_are_ignored(self, tmp_path: Path) -> None:
        data = msgspec.to_builtins(manifest()) | {"mood": "good"}
        (tmp_path / "m").write_bytes(msgspec.json.encode(data))
        assert read_manifest(tmp_path / "m") == manifest()
