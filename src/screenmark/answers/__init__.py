"""From what a model wrote to what it means. Pure: no I/O, any text is accepted."""

from screenmark.answers.choices import parse_choice
from screenmark.answers.elements import parse_elements
from screenmark.answers.ending import is_refusal
from screenmark.answers.json_text import JsonText, read_json
from screenmark.answers.points import parse_box, parse_point
from screenmark.answers.profiles import (
    Profile,
    ProfileError,
    get_profile,
    profile_of_model,
    profiles,
    read_profiles,
)
from screenmark.answers.rubric import judge_reply, parse_rubric
from screenmark.answers.thinking import Stripped, strip_thinking

__all__ = [
    "JsonText",
    "Profile",
    "ProfileError",
    "Stripped",
    "get_profile",
    "is_refusal",
    "judge_reply",
    "parse_box",
    "parse_choice",
    "parse_elements",
    "parse_point",
    "parse_rubric",
    "profile_of_model",
    "profiles",
    "read_json",
    "read_profiles",
    "strip_thinking",
]
