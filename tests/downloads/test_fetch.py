"""One file, from servers that do all that servers do."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

from screenmark.downloads import fetch as fetch_module
from screenmark.downloads.digests import Digest
from screenmark.downloads.fetch import Fetcher, RemoteFile
from screenmark.downloads.http import Policy, Unreachable, open_client
from screenmark.downloads.watch import Unwatched
from screenmark.errors import DownloadError
from tests.support.file_server import FileServer, Serve

DATA = random.Random(1).randbytes(700_000)
OTHER = random.Random(2).randbytes(700_000)
QUICK = Policy(tries=4, first_wait=0.001, longest_wait=0.01, connect=5, read=5)


class Counting(Unwatched):
    def __init__(self) -> None:
        self.bytes = 0
        self.expected = 0
        self.lines: list[str] = []

    def expect(self, count: int) -> None:
        self.expected += count

    def advance(self, count: int) -> None:
        self.bytes += count

    def say(self, line: str) -> None:
        self.lines.append(line)


def sha(data: bytes) -> Digest:
    return Digest("sha256", hashlib.sha256(data).hexdigest(), "a friend")


def get(
    folder: Path,
    server: FileServer,
    watch: Counting | None = None,
    policy: Policy = QUICK,
    **changes: Any,
) -> Digest:
    file: dict[str, Any] = {
        "path": "f.bin",
        "url": f"{server.url}/f.bin",
        "digest": sha(DATA),
        "limit": 10**9,
    }

    async def work() -> Digest:
        async with open_client(policy, watch or Counting()) as client:
            return await Fetcher(client, RemoteFile(**(file | changes)), folder).run()

    return asyncio.run(work())


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([Serve()], id="plain"),
        pytest.param([Serve(chunked=True)], id="no length"),
        pytest.param([Serve(etag=None)], id="no validator"),
        pytest.param([Serve(break_after=300_000), Serve()], id="breaks off"),
        pytest.param([Serve(break_after=300_000, etag=None), Serve()], id="breaks off, no etag"),
        pytest.param([Serve(break_after=300_000, chunked=True), Serve()], id="chunked, breaks off"),
        pytest.param([Serve(break_after=0), Serve(break_after=0), Serve()], id="nothing, twice"),
        pytest.param([Serve(break_after=300_000), Serve(ranges=False)], id="heeds no range"),
        pytest.param([Serve(break_after=300_000, data=OTHER), Serve(etag='"two"')], id="changed"),
        pytest.param(
            [
                Serve(break_after=300_000, data=OTHER, etag=None),
                Serve(etag=None),
            ],
            id="changed, and nothing says so",
        ),
        pytest.param(
            [Serve(break_after=300_000), Serve(content_range="bytes 0-9/10"), Serve()],
            id="another range than asked",
        ),
        pytest.param(
            [Serve(break_after=300_000), Serve(content_range="bytes 300000-699999/*")],
            id="a range of unknown whole",
        ),
        pytest.param([Serve(claim=900_000, break_after=700_000), Serve()], id="claims too much"),
        pytest.param([Serve(status=503), Serve(status=429), Serve()], id="busy"),
        pytest.param([Serve(status=503, headers={"Retry-After": "0"}), Serve()], id="asks to wait"),
        pytest.param([Serve(status=302, headers={"Location": "/g.bin"})], id="redirect"),
        pytest.param([Serve(break_after=k * 100_000) for k in (1,) * 6] + [Serve()], id="slow"),
    ],
)
def test_the_file_comes_whole(tmp_path: Path, script: list[Serve]) -> None:
    watch = Counting()
    with FileServer({"f.bin": DATA, "g.bin": DATA}) as server:
        server.scripts["f.bin"] = script
        assert get(tmp_path, server, watch) == sha(DATA)
    assert (tmp_path / "f.bin").read_bytes() == DATA
    assert names(tmp_path) == ["f.bin"]
    assert watch.bytes == len(DATA)


def test_a_broken_download_asks_for_the_rest_only(tmp_path: Path) -> None:
    with FileServer({"f.bin": DATA}) as server:
        server.scripts["f.bin"] = [Serve(break_after=300_000), Serve()]
        get(tmp_path, server)
        first, second = server.asked
    assert first.range is None
    assert second.range == "bytes=300000-"
    assert second.headers["if-range"] == '"one"'


@pytest.mark.parametrize(("size", "expected"), [(None, 700_000), (700_000, 0)])
def test_a_size_is_counted_once(tmp_path: Path, size: int | None, expected: int) -> None:
    watch = Counting()
    with FileServer({"f.bin": DATA}) as server:
        server.scripts["f.bin"] = [Serve(break_after=300_000), Serve()]
        get(tmp_path, server, watch, size=size)
    assert watch.expected == expected


def test_the_next_process_goes_on(tmp_path: Path) -> None:
    with FileServer({"f.bin": DATA}) as server:
        server.scripts["f.bin"] = [Serve(break_after=400_000), *[Serve(status=500)] * 3, Serve()]
        with pytest.raises(DownloadError, match="400,000 bytes are kept, the same command goes on"):
            get(tmp_path, server, policy=Policy(tries=3, first_wait=0.001))
        assert names(tmp_path) == ["f.bin.part", "f.bin.part.json"]
        get(tmp_path, server)
        assert server.asked[-1].range == "bytes=400000-"
    assert (tmp_path / "f.bin").read_bytes() == DATA


def test_another_mirror_goes_on_if_the_content_is_known_to_be_the_same(tmp_path: Path) -> None:
    with FileServer({"f.bin": DATA}) as one, FileServer({"f.bin": DATA}) as other:
        one.scripts["f.bin"] = [Serve(break_after=400_000), Serve(status=404)]
        with pytest.raises(DownloadError):
            get(tmp_path, one)
        other.scripts["f.bin"] = [Serve(etag='"theirs"')]
        get(tmp_path, other)
        assert other.asked[0].range == "bytes=400000-"
        assert "if-range" not in other.asked[0].headers
    assert (tmp_path / "f.bin").read_bytes() == DATA


def test_a_part_of_something_else_is_of_no_use(tmp_path: Path) -> None:
    with FileServer({"f.bin": DATA}) as server:
        server.scripts["f.bin"] = [Serve(break_after=400_000, etag=None), Serve(status=404)]
        with pytest.raises(DownloadError):
            get(tmp_path, server, digest=None)
        server.scripts["f.bin"] = [Serve(etag=None)]
        get(tmp_path, server, digest=None)
        assert server.asked[-1].range is None


def test_a_whole_part_is_not_fetched_again(tmp_path: Path) -> None:
    with FileServer({"f.bin": DATA}) as server:
        # The first answer claims more than there is; the second one says that this was all.
        server.scripts["f.bin"] = [Serve(claim=800_000, break_after=700_000), Serve()]
        get(tmp_path, server)
        assert [asked.range for asked in server.asked] == [None, "bytes=700000-"]


@pytest.mark.parametrize(
    ("script", "changes", "message"),
    [
        pytest.param([Serve(data=OTHER)], {}, "expected [0-9a-f]{64} .from a friend", id="hash"),
        pytest.param([Serve()], {"size": 5}, "700,000 bytes, expected 5", id="size"),
        pytest.param([Serve(claim=600_000)], {"size": 700_000}, "600,000 bytes", id="says less"),
        pytest.param([Serve(claim=600_000)], {}, "expected [0-9a-f]{64}", id="says less, unknown"),
        pytest.param([Serve()], {"limit": 100_000}, "more than the 100,000", id="too large"),
        pytest.param([Serve(chunked=True)], {"limit": 100_000}, "more than 100,000", id="endless"),
        pytest.param(
            [Serve(status=302, headers={"Location": "/f.bin"})],
            {},
            "redirects more than",
            id="loop",
        ),
        pytest.param(
            [Serve(status=302, headers={"Location": "file:///etc/passwd"})],
            {},
            "no HTTP address",
            id="to a file",
        ),
        pytest.param([Serve(status=404)], {}, "status 404", id="missing"),
        pytest.param([Serve(status=403)], {}, "wants credentials", id="forbidden"),
        pytest.param([Serve(status=500)], {}, "4 times in a row; nothing was kept", id="down"),
        pytest.param(
            [Serve(status=429, headers={"Retry-After": "86400"})], {}, "in 86400 s", id="tomorrow"
        ),
        pytest.param(
            [Serve(break_after=300_000, ranges=False)],
            {},
            "times in a row; 300,000 bytes are kept",
            id="always breaks off at the same place",
        ),
    ],
)
def test_what_cannot_be_had_leaves_the_old_file(
    tmp_path: Path, script: list[Serve], changes: dict[str, Any], message: str
) -> None:
    (tmp_path / "f.bin").write_bytes(b"old")
    with FileServer({"f.bin": DATA}) as server:
        server.scripts["f.bin"] = script
        with pytest.raises(DownloadError, match=message):
            get(tmp_path, server, **changes)
        assert len(server.asked) < 20
    assert (tmp_path / "f.bin").read_bytes() == b"old"


def test_a_wrong_hash_keeps_nothing(tmp_path: Path) -> None:
    with FileServer({"f.bin": OTHER}) as server, pytest.raises(DownloadError, match="nothing of"):
        get(tmp_path, server)
    assert names(tmp_path) == []


def test_git_hashes_hold_too(tmp_path: Path) -> None:
    right = Digest("git", hashlib.sha1(b"blob 3\0abc").hexdigest(), "git")
    with FileServer({"f.bin": b"abc"}) as server:
        assert get(tmp_path, server, digest=right) == right
        server.files["f.bin"] = b"abd"
        with pytest.raises(DownloadError, match="git blob"):
            get(tmp_path, server, digest=right)


def test_nobody_there(tmp_path: Path) -> None:
    with FileServer() as server:
        pass
    with pytest.raises(Unreachable, match=r"cannot connect to 127\.0\.0\.1"):
        get(tmp_path, server)


def test_a_token_stays_with_its_host(tmp_path: Path) -> None:
    with FileServer({"f.bin": DATA}) as server:
        there = f"http://localhost:{server.port}/g.bin"
        server.files["g.bin"] = DATA
        server.scripts["f.bin"] = [Serve(status=302, headers={"Location": there})]
        get(tmp_path, server, headers={"authorization": "Bearer hf_secret"})
        first, second = server.asked
    assert first.headers["authorization"] == "Bearer hf_secret"
    assert "hf_secret" not in str(second.headers)


def test_a_token_is_nowhere_on_the_disk(tmp_path: Path) -> None:
    with FileServer({"f.bin": DATA}) as server:
        server.scripts["f.bin"] = [Serve(break_after=300_000), Serve(status=403)]
        with pytest.raises(DownloadError) as caught:
            get(tmp_path, server, headers={"authorization": "Bearer hf_secret"})
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"hf_secret" not in written
    assert "hf_secret" not in str(caught.value)


def test_a_full_disk_is_said_and_the_part_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = fetch_module._write_all
    left = 300_000

    def full(file: object, block: bytes) -> None:
        nonlocal left
        left -= len(block)
        if left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written(file, block)

    monkeypatch.setattr(fetch_module, "_write_all", full)
    with FileServer({"f.bin": DATA}) as server:
        with pytest.raises(DownloadError, match="the disk is full"):
            get(tmp_path, server)
        kept = (tmp_path / "f.bin.part").stat().st_size
        assert kept > 0
        monkeypatch.undo()
        get(tmp_path, server)
        assert server.asked[-1].range == f"bytes={kept}-"
    assert (tmp_path / "f.bin").read_bytes() == DATA
