"""``screenmark parse`` for choices, points and boxes, and ``screenmark list profiles``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from screenmark.answers import profiles
from tests.support.commands import command as screenmark

pytestmark = pytest.mark.usefixtures("in_tmp")

OPTIONS = {"A": "Settings page", "B": "Home page", "C": "Not sure"}


def parse(*arguments: object, stdin: str = "") -> dict[str, Any]:
    done = screenmark("parse", *arguments, stdin=stdin)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert isinstance(shown, dict)
    return shown


@pytest.fixture
def options() -> Path:
    path = Path("options.json")
    path.write_text(json.dumps(OPTIONS), encoding="utf-8")
    return path


class TestChoice:
    def test_letter(self, options: Path) -> None:
        assert parse("--kind", "choice", "--options", options, "-", stdin="答案：B") == {
            "outcome": "ok",
            "value": "B",
            "reason": None,
            "repair": None,
        }

    def test_text_of_an_option(self, options: Path) -> None:
        shown = parse("--kind", "choice", "--options", options, stdin="home page.")
        assert (shown["value"], shown["repair"]) == ("B", "option text")

    def test_letters_beyond_the_options(self, options: Path) -> None:
        shown = parse("--kind", "choice", "--options", options, stdin="D")
        assert (shown["outcome"], shown["value"]) == ("unparseable", None)
        assert shown["reason"] == "D is not among the options A, B, C"
        assert parse("--kind", "choice", stdin="D")["value"] == "D"

    @pytest.mark.parametrize("flag", ["--finish-reason", "--stop-reason"])
    def test_both_words_for_the_end(self, flag: str) -> None:
        assert parse("--kind", "choice", flag, "max_tokens", stdin="B")["outcome"] == "truncated"
        assert parse("--kind", "choice", flag, "stop", stdin="B")["outcome"] == "ok"

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("", "options.json: the file is empty"),
            ("[1]", "options.json: expected an object"),
            ("{}", "options.json: expected an object"),
            ('{"AB": "x"}', "options.json: 'AB': expected a letter from A to Z"),
            ('{"a": "x"}', "options.json: 'a': expected a letter from A to Z"),
            ('{"": "x"}', "options.json: '': expected a letter from A to Z"),
            ('{"A": 3}', "options.json: A: expected the option's text"),
            ("{A: x}", "options.json: not JSON"),
        ],
    )
    def test_wrong_options(self, content: str, says: str) -> None:
        Path("options.json").write_text(content, encoding="utf-8")
        done = screenmark("parse", "--kind", "choice", "--options", "options.json", stdin="A")
        assert done.returncode == 2
        assert says in done.stderr


class TestPointsAndBoxes:
    def test_point_of_a_family(self) -> None:
        text = 'Here: [{"bbox_2d": [100, 200, 300, 260], "label": "Save"}]'
        shown = parse(
            "--kind", "point", "--profile", "qwen2.5-vl", "--image-size", "1366x768", stdin=text
        )
        assert shown["value"] == pytest.approx([0.1458, 0.3042], abs=1e-4)

    def test_box_with_y_first(self) -> None:
        text = '[{"box_2d": [200, 100, 400, 300]}]'
        shown = parse("--kind", "box", "--profile", "gemini", stdin=text)
        assert shown["value"] == [0.1, 0.2, 0.3, 0.4]

    def test_pixels_are_the_default(self) -> None:
        shown = parse("--kind", "point", "--image-size", "200x100", stdin="(50, 50)")
        assert shown["value"] == [0.25, 0.5]

    def test_absent(self) -> None:
        shown = parse("--kind", "point", "--profile", "unit", stdin="页面上没有找到该按钮")
        assert (shown["outcome"], shown["reason"]) == ("refused", "target_absent")

    @pytest.mark.parametrize(
        ("profile", "expected"),
        [
            ("permille", [0.1, 0.2]),
            ("OS-Atlas", [0.1, 0.2]),
            ("scaled(200, 400)", [0.5, 0.5]),
            ("gpt@permille", [0.1, 0.2]),
            ("mine.toml", [0.1, 0.2]),
            ("mine.toml:mine@scaled(1000, 400)", [0.1, 0.5]),
        ],
    )
    def test_names_of_profiles(self, profile: str, expected: list[float]) -> None:
        Path("mine.toml").write_text(
            '[mine]\nspace = "permille"\nsyntaxes = ["brackets"]\n', encoding="utf-8"
        )
        assert parse("--kind", "point", "--profile", profile, stdin="(100, 200)")[
            "value"
        ] == pytest.approx(expected)

    @pytest.mark.parametrize("profile", ["pixel", "qwen2.5-vl", "claude", "uground"])
    @pytest.mark.parametrize("kind", ["point", "box"])
    def test_the_size_is_asked_for_where_it_is_needed(self, kind: str, profile: str) -> None:
        done = screenmark("parse", "--kind", kind, "--profile", profile, stdin="(1, 2)")
        assert done.returncode == 2
        assert f"--profile {profile} needs --image-size WxH for --kind {kind}" in done.stderr

    def test_elements_take_a_familys_space(self) -> None:
        element = {"type": "text", "description": "OK", "bbox": [100, 125, 400, 375]}
        shown = parse(
            "--profile", "qwen3-vl", "--image-size", "100x80", stdin=json.dumps([element])
        )
        assert shown["value"][0]["coordinates"] == [10, 10, 40, 30]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--kind", "point", "--profile", "gta2"], "--profile gta2: there is no profile 'gta2'"),
        (["--kind", "point", "--profile", "no.toml"], "--profile no.toml: no.toml: no such file"),
        (["--kind", "box", "--options", "o.json"], "--options: a reply of --kind box has none"),
        (["--kind", "point", "--image-size", "0x5"], "--image-size 0x5"),
    ],
)
def test_wrong_use(arguments: list[str], says: str) -> None:
    done = screenmark("parse", *arguments)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_list_profiles() -> None:
    listed = json.loads(screenmark("list", "profiles", "--json").stdout)
    assert [item["name"] for item in listed] == list(profiles())
    gemini = next(item for item in listed if item["name"] == "gemini")
    assert (gemini["y_first"], gemini["space"], gemini["ask"]) == (True, "permille", "box")
    assert {"title", "syntaxes", "aliases", "models", "source"} <= set(gemini)
    table = screenmark("list", "profiles", "--format", "markdown").stdout
    assert "os-atlas, os-atlas-7b" in table
