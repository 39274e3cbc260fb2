"""Options: declared once, built from plain values, refused with the flag's name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.benchmarks import BENCHMARKS, benchmark_class
from screenmark.engine import EngineOptions
from screenmark.errors import UsageError
from screenmark.models import ModelOptions
from screenmark.options import (
    build,
    declared,
    holds_hidden,
    option,
    unknown_option,
    without_secrets,
)


class Tea(msgspec.Struct, frozen=True, kw_only=True):
    """Options of every type that the product uses."""

    leaves: Annotated[int, option("Grams.", minimum=1, maximum=20)] = 3
    seconds_to_wait: Annotated[float, option("Seconds.", minimum=0)] = 90.0
    depth: Annotated[float, option("No bounds.")] = 0.0
    ceiling: Annotated[float, option("One bound.", maximum=1)] = 0.5
    sort: Annotated[Literal["green", "black"], option("Kind.", changes_answers=True)] = "green"
    milk: Annotated[bool, option("With milk.")] = False
    pot: Annotated[Path | None, option("Pot.", metavar="FILE")] = None
    cups: Annotated[tuple[str, ...], option("Cups.")] = ()
    secret_recipe: Annotated[str | None, option("Recipe.", secret=True)] = None
    extras: Annotated[list[int], option("Made anew.")] = msgspec.field(default_factory=list)
    inner: int = 7


def test_declared_fields_are_those_with_a_description_in_order() -> None:
    fields = declared(Tea)
    assert [field.name for field in fields] == [
        "leaves", "seconds_to_wait", "depth", "ceiling", "sort", "milk", "pot", "cups",
        "secret_recipe", "extras",
    ]  # fmt: skip
    by_name = {field.name: field for field in fields}
    wait = by_name["seconds_to_wait"]
    assert (wait.flag, wait.type, wait.default) == ("--seconds-to-wait", float, 90.0)
    assert wait.info.help == "Seconds."
    assert by_name["pot"].type == Path | None
    assert by_name["pot"].info.metavar == "FILE"
    assert by_name["extras"].default == []
    assert [name for name, field in by_name.items() if field.info.secret] == ["secret_recipe"]
    assert [name for name, field in by_name.items() if field.info.changes_answers] == ["sort"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, Tea(), id="defaults"),
        pytest.param({"leaves": 20}, Tea(leaves=20), id="at the upper bound"),
        pytest.param({"leaves": 1}, Tea(leaves=1), id="at the lower bound"),
        pytest.param({"seconds_to_wait": 5}, Tea(seconds_to_wait=5.0), id="int for float"),
        pytest.param({"depth": -1e9}, Tea(depth=-1e9), id="no bounds"),
        pytest.param({"ceiling": -5.0}, Tea(ceiling=-5.0), id="no lower bound"),
        pytest.param({"pot": "a/b"}, Tea(pot=Path("a/b")), id="path from text"),
        pytest.param({"pot": Path("a/b")}, Tea(pot=Path("a/b")), id="path as it is"),
        pytest.param({"pot": None}, Tea(pot=None), id="none"),
        pytest.param({"cups": ["a", "b"]}, Tea(cups=("a", "b")), id="tuple from list"),
        pytest.param({"cups": ("a",)}, Tea(cups=("a",)), id="tuple as it is"),
        pytest.param({"cups": "http"}, Tea(cups=("http",)), id="one string is a list of one"),
        pytest.param({"sort": "black"}, Tea(sort="black"), id="choice"),
        pytest.param({"milk": True}, Tea(milk=True), id="flag"),
    ],
)
def test_build(values: dict[str, Any], expected: Tea) -> None:
    made = build(Tea, values)
    assert made == expected
    assert type(made.seconds_to_wait) is float
    assert type(made.cups) is tuple


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"leafs": 3}, "unknown option 'leafs'; did you mean 'leaves'?", id="misspelt"),
        pytest.param({"qqqq": 3}, "unknown option 'qqqq'", id="unknown"),
        pytest.param({"inner": 8}, "unknown option 'inner'", id="not an option"),
        pytest.param({"leaves": "3"}, "--leaves: Expected `int`, got `str`", id="text for int"),
        pytest.param({"leaves": 3.5}, "--leaves: Expected `int`, got `float`", id="float for int"),
        pytest.param({"leaves": True}, "--leaves: Expected `int`, got `bool`", id="bool for int"),
        pytest.param({"leaves": None}, "--leaves: Expected `int`, got `null`", id="none for int"),
        pytest.param({"milk": 1}, "--milk: Expected `bool`, got `int`", id="int for bool"),
        pytest.param(
            {"seconds_to_wait": "1"}, "--seconds-to-wait: Expected `float`, got `str`", id="dashes"
        ),
        pytest.param({"sort": "oolong"}, "--sort: 'oolong' is none of green, black", id="choice"),
        pytest.param({"pot": 3}, "--pot: expected Path", id="int for path"),
        pytest.param({"pot": ""}, "--pot: expected a path, found an empty text", id="no path"),
        pytest.param(
            {"pot": "a\udcff"}, r"--pot: 'a\udcff' is not UTF-8", id="path that is not UTF-8"
        ),
        pytest.param({"pot": Path("a\udcff")}, "--pot: 'a", id="Path that is not UTF-8"),
        pytest.param({"secret_recipe": "\ud83d"}, "--secret-recipe: the text is", id="secret"),
        pytest.param({"cups": ["a", "\udcff"]}, r"--cups: '\udcff' is not UTF-8", id="one of two"),
        pytest.param({"cups": "\udcff"}, r"--cups: '\udcff' is not UTF-8", id="one alone"),
        pytest.param({"sort": "\udcff"}, "--sort: ", id="a word that is not UTF-8"),
        pytest.param({"cups": ["a", 3]}, "--cups: Expected `str`, got `int`", id="in a tuple"),
        pytest.param(
            {"leaves": 0}, "--leaves: 0 is out of range, expected between 1 and 20", id="too low"
        ),
        pytest.param(
            {"leaves": 21}, "--leaves: 21 is out of range, expected between 1 and 20", id="too high"
        ),
        pytest.param(
            {"seconds_to_wait": -1},
            "--seconds-to-wait: -1.0 is out of range, expected at least 0",
            id="one bound",
        ),
        pytest.param({"depth": float("nan")}, "--depth: nan is out of range", id="nan"),
        pytest.param({"ceiling": float("nan")}, "--ceiling: nan is out of range", id="nan, bound"),
        pytest.param({"depth": float("-inf")}, "--depth: -inf is out of range", id="-infinity"),
        pytest.param(
            {"seconds_to_wait": float("inf")}, "--seconds-to-wait: inf is out of range", id="inf"
        ),
        pytest.param({"depth": 10**400}, "--depth: ", id="beyond floats"),
    ],
)
def test_wrong_values_name_the_flag(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        build(Tea, values)
    assert str(caught.value).startswith(message)


@given(st.floats() | st.integers())
def test_every_number_that_is_accepted_can_be_stored(number: float) -> None:
    try:
        made = build(ModelOptions, {"timeout": number, "concurrency": 4})
    except UsageError:
        return
    assert msgspec.json.decode(msgspec.json.encode(made.timeout)) == made.timeout


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_seed_that_no_manifest_could_hold(number: int) -> None:
    kind = benchmark_class("gui-hallubench").options_type
    with pytest.raises(UsageError, match=r"--sample-seed: .* out of range"):
        build(kind, {"sample_seed": number})
    assert build(kind, {"sample_seed": 2**63 - 1}).sample_seed == 2**63 - 1


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("max_token", ["max_tokens", "max_samples"], "; did you mean 'max_tokens'?"),
        ("zzz", ["max_tokens"], ""),
        ("x", [], ""),
    ],
)
def test_unknown_option(name: str, known: list[str], hint: str) -> None:
    assert unknown_option(name, known) == f"unknown option {name!r}{hint}"


FAMILIES: list[type[msgspec.Struct]] = [benchmark_class(b).options_type for b in BENCHMARKS]
STRUCTS: list[type[msgspec.Struct]] = [ModelOptions, EngineOptions, *FAMILIES]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda s: s.__name__)
def test_every_field_of_the_product_is_a_described_option(struct: type[msgspec.Struct]) -> None:
    fields = declared(struct)
    assert [field.name for field in fields] == list(struct.__struct_fields__)
    for field in fields:
        assert field.info.help.endswith("."), field.name
        assert field.default is not msgspec.NODEFAULT, field.name
    assert build(struct, {}) == struct()


def test_the_key_is_the_only_secret() -> None:
    secret = {field.name for struct in STRUCTS for field in declared(struct) if field.info.secret}
    assert secret == {"api_key"}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda s: s.__name__)
def test_no_name_is_declared_twice(family: type[msgspec.Struct]) -> None:
    together: list[type[msgspec.Struct]] = [ModelOptions, EngineOptions, family]
    names = [field.name for struct in together for field in declared(struct)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "name",
    ["api_key", "apikey", "key", "api_token", "token", "hf_token", "auth", "Authorization",
     "cookie", "credentials", "client_secret", "password", "my_pwd", "access_key"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert without_secrets({"a": {name: "x"}}) == {"a": {name: "(hidden)"}}


@pytest.mark.parametrize(
    "name", ["max_tokens", "pad_token", "eos_token_id", "author", "keyboard", "top_k", "monkey"]
)
def test_names_of_no_secrets(name: str) -> None:
    assert without_secrets({name: "x"}) == {name: "x"}


def test_keys_are_known_by_their_form_too() -> None:
    given = {"a": "sk-abcdefgh12345", "b": ["hf_abcdefgh12345", "plain"], "c": "skylark-vision-pro"}
    hidden = {"a": "(hidden)", "b": ["(hidden)", "plain"], "c": "skylark-vision-pro"}
    assert without_secrets(given) == hidden
    assert without_secrets("sk-abcdefgh12345") == "sk-abcdefgh12345"  # no object
    assert holds_hidden(hidden)
    assert not holds_hidden(given)
