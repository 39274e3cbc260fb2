"""Different words for the same thing, as applications and their users have them.

Common interface language, English and Chinese; no page's own names. `lexicon.txt` has a line for
each meaning, `stop_words.txt` the words without one.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def _read_meanings(text: str) -> dict[str, tuple[str, ...]]:
    meanings = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, phrases = line.partition(":")
            split = (phrase.strip() for phrase in phrases.replace("|", ",").split(","))
            meanings[name.strip()] = tuple(phrase for phrase in split if phrase)
    return meanings


CONCEPTS = _read_meanings((_HERE / "lexicon.txt").read_text(encoding="utf-8"))
"""Phrases, in lower case, by the name of what they all mean; ``*`` is any ending of a word."""

STOP_WORDS = frozenset((_HERE / "stop_words.txt").read_text(encoding="utf-8").split())
"""Words that say nothing about which element is meant."""
