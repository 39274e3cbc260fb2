from typing import Any

import pytest

from screenmark.message_rows import Line, messages_of, rows_of
from screenmark.types import Image, Message, Text

MESSAGES = (
    Message("system", (Text("be brief"),)),
    Message("user", (Image("a.png"), Text("where?"))),
)


def test_there_and_back() -> None:
    rows = rows_of(MESSAGES)
    assert rows == [
        {"role": "system", "type": "text", "value": "be brief"},
        {"role": "user", "type": "image", "value": "a.png"},
        {"role": "user", "type": "text", "value": "where?"},
    ]
    assert messages_of(rows) == MESSAGES


def test_role_defaults_to_user_and_file_addresses_are_paths() -> None:
    assert messages_of([{"type": "image", "value": "file:///x/a.png"}]) == (
        Message("user", (Image("/x/a.png"),)),
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (None, "expected a list of rows with role, type and value, found nothing"),
        ([], "expected a list of rows"),
        ("text", "found str 'text'"),
        ([3], "row 0: expected an object, found int '3'"),
        ([{"type": "text", "value": "a"}, {"type": "video", "value": "b"}], "row 1: type is 'vid"),
        ([{"role": "robot", "type": "text", "value": "a"}], "row 0: role is 'robot'"),
        ([{"type": "text", "value": None}], "row 0: value is nothing, expected a text"),
    ],
    ids=["none", "empty", "text", "number", "type", "role", "value"],
)
def test_what_is_no_list_of_rows(rows: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        messages_of(rows)


def test_line() -> None:
    line = Line({"instruction": "click"})
    assert line["instruction"] == line.instruction == line.get("instruction") == "click"
    with pytest.raises(AttributeError, match="a line has no 'bbox'; it has instruction"):
        _ = line.bbox
