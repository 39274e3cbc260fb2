"""Profiles by name, by space and out of a user's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from screenmark.answers import profiles
from screenmark.errors import UsageError
from screenmark.profile_files import find_profile, profile_warnings

MINE = """
[mine]
space = "permille"
syntaxes = ["brackets"]
"""
TWO = MINE + '["v1.5"]\nspace = "unit"\nsyntaxes = ["json", "bare"]\ny_first = true\n'


@pytest.fixture
def file(in_tmp: Path) -> Path:
    path = Path("mine.toml")
    path.write_text(MINE, encoding="utf-8")
    return path


@pytest.fixture
def two(in_tmp: Path) -> Path:
    path = Path("two.toml")
    path.write_text("\ufeff" + TWO, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", profiles())
def test_every_built_in_profile_by_its_name(name: str) -> None:
    assert find_profile(name) == profiles()[name]


@pytest.mark.parametrize(
    ("name", "family", "space"),
    [
        ("OS-Atlas", "os-atlas-base-7b", "permille"),
        (" gpt-4o ", "gpt", "unit"),
        ("scaled(1280, 800)", "scaled(1280, 800)", "scaled(1280, 800)"),
        ("qwen2.5-vl@unit", "qwen2.5-vl@unit", "unit"),
        (
            "gta1 @ resized(28, 4, 400000)",
            "gta1 @ resized(28, 4, 400000)",
            "resized(28, 4, 400000)",
        ),
    ],
)
def test_aliases_and_spaces(name: str, family: str, space: str) -> None:
    found = find_profile(name)
    assert (found.name, found.space) == (family, space)


def test_the_only_profile_of_a_file_needs_no_name(file: Path) -> None:
    found = find_profile("mine.toml")
    assert (found.name, found.title, found.space) == ("mine", "mine", "permille")
    assert found.syntaxes == ("brackets",)
    assert found == find_profile("mine.toml:mine") == find_profile(str(file.resolve()))


def test_one_of_several_and_another_space(two: Path) -> None:
    assert find_profile("two.toml:v1.5").y_first
    assert find_profile("two.toml:mine@percent").space == "percent"
    assert find_profile("two.toml:mine @ scaled(5,4)").space == "scaled(5, 4)"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("two.toml", TWO, "two.toml: say which profile, two.toml:NAME; it has mine, v1.5"),
        ("f.toml:her", MINE, "f.toml: no profile 'her'; it has mine"),
        ("f.toml", "", "f.toml: say which profile, f.toml:NAME; it has none"),
        ("f.toml", "[mine", "f.toml: not TOML: "),
        ("f.toml", "mine = 3", "f.toml: mine: expected a table of fields"),
        ("f.toml", MINE.replace("permille", "permil"), "f.toml: mine: space: no coordinate space"),
        ("f.toml", MINE.replace("space", "spaces"), "f.toml: mine: Object contains unknown field"),
        ("f.toml", "[m]\nspace = 'unit'", "f.toml: m: Object missing required field `syntaxes`"),
        ("f.toml", MINE.replace('"brackets"', ""), "f.toml: mine: syntaxes: name at least one of"),
        ("f.toml", MINE.replace("brackets", "xml"), "f.toml: mine: syntaxes: 'xml' is not one of"),
        ("f.toml", MINE + "ask = 'poem'", "f.toml: mine: Invalid enum value 'poem' - at `$.ask`"),
        ("f.toml", MINE + "y_first = 'no'", "`$.y_first`"),
        ("f.toml", MINE + "refusals = ['sulk']", "f.toml: mine: refusals: 'sulk' is not one of"),
        ("f.toml@mm", MINE, "f.toml@mm: no coordinate space is called 'mm'"),
        ("none.toml", "", "none.toml: no such file"),
        ("none.toml:a", "", "none.toml: no such file"),
        ("qwen2.5", "", "there is no profile 'qwen2.5'; did you mean"),
        ("zzz", "", "there is no profile 'zzz'; see: screenmark list profiles"),
        ("gpt@mm", "", "gpt@mm: space: no coordinate space is called 'mm'"),
        ("scaled(1)", "", "scaled takes scaled(width, height)"),
        ("", "", "there is no profile ''"),
    ],
)
@pytest.mark.usefixtures("in_tmp")
def test_what_is_wrong_is_named(name: str, text: str, says: str) -> None:
    for path in ("f.toml", "two.toml"):
        Path(path).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        find_profile(name)
    assert says in str(error.value)


@pytest.mark.usefixtures("in_tmp")
def test_all_mistakes_of_a_profile_are_named_at_once() -> None:
    text = "[mine]\nspace = 'inches'\nspcae = 1\nask = 'poem'\ny_first = 'no'\n"
    Path("f.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        find_profile("f.toml")
    said = str(error.value)
    assert said.startswith("f.toml: mine: ")
    assert said.count("mine: ") == 1
    for words in ("'inches'", "unknown field `spcae`", "'poem'", "`$.y_first`", "field `syntaxes`"):
        assert words in said
    assert said.count("; ") >= 4


@pytest.mark.usefixtures("in_tmp")
def test_a_folder_and_bytes_that_are_no_text() -> None:
    Path("folder.toml").mkdir()
    Path("bytes.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("folder.toml", "bytes.toml"):
        with pytest.raises(UsageError, match=name):
            find_profile(name)


def test_a_mistake_in_another_profile_of_the_file_is_a_warning(in_tmp: Path) -> None:
    Path("f.toml").write_text(
        MINE + '[a]\nspace = "inches"\nsyntaxes = ["bare"]\n[b]\nspcae = "unit"\n',
        encoding="utf-8",
    )
    assert find_profile("f.toml:mine").space == "permille"
    one, two = profile_warnings("f.toml:mine@unit")
    assert one.startswith("f.toml: a: space: no coordinate space is called 'inches'")
    assert two.startswith("f.toml: b: ")
    with pytest.raises(UsageError, match=r"f\.toml: a: space"):
        find_profile("f.toml:a")
    assert profile_warnings("qwen2.5-vl@unit") == profile_warnings(None) == []
