"""From what a model wrote to what it means. Pure: no I/O, any text is accepted."""

from screenmark.answers.elements import parse_elements
from screenmark.answers.ending import is_refusal
from screenmark.answers.json_text import JsonText, read_json
from screenmark.answers.thinking import Stripped, strip_thinking

__all__ = [
    "JsonText",
    "Stripped",
    "is_refusal",
    "parse_elements",
    "read_json",
    "strip_thinking",
]
