"""Actions of agents: one schema, and the dialects that models write them in, both ways."""

from screenmark.answers.actions import schema
from screenmark.answers.actions.dialect import Dialect
from screenmark.answers.actions.schema import (
    Action,
    actions_from_json,
    actions_to_json,
    pixel_at,
)
from screenmark.answers.actions.trouble import CannotWrite, Invalid
from screenmark.answers.actions.turn import (
    DIALECTS,
    Turn,
    dialect_of,
    get_dialect,
    parse_actions,
    read_tool_calls,
    read_turn,
    write_actions,
    write_tool_calls,
)

__all__ = [
    "DIALECTS",
    "Action",
    "CannotWrite",
    "Dialect",
    "Invalid",
    "Turn",
    "actions_from_json",
    "actions_to_json",
    "dialect_of",
    "get_dialect",
    "parse_actions",
    "pixel_at",
    "read_tool_calls",
    "read_turn",
    "schema",
    "write_actions",
    "write_tool_calls",
]
