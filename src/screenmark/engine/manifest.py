"""``manifest.json``: what was asked, of whom, with what."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import msgspec

from screenmark.errors import RunFolderError
from screenmark.jsonfile import dump_json, write_atomically

FORMAT = 1
_PACKAGES = (
    "screenmark",
    "accelerate",
    "aiohttp",
    "anthropic",
    "cydifflib",
    "dashscope",
    "msgspec",
    "numpy",
    "orjson",
    "peft",
    "pillow",
    "rapidocr",
    "onnxruntime",
    "opencv-python-headless",
    "ray",
    "torch",
    "transformers",
    "vllm",
)

Status = Literal["running", "interrupted", "finished"]


class Session(msgspec.Struct):
    """One process that worked on the run; its times are labels, no measure of how long."""

    started: str
    versions: dict[str, str]
    host: dict[str, Any]
    api_base: list[str] = []
    ended: str | None = None


class Manifest(msgspec.Struct, kw_only=True):
    """What a run is, written when it starts and when it ends.

    Attributes:
        identity: everything that changes answers; its hash is in the folder's name.
        options: every option by name, secrets left out.
        profile_source: how the profile was chosen; None in runs of before this was kept.
        problems: what was wrong with samples that were left out of the run.
        number: counts the runs of a ``--runs-dir`` in the order in which they were made, since
            clocks jump; 0 for runs of before there were numbers.
        created, finished: labels for people; nothing is computed from them.
    """

    format: int = FORMAT
    benchmark: str
    model: str
    adapter: str
    profile: str | None
    profile_source: str | None = None
    scoring: str
    identity: dict[str, Any]
    options: dict[str, Any]
    prompt: str
    data_source: str
    data_hash: str
    num_samples: int
    problems: list[str] = []
    number: int = 0
    created: str
    finished: str | None = None
    status: Status = "running"
    sessions: list[Session] = []


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        RunFolderError: it is damaged or of a format that this version does not know.
    """
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise RunFolderError(f"{path}: cannot be read as a manifest ({error})") from None
    if manifest.format > FORMAT:
        raise RunFolderError(
            f"{path}: format {manifest.format} is newer than this version knows ({FORMAT})"
        )
    return manifest


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write a manifest so that a crash leaves the old or the new one."""
    write_atomically(path, dump_json(msgspec.to_builtins(manifest)))


def new_session(api_base: tuple[str, ...]) -> Session:
    """This process, now."""
    return Session(started=now(), versions=_versions(), host=_host(), api_base=list(api_base))


def now() -> str:
    """The time in UTC, to the millisecond, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _host() -> dict[str, Any]:
    # The class of machine; its name is nobody's business.
    return {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count()}
