"""``screenmark rm`` takes run folders and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from screenmark.engine import removal
from screenmark.engine.run_folder import RunFolder, folders_of
from screenmark.errors import RunFolderError
from tests.support.commands import command, small_run

pytestmark = pytest.mark.usefixtures("in_tmp")


def copy(source: Path, name: str) -> Path:
    """The same run once more, under another name."""
    target = source.with_name(name)
    target.mkdir()
    for file in source.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; tests work on copies of it."""
    folder = tmp_path_factory.mktemp("finished")
    return small_run(folder, runs_dir=folder / "runs")


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A finished run of this test's own, beside another one."""
    place = tmp_path / "runs" / "a"
    place.parent.mkdir()
    for name in ("a", "b"):
        target = place.with_name(name)
        target.mkdir()
        for file in finished.iterdir():
            (target / file.name).write_bytes(file.read_bytes())
    return place


def test_removes_what_is_named_and_nothing_else(run: Path) -> None:
    (run / "artifacts" / "deep").mkdir(parents=True)
    (run / "artifacts" / "deep" / "page.html").write_text("x", encoding="utf-8")
    (run / ".results.json.123.tmp").write_text("{", encoding="utf-8")
    done = command("rm", "--yes", run)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"removed {run}\n")
    assert [path.name for path in run.parent.iterdir()] == ["b"]


def test_several_at_once_one_of_them_twice(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run)
    done = command("rm", "-y", ".", run, "../b")
    assert done.returncode == 0, done.stderr
    assert list(run.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("keys", "code", "left"),
    [("y\n", 0, ["b"]), ("n\n", 1, ["a", "b"]), ("\n", 1, ["a", "b"])],
    ids=["yes", "no", "only return"],
)
def test_asks_on_a_terminal(run: Path, keys: str, code: int, left: list[str]) -> None:
    done = command("rm", run, keys=keys)
    assert done.returncode == code
    assert f"{run} (gui-hallubench, m, 3 samples, finished)" in done.stderr
    assert "Remove this run?" in done.stderr
    assert sorted(path.name for path in run.parent.iterdir()) == left


def test_without_a_terminal_it_wants_yes(run: Path) -> None:
    done = command("rm", run)
    assert done.returncode == 2
    assert "say --yes" in done.stderr
    assert run.exists()


def no_manifest(run: Path) -> Path:
    (run / "manifest.json").unlink()
    return run


def other_manifest(run: Path) -> Path:
    (run / "manifest.json").write_text('{"name": "an app"}', encoding="utf-8")
    return run


def other_files(run: Path) -> Path:
    (run / "notes.txt").write_text("mine", encoding="utf-8")
    return run


def link(run: Path) -> Path:
    other = run.with_name("link")
    other.symlink_to(run)
    return other


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(no_manifest, "no run here", id="no manifest"),
        pytest.param(other_manifest, "cannot be read as a manifest", id="manifest of others"),
        pytest.param(other_files, "also holds notes.txt", id="other files"),
        pytest.param(link, "a link to", id="link"),
        pytest.param(lambda run: run.parent, "no run here", id="folder of runs"),
        pytest.param(lambda run: run / "none", "no run here", id="nothing there"),
        pytest.param(lambda run: run / "manifest.json", "no run here", id="file"),
    ],
)
def test_what_is_refused_stays_and_so_does_the_rest(
    run: Path, spoil: Callable[[Path], Path], message: str
) -> None:
    other = run.with_name("b")
    spoilt = spoil(run)
    before = sorted(path for path in run.parent.rglob("*"))
    done = command("rm", "--yes", other, spoilt)
    assert done.returncode == 2
    assert message in done.stderr
    assert str(spoilt) in done.stderr
    assert sorted(path for path in run.parent.rglob("*")) == before


def test_a_run_in_use_is_refused(run: Path) -> None:
    hold = (
        "import sys; from pathlib import Path; from screenmark.engine.run_folder import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])).locked(): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, run], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        done = command("rm", "--yes", run)
        assert done.returncode == 2
        assert f"another process (pid {holder.pid}) is running here" in done.stderr
        assert RunFolder(run).records.exists()
        holder.communicate()
    assert command("rm", "--yes", run).returncode == 0


def test_links_inside_go_without_what_they_lead_to(run: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "photo").write_text("x", encoding="utf-8")
    (run / "artifacts").symlink_to(precious)
    assert command("rm", "--yes", run).returncode == 0
    assert (precious / "photo").exists()
    assert not run.exists()


def test_a_folder_that_cannot_be_moved_stays_whole(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)
    before = sorted(path.name for path in run.iterdir())
    with pytest.raises(RunFolderError, match=r"cannot be removed \(Permission denied\)"):
        removal.remove_run(run)
    assert sorted(path.name for path in run.iterdir()) == before


def test_a_folder_that_cannot_be_read_is_named(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    done = command("rm", "--yes", run)
    assert (done.returncode, run.exists()) == (2, True)
    assert f"{run}: cannot be read (Permission denied)" in done.stderr


def test_what_the_disk_keeps_is_named_and_is_no_run(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    done = command("rm", "--yes", run)
    assert done.returncode == 2
    (rest,) = run.parent.glob(".removed-*")
    assert f"removed, but for some files in {rest} (Input/output error)" in done.stderr
    assert f" {run} " not in command("runs", "--runs-dir", run.parent).stdout
    assert not (rest / "manifest.json").exists()


def test_a_later_run_is_found_where_an_earlier_one_was_removed(run: Path) -> None:
    first, second = (copy(run, name) for name in ("same", "same-2"))
    assert command("rm", "--yes", first).returncode == 0
    assert [folder.path for folder in folders_of(run.parent, "same")] == [second]
