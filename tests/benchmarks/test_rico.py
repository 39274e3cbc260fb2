"""Rico's view hierarchies and recognised text by the screen's id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from screenmark.benchmarks.ui_components.recognised import TextLine, parse_lines, text_within
from screenmark.benchmarks.ui_components.rico import class_of, parse_hierarchy, resource_name
from screenmark.benchmarks.ui_components.samples import Leaf
from screenmark.errors import DataError

FILE = Path("7.json")


def node(box: tuple[int, int, int, int], **more: Any) -> dict[str, Any]:
    return {"bounds": list(box), "class": "android.view.View", **more}


def tree(*children: Any, **more: Any) -> bytes:
    root = node((0, 0, 1440, 2560), children=[*children], **more)
    return json.dumps({"activity_name": "x", "activity": {"root": root}}).encode()


class TestHierarchy:
    def test_leaves_in_fractions_of_the_root(self) -> None:
        button = node(
            (144, 256, 720, 512),
            **{
                "class": "android.support.v7.widget.AppCompatButton",
                "text": " Sign \n in ",
                "content-desc": ["Log in", None],
                "resource-id": "com.example:id/sign_in_button",
            },
        )
        group = node((0, 0, 1440, 1280), children=[button, None], text="not a leaf")
        assert parse_hierarchy(FILE, tree(group)) == [
            Leaf((0.1, 0.1, 0.5, 0.2), "TEXT_BUTTON", "Sign in", "Log in", "signInButton")
        ]

    def test_order_is_that_of_the_tree(self) -> None:
        first = node((0, 0, 9, 9), children=[node((0, 0, 1, 1), text="a")])
        found = parse_hierarchy(FILE, tree(first, node((0, 0, 1, 1), text="b")))
        assert [leaf.text for leaf in found] == ["a", "b"]

    def test_what_cannot_be_seen_is_left_out(self) -> None:
        hidden = node((0, 0, 9, 9), **{"visible-to-user": False})
        assert parse_hierarchy(FILE, tree(hidden, node((5, 5, 5, 9)), node((9, 9, 2, 12)))) == []

    def test_semantic_annotations_begin_at_the_root(self) -> None:
        root = node((0, 0, 100, 100), children=[node((0, 0, 50, 50), text="x")])
        (leaf,) = parse_hierarchy(FILE, json.dumps(root).encode())
        assert (leaf.box, leaf.text) == ((0, 0, 0.5, 0.5), "x")

    def test_a_deep_tree(self) -> None:
        inner = node((0, 0, 1, 1), text="deep")
        for _ in range(300):
            inner = node((0, 0, 9, 9), children=[inner])
        assert [leaf.text for leaf in parse_hierarchy(FILE, tree(inner))] == ["deep"]

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            pytest.param(b"{", "7.json: not JSON", id="no json"),
            pytest.param(b"[]", "activity.root: expected a view hierarchy", id="list"),
            pytest.param(b'{"activity": null}', "expected a view hierarchy", id="nothing"),
            pytest.param(
                json.dumps(node((0, 0, 0, 9))).encode(), "the root has no area", id="no area"
            ),
            pytest.param(tree(3), r"root\.children\[0\]: expected a node", id="number"),
            pytest.param(tree(node((0, 0, 1, 1), text=3)), r"\[0\]\.text: expected a", id="text"),
            pytest.param(tree({"bounds": [1, 2]}), r"\[0\]\.bounds: expected four", id="bounds"),
            pytest.param(tree({}), r"\[0\]\.bounds: expected four numbers", id="none"),
            pytest.param(
                tree(node((0, 0, 1, 1), children={"a": 1})),
                "children: expected a list",
                id="object",
            ),
            pytest.param(b"[" * 100_000, "not JSON", id="nested"),
        ],
    )
    def test_bad_files_say_where(self, data: bytes, said: str) -> None:
        with pytest.raises(DataError, match=said):
            parse_hierarchy(FILE, data)

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("android.widget.TextView", "TEXT_VIEW"),
            ("android.support.v7.widget.AppCompatImageButton", "IMAGE_BUTTON"),
            ("android.widget.AutoCompleteTextView", "TEXT_INPUT"),
            ("android.widget.RelativeLayout", "LAYOUT"),
            ("com.example.Outer$Inner", "Inner"),
            ("", ""),
        ],
    )
    def test_classes(self, name: str, expected: str) -> None:
        assert class_of(name) == expected

    def test_resource_names(self) -> None:
        assert resource_name("a.b:id/text_view_2") == "textView2"
        assert resource_name("") == ""


class TestRecognisedText:
    def test_lines_that_lie_at_least_half_in_a_box(self) -> None:
        lines = [
            TextLine("in", (0.1, 0.1, 0.2, 0.2)),
            TextLine("half", (0.4, 0.1, 0.6, 0.2)),
            TextLine("less", (0.45, 0.1, 0.65, 0.2)),
            TextLine("no area", (0.1, 0.1, 0.1, 0.2)),
        ]
        assert text_within((0.0, 0.0, 0.5, 0.5), lines) == "in half"

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            ("[{}]", "item 0: text: expected a text"),
            ('[{"text": "x", "box": [1, 2]}]', "item 0: box: expected a list of 4"),
            ('[{"text": "x", "box": [1, 2, 3, "4"]}]', r"box\[3\]: expected a number"),
            ("x", "not JSON"),
        ],
    )
    def test_bad_files_say_where(self, data: str, said: str) -> None:
        with pytest.raises(DataError, match=said):
            parse_lines(FILE, data.encode())

    def test_an_empty_list_is_a_screen_without_text(self) -> None:
        assert parse_lines(FILE, b"[]") == []
