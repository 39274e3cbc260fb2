from __future__ import annotations

from pathlib import Path

import pytest

from screenmark.errors import DataError
from screenmark.rendering.site import ORIGIN, Site


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "outputs" / "model"
    (inside / "data").mkdir(parents=True)
    (inside / "1 지도.html").write_text("<h1>map</h1>", encoding="utf-8")
    (inside / "data" / "points.geojson").write_text("{}", encoding="utf-8")
    (inside / ".env").write_text("KEY=1", encoding="utf-8")
    (tmp_path / "outputs" / "secret.txt").write_text("secret", encoding="utf-8")
    (inside / "link.txt").symlink_to(tmp_path / "outputs" / "secret.txt")
    return inside


def test_a_page_and_its_files(folder: Path) -> None:
    site = Site(folder / "1 지도.html")
    assert site.get(site.url) == (b"<h1>map</h1>", "text/html; charset=utf-8")
    assert site.get(f"{ORIGIN}/data/points.geojson") == (b"{}", "application/geo+json")


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "%2e%2e/secret.txt", "link.txt", ".env", "data/", "", "none.js", "a%00b"],
)
def test_nothing_outside_the_folder(folder: Path, path: str) -> None:
    assert Site(folder / "1 지도.html").get(f"{ORIGIN}/{path}") is None


def test_text_has_no_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert Site("<p>text").get(f"{ORIGIN}/data/points.geojson") is None


def test_integrity_is_taken_out_and_counted() -> None:
    text = """<script src="a.js" integrity="sha384-x" crossorigin=""></script>
    <link href='b.css' integrity='sha384-y'><p integrity="kept">"""
    site = Site(text)
    body, _ = site.get(site.url) or (b"", "")
    assert site.integrity_removed == 2
    assert body.count(b"integrity") == 1


def test_a_page_of_endless_tags_is_read_in_no_time() -> None:
    tags = Site("<script a " * 200_000 + "<link" + " " * 500_000 + "b")
    assert tags.integrity_removed == 0


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"<meta charset='euc-kr'><p>", "text/html"),
        ("<p>한국".encode(), "text/html; charset=utf-8"),
        ("<p>한국".encode("euc-kr"), "text/html"),
    ],
)
def test_only_undeclared_utf8_is_declared(tmp_path: Path, data: bytes, kind: str) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(data)
    site = Site(page)
    assert site.get(site.url) == (data, kind)


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        Site(tmp_path / "none.html")
