"""Archives that mean well, and those that do not."""

from __future__ import annotations

import errno
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from screenmark.downloads import unpack as unpack_module
from screenmark.downloads.unpack import unpack
from screenmark.downloads.watch import Unwatched
from screenmark.errors import DataError, DownloadError

GOOD = {"pictures/a/1.png": b"one", "pictures/2.png": b"two" * 1000}
PLENTY = 10**9


def make_zip(path: Path, files: dict[str, bytes], *more: zipfile.ZipInfo) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
        for info in more:
            archive.writestr(info, b"/etc/passwd")
    return path


def make_tar(path: Path, files: dict[str, bytes], *more: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return path


def take(archive: Path, folder: Path, limit: int = PLENTY) -> dict[str, int]:
    return dict(unpack(archive, folder, "pictures", limit, Unwatched()))


def everything(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def tar_entry(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


MAKERS: list[tuple[str, Callable[..., Path]]] = [("x.zip", make_zip), ("x.tar.gz", make_tar)]


@pytest.mark.parametrize(("name", "make"), MAKERS)
@pytest.mark.parametrize("prefix", ["", "Some-Images/", "./"])
def test_the_folder_comes_out_wherever_it_stands(
    tmp_path: Path, name: str, make: Callable[..., Path], prefix: str
) -> None:
    beside = {"README": b"hi", "__MACOSX/pictures/._1.png": b"", "pictures/.DS_Store": b""}
    archive = make(tmp_path / name, {prefix + k: v for k, v in (GOOD | beside).items()})
    folder = tmp_path / "here"
    assert take(archive, folder) == {k: len(v) for k, v in GOOD.items()}
    assert {k: (folder / k).read_bytes() for k in GOOD} == GOOD
    assert everything(folder) == ["pictures", "pictures/2.png", "pictures/a", "pictures/a/1.png"]


BAD_NAMES = {
    "up": "../evil",
    "up in the middle": "pictures/../../evil",
    "absolute": "/tmp/evil",
    "drive": "C:/evil",
    "backslash": "pictures\\..\\..\\evil",
    "empty part": "pictures//evil",
    "line break": "pictures/a\nb",
    "long": "pictures/" + "x" * 300,
    "our record": "pictures/.screenmark-download.json",
    "our parts": "pictures/1.png.part",
    "a file as a folder": "pictures/2.png/evil",
}


@pytest.mark.parametrize(("name", "make"), MAKERS)
@pytest.mark.parametrize("bad", BAD_NAMES.values(), ids=BAD_NAMES)
def test_one_bad_name_and_nothing_is_written(
    tmp_path: Path, name: str, make: Callable[..., Path], bad: str
) -> None:
    archive = make(tmp_path / name, GOOD | {bad: b"evil"})
    folder = tmp_path / "deep" / "here"
    folder.mkdir(parents=True)
    with pytest.raises(DataError, match="nothing was written"):
        take(archive, folder)
    assert everything(folder) == []
    assert everything(tmp_path) == ["deep", "deep/here", name]


@pytest.mark.parametrize(("name", "make"), MAKERS)
def test_the_member_at_fault_is_named_and_inert(
    tmp_path: Path, name: str, make: Callable[..., Path]
) -> None:
    for bad, shown in (
        ("pictures/\x1b[2Jx", r"'pictures/\x1b[2Jx'"),
        ("pictures/2.png/b", "2.png/b'"),
    ):
        with pytest.raises(DataError) as caught:
            take(make(tmp_path / name, GOOD | {bad: b"evil"}), tmp_path / "here")
        assert shown in str(caught.value)
        assert str(caught.value).isprintable()


def test_the_member_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(unpack_module, "_write", full)
    with pytest.raises(DownloadError, match=r"x\.zip: 'pictures/a/1\.png': the disk is full"):
        take(make_zip(tmp_path / "x.zip", GOOD), tmp_path / "here")


ODD = {
    "symbolic link": tar_entry("pictures/link", tarfile.SYMTYPE, "/etc"),
    "hard link": tar_entry("pictures/link", tarfile.LNKTYPE, "../../x"),
    "device": tar_entry("pictures/null", tarfile.CHRTYPE),
    "pipe": tar_entry("pictures/pipe", tarfile.FIFOTYPE),
    "folder outside": tar_entry("../outside", tarfile.DIRTYPE),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_only_files_come_out_of_a_tar(tmp_path: Path, odd: tarfile.TarInfo) -> None:
    archive = make_tar(tmp_path / "x.tar.gz", GOOD, odd)
    with pytest.raises(DataError, match="nothing was written"):
        take(archive, tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_no_links_come_out_of_a_zip(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "x.zip", GOOD, zip_link("pictures/link"))
    with pytest.raises(DataError, match="a link"):
        take(archive, tmp_path / "here")
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(("name", "make"), MAKERS)
def test_more_than_the_limit(tmp_path: Path, name: str, make: Callable[..., Path]) -> None:
    archive = make(tmp_path / name, GOOD)
    with pytest.raises(DataError, match="3,003 bytes would come out"):
        take(archive, tmp_path / "here", limit=3002)
    assert take(archive, tmp_path / "here", limit=3003)


@pytest.mark.parametrize(("name", "make"), MAKERS)
def test_bombs(
    tmp_path: Path, name: str, make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack_module, "_SMALL", 100_000)
    archive = make(tmp_path / name, {"pictures/0.png": b"\0" * 3_000_000})
    assert archive.stat().st_size < 30_000
    with pytest.raises(DataError, match="bytes would come out"):
        take(archive, tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_a_member_that_is_longer_than_it_says(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "x.zip", {"pictures/0.png": b"\0" * 70_000})
    data = bytearray(archive.read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(mark) + at
        data[place : place + 4] = (10).to_bytes(4, "little")
    archive.write_bytes(data)
    with pytest.raises(DataError):
        take(archive, tmp_path / "here")
    assert everything(tmp_path / "here") == []


def damaged_zip(path: Path) -> Path:
    make_zip(path, GOOD)
    data = bytearray(path.read_bytes())
    data[40:60] = b"\xff" * 20
    path.write_bytes(data)
    return path


def cut_tar(path: Path) -> Path:
    make_tar(path, GOOD)
    path.write_bytes(path.read_bytes()[:60])
    return path


def no_zip(path: Path) -> Path:
    path.write_bytes(b"<html>Please sign in</html>")
    return path


@pytest.mark.parametrize(
    ("name", "make"),
    [("x.zip", damaged_zip), ("x.tar.gz", cut_tar), ("x.zip", no_zip), ("x.tar.gz", no_zip)],
)
def test_damaged(tmp_path: Path, name: str, make: Callable[[Path], Path]) -> None:
    with pytest.raises(DataError, match="archive"):
        take(make(tmp_path / name), tmp_path / "here")
    assert not (tmp_path / "here" / "pictures").exists()


def test_encrypted(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "x.zip", GOOD)
    data = bytearray(archive.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(data)
    with pytest.raises(DataError, match="encrypted"):
        take(archive, tmp_path / "here")


def test_nothing_of_that_name(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "x.zip", {"other/1.png": b"1"})
    with pytest.raises(DataError, match="no folder pictures"):
        take(archive, tmp_path / "here")


def test_twice_in_it(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "x.zip", GOOD | {"again/pictures/2.png": b"other"})
    with pytest.raises(DataError, match="twice"):
        take(archive, tmp_path / "here")
