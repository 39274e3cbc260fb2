from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from screenmark.errors import DownloadError
from screenmark.rendering import fetching
from screenmark.rendering.assets import AssetStore
from screenmark.rendering.packages import Package


def archive(files: dict[str, str]) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return held.getvalue()


def registry(
    monkeypatch: pytest.MonkeyPatch, data: bytes, promised: bytes | None = None
) -> Package:
    """npm with one package in it; ``promised`` is what the list says that its bytes are."""

    def npm(batch: Sequence[Package], folder: Path) -> dict[Package, Path]:
        file = folder / "map-1.0.0.tgz"
        file.write_bytes(data)
        return dict.fromkeys(batch, file)

    monkeypatch.setattr(fetching, "_npm", npm)
    digest = base64.b64encode(hashlib.sha512(promised or data).digest()).decode()
    return Package("npm", "map", "1.0.0", f"sha512-{digest}")


def test_a_package_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"package/dist/map.min.js": "map", "package/package.json": '{"main": "dist/map.js"}'}
    package = registry(monkeypatch, archive({**files, "package/notes.txt": "no"}))
    store = AssetStore(tmp_path)
    assert fetching.fetch(store, [package], lambda _: None) == [package]
    assert fetching.fetch(store, [package], lambda _: None) == []
    kept = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert kept == {"npm/map@1.0.0/dist/map.min.js", "npm/map@1.0.0/package.json"}


def test_other_bytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = registry(monkeypatch, archive({"package/a.js": "evil"}), promised=b"good")
    with pytest.raises(DownloadError, match="sha512"):
        fetching.fetch(AssetStore(tmp_path), [package], lambda _: None)
    assert not list(tmp_path.rglob("*.js"))


def test_a_package_stays_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = registry(monkeypatch, archive({"package/../../../out.js": "evil"}))
    with pytest.raises(DownloadError, match="leads out"):
        fetching.fetch(AssetStore(tmp_path / "in"), [package], lambda _: None)
    assert not list(tmp_path.rglob("*.js"))


@pytest.mark.parametrize("name", ["file", "file/below", "/proc/none"])
def test_a_folder_that_cannot_be_written_is_named_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    package = registry(monkeypatch, archive({"package/a.js": "a"}))
    (tmp_path / "file").touch()
    told: list[str] = []
    with pytest.raises(DownloadError, match=r"(file|none).*: cannot be written \("):
        fetching.fetch(AssetStore(tmp_path / name), [package], told.append)
    assert told == []


@pytest.mark.parametrize(
    "data", [b"no archive", archive({"package/a.js": "a" * 9000})[:60]], ids=["none", "cut"]
)
def test_an_archive_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    package = registry(monkeypatch, data)
    with pytest.raises(DownloadError, match=r"map 1\.0\.0: the archive cannot be read"):
        fetching.fetch(AssetStore(tmp_path), [package], lambda _: None)
    assert not list(tmp_path.rglob("*.js"))


def test_a_full_disk_leaves_no_half_of_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = registry(monkeypatch, archive({"package/a.js": "a", "package/b.js": "b"}))
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "b.js":
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DownloadError, match=r"map 1\.0\.0: cannot be written \(No space left"):
        fetching.fetch(AssetStore(tmp_path), [package], lambda _: None)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_a_killed_fetch_left_is_taken_away_when_it_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = registry(monkeypatch, archive({"package/a.js": "a"}))
    old, new = tmp_path / "npm/@x/y@1.9.part", tmp_path / "npm/z@1.8.part"
    for part in (old, new):
        part.mkdir(parents=True)
        (part / "half.js").touch()
    os.utime(old, (0, 0))
    fetching.fetch(AssetStore(tmp_path), [package], lambda _: None)
    assert (old.exists(), new.exists()) == (False, True)


def test_shapes_are_read_out_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "assets.js"
    script.write_text(
        '"dist/topojson/world_110m.json"(exports, module) {\n'
        '      module.exports = { type: "Topology", n: [1e3, -2, 0.5], ok: true, s: "a: {b" };\n'
        "    }\n",
        encoding="utf-8",
    )
    [(name, text)] = fetching._plotly_shapes(script)
    assert name == "world_110m.json"
    assert json.loads(text) == {"type": "Topology", "n": [1000, -2, 0.5], "ok": True, "s": "a: {b"}
