"""Replies by dialect, and what they mean: the traps that dialects set for each other.

Places are on a screen of 1000x500 pixels in the space ``pixel`` unless a case names a profile.
"""

from __future__ import annotations

from tests.answers.actions import click_cases, keyboard_cases, other_cases, scroll_cases

GROUPS = {
    **scroll_cases.GROUPS,
    **click_cases.GROUPS,
    **keyboard_cases.GROUPS,
    **other_cases.GROUPS,
}
CASES = {
    f"{group}-{case.dialect}-{case.name}": case for group, cases in GROUPS.items() for case in cases
}
