"""Which files a data set consists of, where they are, and what to check them against.

Four kinds of source: the Hugging Face hub, a repository at GitHub, the site of a data set's
authors, and a mirror, which is any web server that holds the files under the names that they
have here.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

import msgspec

from screenmark.downloads.catalog import Dataset, is_pattern
from screenmark.downloads.digests import Digest, read_sums, sha256
from screenmark.downloads.fetch import RemoteFile
from screenmark.downloads.http import Client
from screenmark.downloads.names import checked_name
from screenmark.errors import DataError, DownloadError, UsageError

SUMS = "SHA256SUMS"
GITHUB_API = "https://api.github.com"
GITHUB_FILES = "https://raw.githubusercontent.com"
_GIGABYTE = 1_000_000_000
_LINK = "120000"
_ABSENT = frozenset({403, 404, 410})
"""Object stores say 403 of what is not there."""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What a source has.

    Attributes:
        source: the source, for people and for the record.
        revision: the commit, where there is one.
    """

    source: str
    revision: str | None
    files: tuple[RemoteFile, ...]


def limit_of(dataset: Dataset) -> int:
    """Bytes that one file of a data set may have."""
    return int(dataset.limit * _GIGABYTE)


async def list_mirror(
    client: Client,
    dataset: Dataset,
    base: str,
    given: Mapping[str, Digest],
    *,
    verify: bool,
) -> Listing:
    """The files at a mirror.

    Hashes come from ``--sha256``, else from the table, else from ``SHA256SUMS`` beside the files.

    Raises:
        UsageError: there is nothing to check a file against, and ``verify`` was not given up.
        DownloadError: the mirror does not say which files it has.
    """
    known = {
        name: sha256(text, "the table of data sets") for name, text in dataset.sha256.items()
    } | dict(given)
    names = {dataset.local(name) for name in dataset.files if not is_pattern(name)}
    patterned = any(map(is_pattern, dataset.files))
    if patterned or not names <= known.keys():
        origin = f"{base}/{SUMS}"
        content = await client.small(SUMS, origin, _ABSENT)
        sums = {} if content is None else read_sums(_text(content, origin), origin)
        if patterned and not sums:
            raise DownloadError(
                f"{origin}: not there, and nothing else says which files there are; "
                f"make it with: sha256sum $(find * -type f) > {SUMS}"
            )
        names |= {name for name in sums if dataset.wants(dataset.strip + name)}
        known = sums | known
    if verify:
        _refuse_unknown(sorted(names - known.keys()), base)
    return Listing(
        source=base,
        revision=None,
        files=tuple(
            RemoteFile(
                path=checked_name(name, base),
                url=f"{base}/{quote(name)}",
                digest=known.get(name),
                limit=limit_of(dataset),
            )
            for name in sorted(names)
        ),
    )


def _refuse_unknown(unknown: list[str], base: str) -> None:
    if unknown:
        raise UsageError(
            f"no SHA-256 to check {', '.join(unknown[:5])} against: {base}/{SUMS} does not have "
            "it; give --sha256 FILE=HEX, or --no-verify to take files as they come"
        )


def list_site(dataset: Dataset) -> Listing:
    """The files at the site of a data set's authors, which are named in the table.

    Where the table has no hash there is nothing to check a file against but the connection.
    """
    base = dataset.home
    return Listing(
        source=base,
        revision=None,
        files=tuple(
            RemoteFile(
                path=checked_name(name, base),
                url=f"{base}/{quote(name)}",
                digest=sha256(known, "the table of data sets")
                if (known := dataset.sha256.get(name))
                else None,
                limit=limit_of(dataset),
            )
            for name in dataset.files
        ),
    )


async def list_github(client: Client, dataset: Dataset, revision: str) -> Listing:
    """The files of a commit at GitHub, checked against the commit's own tree."""
    url = f"{GITHUB_API}/repos/{dataset.github}/git/trees/{quote(revision, safe='')}?recursive=1"
    content = await client.small("the list of files", url)
    if content is None:
        raise DownloadError(f"{dataset.home}: no revision {revision}; another one: --revision main")
    try:
        tree = msgspec.json.decode(content, type=_Tree)
    except msgspec.DecodeError as error:
        raise DownloadError(f"{dataset.home}: no list of files came ({error})") from None
    if tree.truncated:
        raise DownloadError(f"{dataset.home}: the list of files was cut short")
    base = f"{GITHUB_FILES}/{dataset.github}/{quote(revision, safe='')}"
    return Listing(
        source=dataset.home,
        revision=revision,
        files=tuple(
            RemoteFile(
                path=checked_name(dataset.local(entry.path), dataset.home),
                url=f"{base}/{quote(entry.path)}",
                size=entry.size,
                digest=Digest("git", entry.sha, f"the tree of commit {revision[:12]}"),
                limit=limit_of(dataset),
            )
            for entry in tree.tree
            if entry.type == "blob" and entry.mode != _LINK and dataset.wants(entry.path)
        ),
    )


class _Entry(msgspec.Struct):
    path: str
    mode: str
    type: str
    sha: str
    size: int | None = None


class _Tree(msgspec.Struct):
    tree: list[_Entry]
    truncated: bool = False


def _text(content: bytes, origin: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError("not UTF-8", file=origin) from None
