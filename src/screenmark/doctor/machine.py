"""The machine: Python, what is installed, programs, room on the disk."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from screenmark.doctor.finding import Finding
from screenmark.doctor.programs import check_programs

EXTRAS = {
    "ocr": (("rapidocr", "onnxruntime", "cv2"), "the embedded model ocr"),
    "local": (("torch", "transformers", "peft"), "checkpoints on this machine"),
    "hub": (("huggingface_hub",), "public data sets from the Hugging Face hub"),
    "pandas": (("pandas",), "results as data frames"),
    "export": (("openpyxl", "pyarrow"), "XLSX and Parquet files"),
    "ray": (("ray",), "several machines"),
    "render": (("playwright", "psutil", "shapely"), "HTML pages as pictures"),
    "dashscope": (("dashscope",), "DashScope's own protocol"),
    "anthropic": (("anthropic",), "Anthropic's own protocol"),
}
"""Modules that an extra installs, and what they are for."""

_FEW_BYTES = 2 << 30


def check_machine(runs_dir: Path) -> Iterator[Finding]:
    """What of the machine matters to any run."""
    yield Finding(
        check="python",
        status="ok",
        detail=f"{platform.python_version()}, screenmark {_version()}",
    )
    for extra, (modules, purpose) in EXTRAS.items():
        missing = [name for name in modules if find_spec(name) is None]
        yield Finding(
            check=f"extra {extra}",
            status="note" if missing else "ok",
            detail=f"{'not installed; ' if missing else ''}for {purpose}",
            remedy=f"pip install 'screenmark[{extra}]'" if missing else "",
        )
    yield from check_programs()
    yield _disk(runs_dir)


def _version() -> str:
    try:
        return version("screenmark")
    except PackageNotFoundError:
        return "of unknown version"


def _disk(runs_dir: Path) -> Finding:
    place = runs_dir.absolute()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    short = free < _FEW_BYTES
    return Finding(
        check="disk",
        status="warning" if short else "ok",
        detail=f"{free / (1 << 30):.1f} GB free for {runs_dir}",
        remedy="--runs-dir on a disk with more room" if short else "",
    )
