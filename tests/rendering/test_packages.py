from __future__ import annotations

import re

import pytest

from screenmark.rendering.packages import best_version, packages

KEPT = ["1.7.1", "1.9.3", "1.9.4", "2.35.2", "4.1.1"]


@pytest.mark.parametrize(
    ("asked", "chosen", "said"),
    [
        ("1.9.3", "1.9.3", ""),
        ("", "4.1.1", ""),
        ("latest", "4.1.1", ""),
        ("1", "1.9.4", ""),
        ("1.9", "1.9.4", ""),
        ("^1.7.0", "1.9.4", ""),
        ("~1.7.*", "1.7.1", ""),
        ("1.8.0", "1.9.3", "another version"),
        ("1.9.9", "1.9.4", "another version"),
        ("3.0.0", "4.1.1", "another major version"),
        ("9.0.0", "4.1.1", "another major version"),
    ],
)
def test_the_nearest_version(asked: str, chosen: str, said: str) -> None:
    assert best_version(asked, KEPT) == (chosen, said)


def test_every_package_has_an_exact_version_and_a_digest() -> None:
    for package in packages():
        pattern = r"sha512-[\w+/]{86}==" if package.registry == "npm" else r"sha256-[0-9a-f]{64}"
        assert re.fullmatch(pattern, package.integrity), package.name
        assert re.fullmatch(r"\d+\.\d+\.\d+[\w.-]*", package.version), package.name


def test_the_list_names_no_address() -> None:
    for package in packages():
        assert "//" not in f"{package.name}{package.version}{''.join(package.keep)}"


@pytest.mark.parametrize(
    ("name", "path", "kept"),
    [
        ("leaflet", "dist/leaflet.js", True),
        ("leaflet", "dist/leaflet.js.map", False),
        ("leaflet", "src/Leaflet.js", False),
        ("leaflet.heat", "dist/leaflet-heat.js", True),
        ("leaflet.heat", "bower.md", False),
    ],
)
def test_what_is_unpacked(name: str, path: str, kept: bool) -> None:
    package = next(package for package in packages() if package.name == name)
    assert package.keeps(path) is kept
