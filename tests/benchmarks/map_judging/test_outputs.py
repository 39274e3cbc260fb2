"""Folders of outputs, and what a candidate can do wrong with them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from screenmark.benchmarks.map_judging.beside import files_beside
from screenmark.benchmarks.map_judging.dataset import load_outputs, selection
from screenmark.benchmarks.map_judging.outputs import (
    as_it_is_called,
    cut_off,
    find_output,
    model_folders,
)
from screenmark.errors import DataError, UsageError
from tests.support.gis import make_outputs, picture


def only(base: Path) -> Path:
    return base / "model"


def cut(path: Path) -> None:
    data = picture(path).read_bytes()
    path.write_bytes(data[: len(data) // 2])


def make_huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(300 << 20)


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda f: None, "missing"),
    "empty image": (lambda f: (f / "1.png").touch(), "1.png is empty"),
    "empty page": (lambda f: (f / "1.html").write_text(" \n", "utf-8"), "1.html is empty"),
    "truncated png": (lambda f: cut(f / "1.png"), "cannot be read as an image"),
    "truncated jpeg": (lambda f: cut(f / "1.jpg"), "cannot be read as an image"),
    "no image": (lambda f: (f / "1.png").write_bytes(b"hello"), "cannot be read as an image"),
    "several types": (
        lambda f: (picture(f / "1.png"), (f / "1.html").write_text("<p>", "utf-8")),
        "several outputs for one task: 1.html, 1.png",
    ),
    "two spellings": (lambda f: (picture(f / "1.png"), picture(f / "01.png")), "01.png, 1.png"),
    "pipe": (lambda f: os.mkfifo(f / "1.html"), "1.html is not a regular file"),
    "device": (lambda f: (f / "1.png").symlink_to("/dev/zero"), "1.png is not a regular file"),
    "folder": (lambda f: (f / "1.html").mkdir(), "1.html is a folder"),
    "dangling link": (lambda f: (f / "1.html").symlink_to("x.html"), "1.html is a link to nothing"),
    "loop": (lambda f: (f / "1.png").symlink_to("1.png"), "1.png is a link to nothing"),
    "huge": (lambda f: make_huge(f / "1.html"), "1.html has 300 MiB; expected at most 64"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_candidates_own_faults(tmp_path: Path, name: str) -> None:
    make, said = FAULTS[name]
    picture(only(tmp_path) / "2.png")
    make(only(tmp_path))
    ((folder,), _) = model_folders(tmp_path, [])
    found = find_output(folder, 1)
    assert found.output.fault is not None
    assert said in found.output.fault
    assert found.problem is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [("1.html", "html_screenshot"), ("1.HTM", "html_screenshot"), ("1.PNG", "png"),
     ("01.jpg", "jpg"), ("1.JPEG", "jpg")],
)  # fmt: skip
def test_names_in_any_case(tmp_path: Path, name: str, kind: str) -> None:
    path = only(tmp_path) / name
    if kind == "html_screenshot":
        path.parent.mkdir()
        path.write_text("<p>map</p>", encoding="utf-8")
    else:
        picture(path.with_suffix(path.suffix.lower())).rename(path)
    ((folder,), _) = model_folders(tmp_path, [])
    output = find_output(folder, 1).output
    assert (output.fault, output.file_type) == (None, kind)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_korean_names_composed_or_not(tmp_path: Path, form: Literal["NFC", "NFD"]) -> None:
    name = unicodedata.normalize(form, "모델")
    picture(tmp_path / name / "1.png")
    for wanted in (unicodedata.normalize("NFC", "모델"), unicodedata.normalize("NFD", "모델")):
        ((folder,), _) = model_folders(tmp_path, [wanted])
        assert folder.model == "모델"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_paths_composed_or_not(tmp_path: Path, form: Literal["NFC", "NFD"]) -> None:
    other: Literal["NFC", "NFD"] = "NFD" if form == "NFC" else "NFC"
    there = tmp_path / unicodedata.normalize(form, "자료/문항.csv")
    picture(there.with_suffix(".png")).rename(there)
    said = tmp_path / unicodedata.normalize(other, "자료/문항.csv")
    assert as_it_is_called(said) == there
    assert as_it_is_called(there) == there
    assert as_it_is_called(tmp_path / "none" / "x.csv") == tmp_path / "none" / "x.csv"


def test_a_sheet_and_a_base_whose_names_are_in_parts(tmp_path: Path) -> None:
    base = make_outputs(tmp_path / unicodedata.normalize("NFD", "결과"), "a")
    (base / "tasks.csv").rename(base / unicodedata.normalize("NFD", "문항.csv"))
    given = tmp_path / unicodedata.normalize("NFC", "결과")
    chosen = selection([str(given / "문항.csv")], [], [], None)
    assert len(load_outputs(chosen, given, None, ["m"]).samples) == 3


def test_links_are_followed_and_those_that_lead_out_are_named(tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "base", "a", tasks=(1,))
    (base / "a" / "2.png").symlink_to("1.png")
    (base / "a" / "3.png").symlink_to(picture(tmp_path / "elsewhere.png"))
    dataset = load_outputs(selection([str(base / "tasks.csv")], [], [], None), base, None, ["m"])
    assert [sample.output.fault for sample in dataset.samples] == [None] * 3
    assert dataset.warnings == [f"{base / 'a'}: links that lead out of {base}: 3.png"]


@pytest.mark.parametrize(
    ("tasks", "levels", "models", "said"),
    [
        ([" "], [], [], "--tasks: expected a sheet, or numbers like 1,3,5-8, found nothing"),
        (["9"], [], [], "--tasks 9: not in "),
        ([], [","], [], "--levels: no level is named"),
        ([], ["7"], [], "--levels Level7: the sheet's levels are Level1, Level2, Level3"),
        ([], [], [","], "--models: no model is named"),
    ],
)
def test_what_names_nothing(
    tmp_path: Path, tasks: list[str], levels: list[str], models: list[str], said: str
) -> None:
    base = make_outputs(tmp_path, "a")
    with pytest.raises(UsageError, match=said):
        load_outputs(selection(tasks, levels, models, base / "tasks.csv"), base, None, ["m"])


def test_models_that_are_named_and_those_that_are_not(tmp_path: Path) -> None:
    for name in ("b", "a", "c,d", ".hidden"):
        picture(tmp_path / name / "1.png")
    (tmp_path / "empty").mkdir()
    folders, warnings = model_folders(tmp_path, [])
    assert [f.model for f in folders] == ["a", "b", "c,d"]
    assert warnings == [f"{tmp_path}: no outputs in empty; name them with --models to judge that"]
    folders, _ = model_folders(tmp_path, ["B,a", "c,d", "empty"])
    assert [f.model for f in folders] == ["b", "a", "c,d", "empty"]
    with pytest.raises(UsageError, match=r"--models z: no such folder .* there are: a, b"):
        model_folders(tmp_path, ["z"])


def test_outputs_beside_the_folders_are_not_lost_in_silence(tmp_path: Path) -> None:
    picture(tmp_path / "a" / "1.png")
    picture(tmp_path / "1.png")
    _, warnings = model_folders(tmp_path, [])
    assert warnings == [f"{tmp_path}: 1 outputs lie outside of any model"]


def test_a_folder_of_one_model_alone(tmp_path: Path) -> None:
    picture(tmp_path / "solo" / "1.png")
    ((folder,), _) = model_folders(tmp_path / "solo", [])
    assert folder.model == "solo"


def test_no_outputs_at_all(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no outputs: expected folders of models"):
        model_folders(tmp_path, [])
    with pytest.raises(DataError, match="cannot be read"):
        model_folders(tmp_path / "none", [])


def page_with_data(folder: Path, data: str, *, script: str = "") -> str:
    """The hash of a page that draws what lies beside it."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    page = f"<script src='{script or 'other'}.js'></script><script>fetch('data/a.json')</script>"
    (folder / "1.html").write_text(page, encoding="utf-8")
    (folder / "data" / "a.json").write_text(data, encoding="utf-8")
    (folder / "data" / "unused.json").write_text(str(folder), encoding="utf-8")
    (models, _) = model_folders(folder.parent, [folder.name])
    return find_output(models[0], 1).content


def test_the_hash_is_also_of_the_data_beside_a_page(tmp_path: Path) -> None:
    first = page_with_data(tmp_path / "a", "[1]")
    assert page_with_data(tmp_path / "b", "[1]") == first
    assert page_with_data(tmp_path / "c", "[2]") != first
    (tmp_path / "c" / "data" / "a.json").unlink()
    assert page_with_data(tmp_path / "c", "[1]") == first


def test_files_are_followed_by_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    (tmp_path / "secret.json").write_text("s", encoding="utf-8")
    page_with_data(folder, "[1]", script="map")
    (folder / "map.js").write_text(
        "load('cities.json'); load('a%20b.json'); load('out.json')", encoding="utf-8"
    )
    (folder / "cities.json").write_text("[]", encoding="utf-8")
    (folder / "a b.json").write_text("[]", encoding="utf-8")
    (folder / "out.json").symlink_to(tmp_path / "secret.json")
    (folder / ".map.js").write_text("hidden", encoding="utf-8")
    page = folder / "1.html"
    found = files_beside(page, page.read_bytes())
    assert [name for name, _ in found] == ["a b.json", "cities.json", "data/a.json", "map.js"]


@pytest.mark.parametrize(
    ("page", "part"),
    [
        (b"<script>a</script><p>", ""),
        (b"<p>", ""),
        (b"<script>document.write('<script src=x><\\/script>')</SCRIPT >", ""),
        (b"<style>x</style><script src=x></script><Script>let a = [1, 2", "script"),
        (b"<script></script><style>p {", "style"),
        (b"<script>'</style>' <style>", "script"),
    ],
)
def test_pages_that_end_in_the_middle(page: bytes, part: str) -> None:
    assert cut_off(page) == part


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    picture(tmp_path / "a" / "1.png")
    picture(tmp_path / "b" / "01.PNG".lower())
    (one, other), _ = model_folders(tmp_path, [])
    assert find_output(one, 1).content == find_output(other, 1).content


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_folder_whose_name_is_no_text_is_named_and_left_out(tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "base", "ok", "m\udcff", tasks=(1,))
    (base / "empty\udcfe").mkdir()
    (base / "ok" / "n\udcfa.txt").touch()
    chosen = selection([str(base / "tasks.csv")], [], [], None)
    dataset = load_outputs(chosen, base, None, ["j"])
    assert {sample.output.model for sample in dataset.samples} == {"ok"}
    (problem,) = dataset.problems
    assert str(problem).startswith(f"{base}/m\\xff: the folder's name is not UTF-8")
    said = "\n".join(dataset.warnings)
    assert "empty\\xfe" in said
    assert "n\\xfa.txt" in said
    said.encode()
    with pytest.raises(DataError, match="not UTF-8"):
        load_outputs(chosen._replace(models=("m\udcff",)), base, None, ["j"])


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_file_beside_a_page_whose_name_is_no_text(tmp_path: Path) -> None:
    base = make_outputs(tmp_path / "base", "ok", tasks=())
    page = base / "ok" / "1.html"
    page.parent.mkdir()
    page.write_bytes(b"<script src='n\xfa.js'></script>")
    alone = find_output(model_folders(base, ["ok"])[0][0], 1).content
    (page.parent / "n\udcfa.js").write_text("1", encoding="utf-8")
    assert find_output(model_folders(base, ["ok"])[0][0], 1).content != alone
