"""The Hugging Face hub: its own library tells commit, sizes and hashes, and holds the token.

The files themselves go through our own fetcher, so that resuming, limits and messages are the
same for every source. The token is in the headers of a file and nowhere else.
"""

from __future__ import annotations

import os
import time
from importlib.util import find_spec
from typing import Any

from screenmark.downloads.catalog import Dataset
from screenmark.downloads.digests import Digest, sha256
from screenmark.downloads.fetch import RemoteFile
from screenmark.downloads.http import RETRY_STATUS, Policy, Unreachable, seconds_asked, shown_host
from screenmark.downloads.names import checked_name
from screenmark.downloads.sources import Listing, limit_of
from screenmark.downloads.watch import Watch
from screenmark.errors import DataError, DownloadError, MissingExtra, UsageError

_TIMEOUT = 30.0


def list_hub(dataset: Dataset, revision: str, policy: Policy, watch: Watch) -> Listing:
    """The files of a data set at the hub, or at the mirror of it in ``HF_ENDPOINT``.

    Raises:
        MissingExtra: the hub's library is not installed.
        Unreachable: nobody answers.
        DownloadError: the hub does not give the data out.
    """
    if find_spec("huggingface_hub") is None:
        raise MissingExtra("fetching from the Hugging Face hub", "hub")
    from huggingface_hub import HfApi, hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    endpoint = _endpoint()
    try:
        api = HfApi(endpoint=endpoint, library_name="screenmark")
        headers = build_hf_headers(library_name="screenmark")
    except ValueError as error:
        raise UsageError(f"HF_ENDPOINT or HF_TOKEN: {type(error).__name__}") from None
    info = _patiently(api, dataset, revision, policy, watch)
    commit = str(info.sha)
    files = []
    for sibling in info.siblings or ():
        if not dataset.wants(sibling.rfilename):
            continue
        size, digest = _described(sibling, commit)
        files.append(
            RemoteFile(
                path=checked_name(dataset.local(sibling.rfilename), api.endpoint),
                url=hf_hub_url(
                    str(dataset.hub),
                    sibling.rfilename,
                    repo_type="dataset",
                    revision=commit,
                    endpoint=endpoint,
                ),
                size=size,
                digest=digest,
                limit=limit_of(dataset),
                headers={name: value for name, value in headers.items() if value},
            )
        )
    return Listing(
        source=f"{api.endpoint}/datasets/{dataset.hub}", revision=commit, files=tuple(files)
    )


def _endpoint() -> str | None:
    """The mirror of the hub that the environment names."""
    return (os.environ.get("HF_ENDPOINT") or "").rstrip("/") or None


def _described(sibling: Any, commit: str) -> tuple[int | None, Digest]:
    """Size and hash of a file as the hub tells them.

    Raises:
        DataError: it tells none.
    """
    origin = f"the hub's metadata of commit {commit[:12]}"
    if sibling.lfs is not None:
        return sibling.lfs.size, sha256(sibling.lfs.sha256, origin)
    if not sibling.blob_id:
        raise DataError("the hub tells no hash", file=sibling.rfilename)
    return sibling.size, Digest("git", sibling.blob_id, origin)


def _patiently(api: Any, dataset: Dataset, revision: str, policy: Policy, watch: Watch) -> Any:
    from huggingface_hub.errors import HfHubHTTPError, HTTPError, OfflineModeIsEnabled

    host = shown_host(api.endpoint)
    failures = 0
    while True:
        try:
            return api.dataset_info(
                dataset.hub, revision=revision, files_metadata=True, timeout=_TIMEOUT
            )
        except OfflineModeIsEnabled:
            raise DownloadError("HF_HUB_OFFLINE is set, so the hub is not asked") from None
        except HfHubHTTPError as error:
            failures += 1
            status = error.response.status_code
            if status not in RETRY_STATUS or failures >= policy.tries:
                raise _refused(error, dataset, revision, host) from None
            wait = min(policy.longest_wait, policy.first_wait * 2 ** (failures - 1))
            wait = max(wait, seconds_asked(error.response.headers.get("Retry-After")) or 0.0)
            if wait > policy.longest_asked:
                raise _refused(error, dataset, revision, host) from None
            watch.say(f"{host}: status {status}; next try in {wait:.1f} s")
            time.sleep(wait)
        except (HTTPError, OSError) as error:
            raise Unreachable(f"cannot reach {host} ({_reason(error)})") from None


def _refused(error: Any, dataset: Dataset, revision: str, host: str) -> DownloadError:
    """The hub's answer in our words: its own text may repeat what was sent."""
    from huggingface_hub.errors import (
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    status = error.response.status_code
    if isinstance(error, GatedRepoError):
        why = f"its terms have to be accepted first, at {dataset.home}, and HF_TOKEN has to be set"
    elif isinstance(error, RevisionNotFoundError):
        why = f"no revision {revision}; the latest one: --revision main"
    elif isinstance(error, RepositoryNotFoundError):
        why = "no such data set there, or only for those who have access (HF_TOKEN)"
    else:
        why = "the hub refuses"
    return DownloadError(f"{dataset.hub} at {host}: {why} (status {status})")


def _reason(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return type(error).__name__
