"""Names from outside, and hashes as people write them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.downloads.digests import digest_of, given_digests, read_sums
from screenmark.downloads.names import checked_name
from screenmark.errors import DataError, UsageError

A = "a" * 64


@given(st.text(alphabet=st.sampled_from("ab./\\:\0 é\ud800"), max_size=12))
def test_a_name_that_is_taken_stays_below_its_folder(name: str) -> None:
    try:
        checked_name(name, "x")
    except DataError:
        return
    path = PurePosixPath("/root/folder") / name
    assert path.parts[:3] == ("/", "root", "folder")
    assert ".." not in path.parts
    assert len(path.parts) > 3
    name.encode()


@pytest.mark.parametrize("name", ["a", "a/b.png", "截图 1.png", "a..b", "..a/b", "10:30.png"])
def test_good_names(name: str) -> None:
    assert checked_name(name, "x") == name


def test_sums_as_the_tool_writes_them() -> None:
    text = f"# made by hand\n{A}  one.json\n{A.upper()} *./two words.zip\r\n\n"
    found = read_sums(text, "http://x/SHA256SUMS")
    assert {name: digest.hex for name, digest in found.items()} == {
        "one.json": A,
        "two words.zip": A,
    }


@pytest.mark.parametrize("text", ["<html>", f"{A}", f"{A[1:]}  x", f"x  {A}"])
def test_what_is_no_list_of_sums(text: str) -> None:
    with pytest.raises(DataError, match="line 1"):
        read_sums(text, "x")


@pytest.mark.parametrize("pair", [f"={A}", "x", f"x={A[1:]}", f"x={A[1:]}g"])
def test_bad_options(pair: str) -> None:
    with pytest.raises(UsageError, match="--sha256"):
        given_digests([pair])


def test_a_name_may_hold_the_mark() -> None:
    assert given_digests([f"a=b.zip={A.upper()}"])["a=b.zip"].hex == A


def test_hashes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"hello\n")
    assert digest_of(path).hex == "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    assert digest_of(path, "git").hex == "ce013625030ba8dba906f756967f9e9ca394464a"
