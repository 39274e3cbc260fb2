"""Whole data sets: from a mirror, from something that speaks as the hub does, from a git tree."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow
import pytest
from PIL import Image
from pyarrow import parquet

from screenmark.downloads import Downloaded, Wanted, dataset, download, given_digests, load_record
from screenmark.downloads import job as job_module
from screenmark.downloads import sources as sources_module
from screenmark.downloads.http import Policy
from screenmark.downloads.watch import Unwatched
from screenmark.errors import DataError, DownloadError, UsageError
from tests.support.data_files import MMBENCH, PICTURES, WHOLE, ZIP, tree, zipped
from tests.support.file_server import FileServer, Serve, git_blob, hub_answer

QUICK = Policy(tries=3, first_wait=0.001, longest_wait=0.01, connect=5, read=5)
SECRET = "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ"


@pytest.fixture(autouse=True)
def nobody_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No token, no proxy and no folder of the person who runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    names = "HF_TOKEN HF_ENDPOINT LMUData SCREENMARK_DATA http_proxy https_proxy HTTPS_PROXY"
    for name in [*names.split(), "HTTP_PROXY", "ALL_PROXY", "all_proxy"]:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def mirror() -> Iterator[FileServer]:
    with FileServer(dict(MMBENCH)) as server:
        server.add_sums()
        yield server


class Heard(Unwatched):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def get(folder: Path, name: str = "mmbench-gui", **options: Any) -> Downloaded:
    return download(Wanted(name=name, to=folder, **options), policy=QUICK)


def test_a_mirror(tmp_path: Path, mirror: FileServer) -> None:
    done = get(tmp_path, url=mirror.url + "/")
    assert tree(tmp_path) == WHOLE
    assert done.fetched == tuple(sorted(MMBENCH))
    assert not done.unverified
    assert done.next[1].endswith(f" mmbench-gui-l2 --model MODEL --data {tmp_path}")


def test_the_same_command_again_fetches_nothing(tmp_path: Path, mirror: FileServer) -> None:
    get(tmp_path, url=mirror.url)
    mirror.asked.clear()
    done = get(tmp_path, url=mirror.url)
    assert [asked.path for asked in mirror.asked] == ["SHA256SUMS"]
    assert (done.fetched, done.kept) == ((), 3)


def test_what_was_lost_or_changed_comes_again(tmp_path: Path, mirror: FileServer) -> None:
    get(tmp_path, url=mirror.url)
    (tmp_path / "L1_annotations.json").write_bytes(b"[9]")
    assert get(tmp_path, url=mirror.url).fetched == ("L1_annotations.json",)
    next(iter(tmp_path.rglob("1.png"))).unlink()
    assert get(tmp_path, url=mirror.url).fetched == (ZIP,)
    assert tree(tmp_path) == WHOLE


def test_an_archive_that_is_there_is_only_unpacked(tmp_path: Path, mirror: FileServer) -> None:
    (tmp_path / ZIP).write_bytes(MMBENCH[ZIP])
    (tmp_path / f"{ZIP}.part.json").write_bytes(b"{}")
    done = get(tmp_path, url=mirror.url, keep_archives=True)
    assert ZIP not in done.fetched
    assert tree(tmp_path) == MMBENCH | PICTURES


def test_other_archives_replace_what_they_hold(tmp_path: Path, mirror: FileServer) -> None:
    get(tmp_path, url=mirror.url)
    newer = PICTURES | {"offline_images/os_web/1.png": b"new"}
    mirror.files[ZIP] = zipped(newer)
    mirror.add_sums()
    del mirror.files["SHA256SUMS"]
    mirror.add_sums()
    assert get(tmp_path, url=mirror.url).fetched == (ZIP,)
    assert tree(tmp_path)["offline_images/os_web/1.png"] == b"new"


def test_a_wrong_hash_unpacks_nothing(tmp_path: Path, mirror: FileServer) -> None:
    mirror.scripts[ZIP] = [Serve(data=zipped(PICTURES | {"offline_images/x.png": b"evil"}))]
    with pytest.raises(DownloadError, match=f"{ZIP}: what came has the SHA-256"):
        get(tmp_path, url=mirror.url)
    assert not (tmp_path / "offline_images").exists()
    assert load_record(tmp_path) is None
    mirror.scripts.clear()
    get(tmp_path, url=mirror.url)
    assert tree(tmp_path) == WHOLE


def test_a_hostile_archive_with_the_right_hash(tmp_path: Path, mirror: FileServer) -> None:
    mirror.files[ZIP] = zipped(PICTURES | {"../../evil.txt": b"evil"})
    del mirror.files["SHA256SUMS"]
    mirror.add_sums()
    with pytest.raises(DataError, match="would leave the folder"):
        get(tmp_path / "deep" / "data", url=mirror.url)
    assert not list(tmp_path.rglob("evil.txt"))
    assert not list(tmp_path.rglob("*.png"))


def test_without_hashes_nothing_is_taken(tmp_path: Path) -> None:
    with FileServer(dict(MMBENCH)) as server:
        with pytest.raises(UsageError, match="--sha256 FILE=HEX, or --no-verify"):
            get(tmp_path, url=server.url)
        assert server.times(ZIP) == 0
        some = [f"{n}={hashlib.sha256(d).hexdigest()}" for n, d in MMBENCH.items() if n != ZIP]
        with pytest.raises(UsageError, match=f"check {ZIP} against"):
            get(tmp_path, url=server.url, sha256=given_digests(some))
        done = get(tmp_path, url=server.url, sha256=given_digests(some), verify=False)
        assert done.unverified == (ZIP,)
        assert tree(tmp_path) == WHOLE
        server.asked.clear()
        again = get(tmp_path, url=server.url, verify=False)
        assert again.fetched == ()
        assert set(again.unverified) == set(MMBENCH)


def test_hashes_of_the_person_go_first(tmp_path: Path, mirror: FileServer) -> None:
    wrong = given_digests([f"L1_annotations.json={'0' * 64}"])
    with pytest.raises(DownloadError, match=r"expected 0{64} \(from --sha256"):
        get(tmp_path, url=mirror.url, sha256=wrong)


def test_a_data_set_of_many_files_needs_a_list(tmp_path: Path) -> None:
    files = {
        "annotations/word_macos.json": b"[]",
        "images/word_macos/1 é.png": b"png",
        "other/readme": b"no",
    }
    with FileServer(files) as server:
        with pytest.raises(DownloadError, match="SHA256SUMS: not there"):
            get(tmp_path, "screenspot-pro", url=server.url)
        server.add_sums()
        get(tmp_path, "screenspot-pro", url=server.url)
    assert sorted(tree(tmp_path)) == ["annotations/word_macos.json", "images/word_macos/1 é.png"]


def test_a_list_cannot_lead_elsewhere(tmp_path: Path) -> None:
    with FileServer({"images/../../evil": b"x"}) as server:
        server.add_sums()
        with pytest.raises(DataError, match="would leave the folder"):
            get(tmp_path, "screenspot-pro", url=server.url)


@pytest.mark.parametrize(
    "url", ["ftp://x/y", "x", "http://", "http://u:p@x/", "http://x/?k=v", "http://x/ y", ""]
)
def test_addresses(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--url") as caught:
        get(tmp_path, url=url)
    assert "u:p" not in str(caught.value)


def test_nobody_at_the_mirror(tmp_path: Path) -> None:
    with FileServer() as server:
        pass
    with pytest.raises(DownloadError, match=r"cannot connect to 127\.0\.0\.1") as caught:
        get(tmp_path / "new" / "data", url=server.url)
    assert not list(tmp_path.iterdir()), "nothing came, so nothing is left behind"
    said = str(caught.value)
    for hint in ("address of --url wrong", str(tmp_path), "offline_images/os_*/*.png"):
        assert hint in said
    assert "HF_ENDPOINT" not in said, "the hub is not asked where --url is given"


def test_offline_no_mirror_of_the_hub_helps_with_data_at_github(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FileServer() as server:
        monkeypatch.setattr(sources_module, "GITHUB_API", server.url)
        monkeypatch.setenv("HF_ENDPOINT", server.url)
    with pytest.raises(DownloadError) as caught:
        get(tmp_path, "osworld-g")
    said = str(caught.value)
    assert "HF_ENDPOINT" not in said
    assert "--url BASE" in said
    assert "(of https://github.com/xlang-ai/OSWorld-G, below benchmark)" in said
    assert said.endswith(f"; then: screenmark run osworld-g --model MODEL --data {tmp_path}")
    with pytest.raises(DownloadError, match="a mirror of the hub \\(HF_ENDPOINT="):
        get(tmp_path, "screenspot-v2")


def test_a_small_disk(tmp_path: Path, hub: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    with pytest.raises(DownloadError, match="GB are free at"):
        get(tmp_path)
    assert not tree(tmp_path)


def test_two_at_once(tmp_path: Path, mirror: FileServer) -> None:
    fcntl = pytest.importorskip("fcntl")
    with (tmp_path / ".screenmark-download.json.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another process"):
            get(tmp_path, url=mirror.url)


COMMIT = dataset("mmbench-gui").revision


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """As the hub answers: an API, and files that are redirected to another host."""
    with FileServer() as server:
        put_on_hub(server, "OpenGVLab/MMBench-GUI", COMMIT, MMBENCH, {ZIP})
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def put_on_hub(
    server: FileServer, repo: str, commit: str, files: dict[str, bytes], large: set[str]
) -> None:
    api = f"api/datasets/{repo}/revision"
    for revision in (commit, "main"):
        server.files[f"{api}/{revision}"] = hub_answer(commit, files, large)
        server.scripts[f"{api}/{revision}"] = [Serve(headers={"Content-Type": "application/json"})]
    for name, data in files.items():
        path = f"datasets/{repo}/resolve/{commit}/{name}"
        there = f"http://localhost:{server.port}/cdn/{name}"
        server.scripts[path] = [Serve(status=302, headers={"Location": there})]
        server.files[f"cdn/{name}"] = data


def test_the_hub(tmp_path: Path, hub: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    done = get(tmp_path)
    assert tree(tmp_path) == WHOLE
    assert done.record.revision == COMMIT
    assert done.record.source == f"{hub.url}/datasets/OpenGVLab/MMBench-GUI"
    for asked in hub.asked:
        assert (SECRET in str(asked.headers)) == (not asked.path.startswith("cdn/")), asked.path
    assert all(SECRET.encode() not in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_a_commit_that_is_here_needs_no_hub(tmp_path: Path, hub: FileServer) -> None:
    get(tmp_path)
    hub.asked.clear()
    assert get(tmp_path).kept == 3
    assert not hub.asked
    (tmp_path / "L2_annotations.json").unlink()
    assert get(tmp_path).fetched == ("L2_annotations.json",)


def test_a_branch_is_asked_about_and_its_commit_recorded(tmp_path: Path, hub: FileServer) -> None:
    assert get(tmp_path, revision="main").record.revision == COMMIT
    hub.asked.clear()
    assert get(tmp_path, revision="main").kept == 3
    assert [asked.path for asked in hub.asked] == [
        "api/datasets/OpenGVLab/MMBench-GUI/revision/main"
    ]


def test_the_hub_breaks_off(tmp_path: Path, hub: FileServer) -> None:
    hub.scripts[f"cdn/{ZIP}"] = [Serve(break_after=1000), Serve()]
    get(tmp_path)
    assert tree(tmp_path) == WHOLE
    assert hub.asked[-1].range == "bytes=1000-"


@pytest.mark.parametrize("name", [ZIP, "L1_annotations.json"], ids=["LFS", "plain"])
def test_the_hub_sends_something_else(tmp_path: Path, hub: FileServer, name: str) -> None:
    data = bytearray(MMBENCH[name])
    data[1] ^= 1
    hub.files[f"cdn/{name}"] = bytes(data)
    with pytest.raises(DownloadError, match="from the hub's metadata of commit e27757e3910e"):
        get(tmp_path)


def test_the_hub_is_busy(tmp_path: Path, hub: FileServer) -> None:
    api = f"api/datasets/OpenGVLab/MMBench-GUI/revision/{COMMIT}"
    hub.scripts[api] = [Serve(status=503), *hub.scripts[api]]
    get(tmp_path)
    assert hub.times(api) == 2


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        pytest.param(404, {"X-Error-Code": "RepoNotFound"}, "no such data set there", id="repo"),
        pytest.param(404, {"X-Error-Code": "RevisionNotFound"}, "--revision main", id="revision"),
        pytest.param(403, {"X-Error-Code": "GatedRepo"}, "terms have to be accepted", id="gated"),
        pytest.param(400, {}, "the hub refuses .status 400", id="other"),
        pytest.param(500, {}, "the hub refuses .status 500", id="down"),
    ],
)
def test_the_hub_refuses(
    tmp_path: Path,
    hub: FileServer,
    status: int,
    headers: dict[str, str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    echo = headers | {"X-Error-Message": f"your token {SECRET} is odd"}
    api = f"api/datasets/OpenGVLab/MMBench-GUI/revision/{COMMIT}"
    hub.scripts[api] = [Serve(status=status, headers=echo)]
    with pytest.raises(DownloadError, match=message) as caught:
        get(tmp_path)
    assert SECRET not in str(caught.value)


def test_no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FileServer() as server:
        pass
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    with pytest.raises(DownloadError, match=rf"cannot reach 127\.0\.0\.1:{server.port} .*--url"):
        get(tmp_path)


def test_a_tree_at_github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "benchmark/OSWorld-G.json": b"[]",
        "benchmark/OSWorld-G_refined.json": b"[1]",
        "benchmark/classification_result.json": b"{}",
        "benchmark/images/a.png": b"png",
        "README.md": b"no",
    }
    revision = dataset("osworld-g").revision
    entries = [
        {"path": n, "mode": "100644", "type": "blob", "sha": git_blob(d), "size": len(d)}
        for n, d in files.items()
    ]
    entries += [
        {"path": "benchmark", "mode": "040000", "type": "tree", "sha": "0" * 40},
        {"path": "benchmark/images/l", "mode": "120000", "type": "blob", "sha": "0", "size": 1},
    ]
    with FileServer() as server:
        monkeypatch.setattr(sources_module, "GITHUB_API", server.url)
        monkeypatch.setattr(sources_module, "GITHUB_FILES", f"{server.url}/raw")
        listing = f"repos/xlang-ai/OSWorld-G/git/trees/{revision}"
        server.files[listing] = json.dumps({"tree": entries, "truncated": False}).encode()
        for name, data in files.items():
            server.files[f"raw/xlang-ai/OSWorld-G/{revision}/{name}"] = data
        done = get(tmp_path, "osworld-g")
        assert get(tmp_path, "osworld-g").fetched == ()
        server.files[listing] = json.dumps({"tree": entries, "truncated": True}).encode()
        with pytest.raises(DownloadError, match="cut short"):
            get(tmp_path / "2", "osworld-g")
        with pytest.raises(DownloadError, match="no revision gone"):
            get(tmp_path, "osworld-g", revision="gone")
    expected = {n.removeprefix("benchmark/"): d for n, d in files.items() if n != "README.md"}
    assert tree(tmp_path) == expected
    assert done.record.revision == revision


def tarred(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


@pytest.fixture
def rico(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """The site that Rico comes from, with a very small one."""
    screens = {"combined/0.jpg": b"picture", "combined/0.json": b"{}"}
    files = {
        "unique_uis.tar.gz": tarred(screens),
        "ui_details.csv": b"UI Number\n0\n",
        "app_details.csv": b"App Package Name\n",
    }
    with FileServer(files) as server:
        small = msgspec.structs.replace(dataset("rico"), site=server.url)
        monkeypatch.setattr(job_module, "dataset", {"rico": small}.__getitem__)
        yield server


def test_the_site_of_the_authors(tmp_path: Path, rico: FileServer) -> None:
    done = get(tmp_path, "rico")
    assert set(tree(tmp_path)) == {
        *("combined/0.jpg", "combined/0.json", "ui_details.csv", "app_details.csv")
    }
    assert sorted(done.unverified) == sorted(rico.files), "nobody says what they should be"
    assert done.record.source == rico.url
    assert "interactionmining.org/rico" in done.record.licence
    assert done.next == (
        f"screenmark run uibert-refexp --model MODEL --image-dir {tmp_path}/combined",
    )
    rico.asked.clear()
    assert get(tmp_path, "rico").fetched == ()
    assert rico.asked == []


def test_a_site_checks_what_the_person_says(tmp_path: Path, rico: FileServer) -> None:
    wrong = given_digests(["ui_details.csv=" + "0" * 64])
    with pytest.raises(DownloadError, match=r"ui_details\.csv: what came has the SHA-256"):
        get(tmp_path, "rico", sha256=wrong)
    with pytest.raises(UsageError, match="--revision: rico comes from a site that has none"):
        get(tmp_path, "rico", revision="main")


def test_uibert_from_a_mirror(tmp_path: Path) -> None:
    files = {"ref_exp/train.tfrecord": b"1", "app_sim/test.tfrecord": b"2", "README.md": b"3"}
    with FileServer(files) as server:
        server.add_sums()
        done = get(tmp_path, "uibert", url=server.url)
    assert done.fetched == ("app_sim/test.tfrecord", "ref_exp/train.tfrecord")
    assert done.record.licence == "CC BY 4.0"
    assert f"uibert-refexp --model MODEL --data {tmp_path}" in done.next[0]


def png(width: int, height: int) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (width, height)).save(target, "PNG")
    return target.getvalue()


def shard(rows: list[dict[str, Any]]) -> bytes:
    target = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), target)
    return target.getvalue()


def row(name: str, box: list[float], source: str = "ios", **changes: Any) -> dict[str, Any]:
    size = (100, 50) if name.startswith("pc") else (40, 200)
    plain = {
        "file_name": name,
        "bbox": box,
        "instruction": f"tap {name}",
        "data_type": "icon",
        "data_source": source,
        "image": {"bytes": png(*size), "path": name},
    }
    return plain | changes


def screenspot(hub: FileServer, rows: list[dict[str, Any]]) -> None:
    entry = dataset("screenspot")
    parts = [rows[k::3] or rows[:1] for k in range(3)]
    files = {name: shard(part) for name, part in zip(entry.files, parts, strict=True)}
    assert entry.hub is not None
    put_on_hub(hub, entry.hub, entry.revision, files, set(files))


def test_screenspot_gets_its_own_layout_back(tmp_path: Path, hub: FileServer) -> None:
    screenspot(
        hub,
        [
            row("mobile_1.png", [0.25, 0.1, 0.5, 0.2]),
            row("pc_1.png", [0.1, 0.2, 0.3, 0.4], "windows"),
            row("mobile_1.png", [0.0, 0.0, 1.0, 1.0], "shop"),
            row("7.png", [0.0, 0.0, 0.5, 0.5], "gitlab"),
        ],
    )
    done = get(tmp_path, "screenspot")
    names = ["7.png", "mobile_1.png", "pc_1.png"]
    assert sorted(tree(tmp_path)) == [
        "screenspot_desktop.json",
        *(f"screenspot_imgs/{name}" for name in names),
        "screenspot_mobile.json",
        "screenspot_web.json",
    ]
    mobile = json.loads((tmp_path / "screenspot_mobile.json").read_text(encoding="utf-8"))
    assert sorted(item["bbox"] for item in mobile) == [[0, 0, 40, 200], [10, 20, 10, 20]]
    desktop = json.loads((tmp_path / "screenspot_desktop.json").read_text(encoding="utf-8"))
    assert desktop == [
        {
            "img_filename": "pc_1.png",
            "bbox": [10, 10, 20, 10],
            "instruction": "tap pc_1.png",
            "data_type": "icon",
            "data_source": "windows",
        }
    ]
    assert (tmp_path / "screenspot_imgs" / "pc_1.png").read_bytes() == png(100, 50)
    assert get(tmp_path, "screenspot").kept == len(done.fetched) == 3


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        pytest.param({"bbox": [10.0, 20.0, 30.0, 40.0]}, "shares of the picture", id="pixels"),
        pytest.param({"bbox": [0.1, 0.2]}, "shares of the picture", id="half a box"),
        pytest.param({"file_name": "../x.png"}, "no name of a picture", id="name"),
        pytest.param({"image": {"bytes": b"<svg/>", "path": "x"}}, "image", id="no picture"),
    ],
)
def test_screenspot_of_another_kind(
    tmp_path: Path, hub: FileServer, bad: dict[str, Any], message: str
) -> None:
    screenspot(hub, [row("mobile_1.png", [0.0, 0.0, 1.0, 1.0], **bad)])
    with pytest.raises(DataError, match=message):
        get(tmp_path, "screenspot")
    assert not list(tmp_path.rglob("*.json"))
    assert not (tmp_path / "screenspot_imgs").exists()
