from __future__ import annotations

from pathlib import Path

import pytest

from screenmark.rendering.assets import AssetStore
from screenmark.rendering.packages import packages

PACKAGE = next(package for package in packages() if package.name == "leaflet.awesome-markers")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param("dist/leaflet.awesome-markers.js", "as it is", id="exact"),
        pytest.param("leaflet.awesome-markers.js", "as it is", id="without the folder"),
        pytest.param("leaflet.awesome-markers.min.js", "as it is", id="minified"),
        pytest.param("images/markers-soft.png", "icons", id="a folder in the folder"),
        pytest.param("images/markers-hard.png", None, id="not there"),
        pytest.param("../../secret", None, id="outside"),
    ],
)
def test_files_by_the_paths_of_public_addresses(
    tmp_path: Path, asked: str, found: str | None
) -> None:
    store = AssetStore(tmp_path / "assets")
    (tmp_path / "secret").write_text("no", encoding="utf-8")
    dist = store.place(PACKAGE) / "dist"
    (dist / "images").mkdir(parents=True)
    (dist / "leaflet.awesome-markers.js").write_text("as it is", encoding="utf-8")
    (dist / "images" / "markers-soft.png").write_text("icons", encoding="utf-8")
    got = store.find(PACKAGE.name, PACKAGE.version, asked)
    assert (got.file.read_text(encoding="utf-8") if got else None) == found
