"""Answers that keep to a benchmark's schema are read by the benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from screenmark.benchmarks.answer_schemas import (
    choice_schema,
    elements_schema,
    index_schema,
    point_schema,
)
from screenmark.engine.plan import Plan
from screenmark.errors import UsageError
from screenmark.types import TARGET_ABSENT, Outcome, Reply


def first(benchmark: str, **options: Any) -> tuple[Any, Any]:
    """A benchmark and its first sample."""
    plan = Plan(benchmark, {"model": "m", **options})
    plan.benchmark.settle_profile(None, "m")
    return plan.benchmark, plan.benchmark.load().samples[0]


def read(benchmark: str, value: Any, **options: Any) -> Any:
    bench, sample = first(benchmark, **options)
    assert_fits(value, bench.answer_schema(sample))
    return bench.parse(Reply(json.dumps(value), "stop"), sample)


def assert_fits(value: Any, schema: Any) -> None:
    """As far as these schemas go."""
    if "anyOf" in schema:
        schema = schema["anyOf"][0 if value is not None else 1]
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}
    if schema["type"] == "null":
        assert value is None
        return
    assert isinstance(value, kinds[schema["type"]])  # type: ignore[arg-type]
    if schema["type"] == "object":
        assert set(value) == set(schema["required"]) == set(schema["properties"])
        for name, inner in value.items():
            assert_fits(inner, schema["properties"][name])
    if schema["type"] == "array":
        for inner in value:
            assert_fits(inner, schema["items"])
    assert value in schema.get("enum", [value])


def test_a_choice() -> None:
    answer = read("mmbench-gui-l1", {"answer": "B"})
    assert (answer.outcome, answer.value) == (Outcome.OK, "B")
    bench, sample = first("mmbench-gui-l1")
    enum = bench.answer_schema(sample)["properties"]["answer"]["enum"]
    assert enum == list(sample.options)


def test_a_point() -> None:
    bench, sample = first("mmbench-gui-l2")
    answer = read("mmbench-gui-l2", {"point": {"x": sample.width / 2, "y": sample.height / 4}})
    assert answer.outcome is Outcome.OK
    assert answer.value == pytest.approx([0.5, 0.25])
    must = msgspec.structs.replace(sample, offers_absence=False)
    assert bench.answer_schema(must)["properties"]["point"]["type"] == "object"


@pytest.mark.parametrize("profile", ["permille", "gemini"])
def test_a_point_has_x_and_y_by_name_whatever_order_the_family_writes_them_in(profile: str) -> None:
    answer = read("mmbench-gui-l2", {"point": {"x": 250, "y": 500}}, profile=profile)
    assert answer.value == pytest.approx([0.25, 0.5])


def test_no_target() -> None:
    schema = point_schema(offers_absence=True)
    assert_fits({"point": None}, schema)
    assert_fits({"point": {"x": 1.5, "y": 2}}, schema)
    bench, sample = first("mmbench-gui-l2")
    answer = bench.parse(Reply('{"point": null}', "stop"), sample)
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, TARGET_ABSENT)


@pytest.mark.parametrize(
    "options", [{"profile": "ui-tars"}, {"scoring": "compat"}], ids=["no JSON", "the public parser"]
)
def test_a_dialect_without_json_has_no_schema(options: dict[str, Any]) -> None:
    bench, sample = first("mmbench-gui-l2", **options)
    assert bench.answer_schema(sample) is None


def test_elements() -> None:
    element = {"type": "button", "index": 0, "description": "OK", "coordinates": [1, 2, 30, 40]}
    answer = read("gui-hallubench", {"elements": [element]})
    assert (answer.outcome, answer.value, answer.repair) == (Outcome.OK, [element], None)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for inner in schema.values():
            yield from objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


@pytest.mark.parametrize(
    "schema",
    [
        choice_schema("AB"),
        index_schema([0, 3]),
        point_schema(offers_absence=True),
        elements_schema(),
    ],
    ids=["choice", "index", "point", "elements"],
)
def test_schemas_keep_to_what_providers_take(schema: dict[str, Any]) -> None:
    found = list(objects(schema))
    assert schema in found
    for one in found:
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    assert not {"minimum", "maximum", "minItems", "pattern"} & set(json.dumps(schema).split('"'))


def test_an_adapter_that_cannot_is_refused_with_on() -> None:
    from screenmark.models import ModelOptions, build_adapter

    with pytest.raises(UsageError, match="--structured on: the adapter 'embedded' has no way"):
        build_adapter(ModelOptions(model="ocr", structured="on"))
