"""Replies of a judge, one fault or oddity each."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

MARKS = (
    ("exists", 20),
    ("accuracy", 28),
    ("requirement", 24),
    ("completeness", 18),
    ("spatial_location", 15),
    ("geometry_validity", 5),
    ("numeric_match", 10),
)


def members(**changed: str) -> str:
    """The seven members of a good reply, 120 points, some of them with other text as value."""
    return ", ".join(f'"{name}": {changed.get(name, mark)}' for name, mark in MARKS)


def obj(more: str = "", **changed: str) -> str:
    return "{" + members(**changed) + more + "}"


class Ok(NamedTuple):
    id: str
    reply: str
    flags: tuple[str, ...] = ()
    total: int = 120
    stop_reason: str | None = "end_turn"


class Bad(NamedTuple):
    id: str
    reply: str
    error: str
    field: str | None = None
    stop_reason: str | None = "end_turn"


_ECHO = '{"exists":정수,"accuracy":정수,"requirement":정수,"reason":"한줄이유"}'
_RULES = "exists(0/20): 의미있는 시각화\naccuracy(0-30): 정확성\nspatial_location(0/8/15): 위치\n"
_LINES = "\n".join(f"{name}: {mark}" for name, mark in MARKS)

OK = [
    Ok(
        "all levels at their least",
        obj(
            exists="0",
            accuracy="0",
            requirement="0",
            completeness="0",
            spatial_location="0",
            geometry_validity="0",
            numeric_match="0",
        ),
        (),
        0,
    ),
    Ok("all marks at their most", obj(accuracy="30", requirement="30", completeness="20"), (), 130),
    Ok(
        "middle levels",
        obj(spatial_location="8", geometry_validity="2", numeric_match="5"),
        (),
        105,
    ),
    Ok("thinking before", f"<think>{obj(accuracy='3')}</think>{obj()}"),
    Ok("echoed template before", f"{_ECHO}\n{obj()}"),
    Ok("echoed template in quotes", _ECHO.replace("정수", '"정수"') + obj()),
    Ok("echoed template after", f"{obj()}\n{_ECHO}"),
    Ok("echoed rubric before", _RULES + obj()),
    Ok("byte order mark", "\ufeff" + obj()),
    Ok("fence without a language", f"```\n{obj()}\n```"),
    Ok("in a list", f"[{obj()}]"),
    Ok("cut after the object", obj() + " The map sh", (), 120, "max_tokens"),
    Ok("pass is right", obj(', "pass": true')),
    Ok("totals as text", obj(', "total_raw": "120", "total_normalized": "92"')),
    Ok("null totals", obj(', "total_raw": null, "pass": null')),
    Ok("braces in the reason", obj(', "reason": "has {x} and } in it"')),
    Ok("marks in the reason", obj(', "reason": "not {\\"accuracy\\": 3}"')),
    Ok("further keys", obj(', "confidence": 0.7, "notes": ["a", {"b": 1}]')),
    Ok("pass is wrong", obj(', "pass": false'), ("pass_mismatch",)),
    Ok("normalised total is wrong", obj(', "total_normalized": 93'), ("total_mismatch",)),
    Ok("totals out of their range", obj(', "total_raw": 1e400'), ("total_mismatch",)),
    Ok("trailing commas", obj(",,"), ("repaired",)),
    Ok("single quotes", obj().replace('"', "'"), ("repaired",)),
    Ok("curly quotes", obj().replace('"exists"', "“exists”"), ("repaired",)),
    Ok("bare keys", obj().replace('"', ""), ("repaired",)),
    Ok("line breaks for commas", obj().replace(", ", "\n"), ("repaired",)),
    Ok("comments", obj().replace(", ", ", // fine\n", 1), ("repaired",)),
    Ok("full-width punctuation", obj().replace(":", "：").replace(",", "，"), ("repaired",)),
    Ok("fence inside", obj().replace("{", "{\n```json\n", 1), ("repaired",)),
    Ok(
        "quotes in the reason",
        obj(', "reason": "the "Seoul" map, and "Busan", fine"'),
        ("repaired",),
    ),
    Ok("line break in the reason", obj(', "reason": "two\nlines"'), ("repaired",)),
    Ok("Python's words", obj(', "pass": True'), ("repaired",)),
    Ok("plus sign", obj(accuracy="+28"), ("repaired",)),
    Ok("a text", obj(accuracy='"28"'), ("coerced",)),
    Ok("a text with a unit", obj(accuracy='"28점"'), ("coerced",)),
    Ok("a unit", obj(accuracy="28 points"), ("coerced", "repaired")),
    Ok("of the maximum as text", obj(accuracy='"28/30"'), ("coerced",)),
    Ok("of the maximum", obj(accuracy="28/30"), ("coerced", "repaired")),
    Ok("a whole number with a point", obj(accuracy="28.0")),
    Ok("other case", obj().replace("exists", "Exists"), ("key_normalised",)),
    Ok("camel case", obj().replace("spatial_location", "spatialLocation"), ("key_normalised",)),
    Ok(
        "spaces and hyphens",
        obj()
        .replace("numeric_match", "numeric-match")
        .replace("geometry_validity", "geometry validity"),
        ("key_normalised",),
    ),
    Ok("one level down", f'{{"scores": {obj()}, "total_raw": 120}}', ("nested",)),
    Ok(
        "two groups",
        '{"basic": {'
        + members().split(', "spatial')[0]
        + '}, "spatial": {"spatial'
        + members().split(', "spatial')[1]
        + "}}",
        ("nested",),
    ),
    Ok("two objects", f"{obj(accuracy='3')} no: {obj()}", ("multiple_objects",)),
    Ok("a part after the whole", obj() + ' {"accuracy": 3}', ("multiple_objects",)),
    Ok("another one cut off", obj() + ' {"exists": 20, "accu', (), 120, "max_tokens"),
    Ok("cut in the reason", obj(', "reason": "The map')[:-1], ("truncated",), 120, "max_tokens"),
    Ok("cut after the comma", obj(",")[:-1], ("truncated",), 120, "max_tokens"),
    Ok("nothing exists, high marks", obj(exists="0"), ("inconsistent_exists",), 100),
    Ok("lines", _LINES, ("regex_fallback",)),
    Ok("lines after the rubric", _RULES + _LINES, ("regex_fallback",)),
    Ok(
        "lines after the rubric in English",
        "exists: 0 or 20\naccuracy: 0-30\n" + _LINES,
        ("regex_fallback",),
    ),
    Ok(
        "lines with markup",
        "- **exists** (0/20): 20\n- **accuracy**: 28/30\n- `requirement`: 24\n"
        "- Completeness = 18점\n- Spatial Location: 15\n- geometry-validity: 5\n"
        "- numeric_match: 10",
        ("regex_fallback",),
    ),
]

BAD = [
    Bad("nothing", "", "empty"),
    Bad("white space", " \n\t", "empty"),
    Bad("thinking alone", "<think>hm</think>", "empty"),
    Bad("thinking never ends", f"<think>hm {obj()}", "truncated", None, "max_tokens"),
    Bad("prose", "The map looks fine to me.", "no_json"),
    Bad("prose that is cut", "The map looks", "truncated", None, "max_tokens"),
    Bad("sees nothing", "I cannot see any image here.", "no_json"),
    Bad("rubric echoed", _RULES, "no_json"),
    Bad("lines, one twice", _LINES + "\naccuracy: 20", "no_json"),
    Bad("lines, one missing", _LINES.replace("accuracy: 28\n", ""), "no_json"),
    Bad("lines with a decimal comma", _LINES.replace("28", "25,5"), "no_json"),
    Bad("lines out of range", _LINES.replace("28", "31"), "out_of_range", "accuracy"),
    Bad("template echoed", _ECHO, "syntax", "exists"),
    Bad("list", "[20, 28, 24, 18, 15, 5, 10]", "not_an_object"),
    Bad("number", "92", "not_an_object"),
    Bad("null in a fence", "```json\nnull\n```", "not_an_object"),
    Bad("another object", '{"score": 92}', "missing", "exists"),
    Bad("two levels down", f'{{"a": {{"b": {obj()}}}}}', "missing", "exists"),
    Bad("decimal comma", obj(accuracy="25,5"), "syntax", "accuracy"),
    Bad("sum", obj(accuracy="20+5"), "syntax", "accuracy"),
    Bad("words behind a number", obj(accuracy="28 (good)"), "syntax", "accuracy"),
    Bad("leading zero", obj(accuracy="028x"), "syntax", "accuracy"),
    Bad("decimal comma one level down", f'{{"s": {obj(accuracy="25,5")}}}', "syntax", "accuracy"),
    Bad("negative", obj(accuracy="-1"), "out_of_range", "accuracy"),
    Bad("above the highest level", obj(spatial_location="20"), "out_of_range", "spatial_location"),
    Bad("thousands of digits", obj(accuracy="9" * 6000), "out_of_range", "accuracy"),
    Bad("half of exists", obj(exists="10"), "bad_level", "exists"),
    Bad("between levels", obj(geometry_validity="3"), "bad_level", "geometry_validity"),
    Bad("text between levels", obj(numeric_match='"7"'), "bad_level", "numeric_match"),
    Bad("fraction", obj(accuracy="28.5"), "non_integer", "accuracy"),
    Bad("fraction as text", obj(accuracy='"28.5"'), "non_integer", "accuracy"),
    Bad("null", obj(accuracy="null"), "not_a_number", "accuracy"),
    Bad("true", obj(exists="true"), "not_a_number", "exists"),
    Bad("NaN", obj(accuracy="NaN"), "not_a_number", "accuracy"),
    Bad("infinity", obj(accuracy="-Infinity"), "not_a_number", "accuracy"),
    Bad("word", obj(accuracy='"high"'), "not_a_number", "accuracy"),
    Bad("of another maximum", obj(accuracy='"28/100"'), "not_a_number", "accuracy"),
    Bad("decimal comma as text", obj(accuracy='"25,5"'), "not_a_number", "accuracy"),
    Bad("list for a mark", obj(accuracy="[28]"), "not_a_number", "accuracy"),
    Bad("object for a mark", obj(accuracy='{"score": 28}'), "not_a_number", "accuracy"),
    Bad("twice", obj(', "accuracy": 28'), "duplicate_key", "accuracy"),
    Bad("twice in two cases", obj(', "Accuracy": 28'), "duplicate_key", "accuracy"),
    Bad("at two depths", obj(', "more": {"accuracy": 20}'), "duplicate_key", "accuracy"),
    Bad("cut in a number", obj()[:-2], "truncated", "numeric_match", "max_tokens"),
    Bad("cut behind a number", obj()[:-1], "truncated", "numeric_match", "max_tokens"),
    Bad("never closed", obj()[:-1], "truncated", "numeric_match"),
    Bad("cut in a word", '{"exists": nul', "truncated", "exists", "max_tokens"),
    Bad("cut at a point", '{"exists": 20.', "truncated", "exists", "max_tokens"),
    Bad("cut in a key", '{"exists": 20, "accu', "truncated", "accuracy", "max_tokens"),
    Bad("cut at the first bracket", "Here it is: {", "truncated", "exists", "max_tokens"),
    Bad(
        "a whole with a fault after one without",
        f"{obj()} {obj(accuracy='31')}",
        "out_of_range",
        "accuracy",
    ),
]

REFUSALS = [
    ("I'm sorry, but I can't assist with that request.", "end_turn"),
    ("Unfortunately, I am unable to fully evaluate this image.", "end_turn"),
    ("죄송합니다만, 이 이미지는 평가할 수 없습니다.", "end_turn"),
    ("해당 이미지는 채점할 수 없습니다.", "end_turn"),
    ("很抱歉，我无法对这张图片评分。", "end_turn"),
    (obj(), "refusal"),
    ("", "content_filter"),
]


def file_cases() -> list[dict[str, Any]]:
    """The cases of ``judge_replies.jsonl``."""
    from pathlib import Path

    text = Path(__file__).with_name("judge_replies.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
