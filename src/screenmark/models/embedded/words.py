"""Words of instructions, questions and screens, and how alike two of them are."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

from screenmark.models.embedded.lexicon import CONCEPTS, STOP_WORDS

_WORD = re.compile(r"[一-鿿]+|[^\W_]+(?:'[^\W_]+)?")
_IDEOGRAPHS = re.compile(r"[一-鿿]")
# Longest text that is compared letter by letter; page text beyond it is searched for words only.
_LONGEST = 120
_CONFUSED = str.maketrans("i10", "llo")
_LATIN = "0-9A-Za-zÀ-ɏ"


def normal(text: str) -> str:
    """One form for full and half width, capitals, spaces, and the dots of an ellipsis."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".:… ")


def letters(text: str) -> str:
    """Letters and digits only, and what recognition confuses as one: I and l and 1, O and 0.

    Recognised text also has spaces and signs too many or too few.
    """
    return "".join(char for char in normal(text) if char.isalnum()).translate(_CONFUSED)


@lru_cache(maxsize=4096)
def tokens(text: str) -> frozenset[str]:
    """Stems of the content words; ideographs in pairs, as there are no spaces between words."""
    found: set[str] = set()
    for word in _WORD.findall(normal(text)):
        if not _IDEOGRAPHS.match(word):
            if word not in STOP_WORDS:
                found.add(stem(word))
        elif len(word) == 1:
            found.add(word)
        else:
            found.update(word[i : i + 2] for i in range(len(word) - 1))
    return frozenset(found - STOP_WORDS)


def stem(word: str) -> str:
    """A word without the endings of plural, past and progressive."""
    word = word.removesuffix("'s")
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            short = word[: -len(ending)]
            return short + "y" if ending == "ies" else short.rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


@lru_cache(maxsize=4096)
def concepts(text: str) -> frozenset[str]:
    """Names of the `CONCEPTS` that a text mentions in any of their phrasings."""
    plain = normal(text)
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(plain))


def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    parts = []
    for phrase in phrases:
        escaped = re.escape(phrase).replace("\\*", r"\w*")
        parts.append(escaped if _IDEOGRAPHS.search(phrase) else rf"(?<!\w){escaped}(?!\w)")
    return re.compile("|".join(parts))


_PATTERNS = {name: _pattern(phrases) for name, phrases in CONCEPTS.items()}


@lru_cache(maxsize=16384)
def likeness(wanted: str, text: str) -> float:
    """How well a whole text is the wanted one, 0 to 1; 1 if only signs and spaces differ."""
    a, b = letters(wanted), letters(text)
    if not a or not b:
        return float(normal(wanted) == normal(text) != "")
    if a == b:
        return 1.0
    if max(len(a), len(b)) > _LONGEST or min(len(a), len(b)) < 0.4 * max(len(a), len(b)):
        return 0.0
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


@lru_cache(maxsize=16384)
def part(wanted: str, text: str) -> tuple[int, int] | None:
    """Where `wanted` stands in `text` as whole words, as indices into `text`; None if nowhere."""
    words = [re.escape(word) for word in re.findall(r"[一-鿿]|[^\W_]+", wanted)]
    if not words:
        words = [re.escape(wanted.strip())] if wanted.strip() else []
    if not words:
        return None
    middle = r"[\W_]*".join(words)
    edge = not _IDEOGRAPHS.search(wanted)
    # Ideographs may follow or precede a number or a Latin word without a space.
    pattern = rf"(?<![{_LATIN}])(?:{middle})(?![{_LATIN}])" if edge else middle
    found = re.search(pattern, text, re.IGNORECASE)
    return found.span() if found else None


def coverage(wanted: str, text: str) -> float:
    """The share of the content words of `wanted` that stand in `text`, 0 to 1."""
    need = tokens(wanted)
    return len(need & tokens(text)) / len(need) if need else 0.0


def width_of(text: str) -> float:
    """Width of a text in font sizes: about one for an ideograph and half of one otherwise."""
    return sum(1.0 if _IDEOGRAPHS.match(char) else 0.5 for char in text)
