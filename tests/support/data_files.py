"""A very small MMBench-GUI, as it is fetched and as it lies on the disk."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path


def zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


ZIP = "MMBench-GUI-OfflineImages.zip"
PICTURES = {f"offline_images/os_web/{k}.png": bytes([k]) * 1000 for k in range(3)}
MMBENCH = {"L1_annotations.json": b"[1]", "L2_annotations.json": b"[2]", ZIP: zipped(PICTURES)}


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".screenmark-download")
    }


WHOLE = {k: v for k, v in MMBENCH.items() if k != ZIP} | PICTURES
