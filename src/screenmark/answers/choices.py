"""Reply text to the option that the model chose.

Only a declared answer counts: a letter that is all of the reply, that stands where an answer
is announced ("the answer is", ``\\boxed{}``, "答案是"), that labels the only option repeated, or
the text of exactly one option. A letter that merely occurs in a sentence is none. Where several
are declared the last one counts; where one declaration names several, or a letter comes with
another option's text, none does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from screenmark.answers import choice_words as words
from screenmark.answers.ending import ending_of, is_refusal
from screenmark.answers.json_text import read_json
from screenmark.answers.thinking import strip_thinking
from screenmark.types import Answer, Json, Outcome

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_ANSWER_KEYS: Final = frozenset(
    {
        *("answer", "final_answer", "choice", "option", "selected_option", "selected", "letter"),
        *("correct_option", "correct_answer", "prediction", "答案", "选项", "最终答案", "选择"),
    }
)
_DEEPEST: Final = 4
_LONGEST_LINE: Final = 60
_SHORTEST_TEXT: Final = 4
_FEWEST_WORDS: Final = 3
_CLAUSE_ENDS = re.compile(r"[.,;:!?\n。、]")
_SENTENCE_ENDS = re.compile(r"[.;!?\n。]")
_CONDITION = re.compile(r"\b(?:if|unless|had)\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:not|no|never|neither|nor|wrong|incorrect|cannot|dont|doesnt|isnt|avoid|except|instead|"
    r"without|unless)\b|不|没|非|错"
)
_BRACKETED = re.compile(r"\(([A-Z])\)")
_PUNCTUATION = re.compile(r"[\W_]+")
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
_MINUS = re.compile(r"(?<![\w)])[-−–](?=\.?\d)")
_UNITS = (
    (re.compile(r"(?<=\d) ?%"), " percent "),
    (re.compile(r"\$(?=\d)"), " dollars "),
    (re.compile(r"€(?=\d)"), " euros "),
    (re.compile(r"£(?=\d)"), " pounds "),
    (re.compile(r"¥(?=\d)"), " yen "),
)
_UNIT = re.compile(r"\b(?:percent|dollars|euros|pounds|yen)\b")
_FIRST_CLAUSE = re.compile(r"[,;](?!\d)|[.:](?=\s)|\s\(")
_OTHERWISE = re.compile(r"\b(?:none|neither|nor|or|but|wait)\b")


class _Found(NamedTuple):
    """Letters declared at once, and what stands behind the first of them on its line."""

    letters: str
    text: str = ""


def parse_choice(
    text: str, options: Mapping[str, str] | None = None, *, finish_reason: str | None = None
) -> Answer:
    """The letter of the option that a reply declares.

    Args:
        text: the reply; full-width letters and Chinese forms are read as well.
        options: letter to text. Letters beyond them are no answer; without options any
            letter is one.
        finish_reason: the provider's word for how the reply ended.

    Returns:
        ``ok`` with the letter; ``unparseable`` with the reason if none is declared or more
        than one is; otherwise what the reply's end calls for.
    """
    stripped = strip_thinking(text)
    ended = ending_of(stripped, finish_reason)
    if ended is not None:
        return ended
    raw = stripped.text[-words.LONGEST_REPLY :]
    reply = words.clean(raw)
    known = {letter: _plain(said) for letter, said in (options or {}).items()}
    found = (
        _alone(reply)
        or _json(raw, known)
        or _declared(reply, known)
        or _lines(reply)
        or _labelled(reply, known)
    )
    if found is not None:
        return _decided(found, LETTERS if options is None else "".join(options), known)
    by_text = _by_text(reply, known)
    if len(by_text) == 1:
        return Answer(Outcome.OK, by_text[0], repair="option text")
    if len(by_text) > 1:
        return _unclear(f"the text of the options {', '.join(by_text)}")
    if is_refusal(reply):
        return Answer(Outcome.REFUSED, reason="policy")
    return _unclear(f"no option is declared; got {reply[:80]!r}")


def _decided(found: _Found, letters: str, known: Mapping[str, str]) -> Answer:
    letter = found.letters[0]
    if len(set(found.letters)) > 1:
        return _unclear(f"several declared at once: {', '.join(dict.fromkeys(found.letters))}")
    if letter not in letters:
        return _unclear(f"{letter} is not among the options {', '.join(letters)}")
    repeated = _repeated(found.text, letter, known)
    if repeated not in {"", letter}:
        return _unclear(f"the letter {letter} with the text of option {repeated}")
    return Answer(Outcome.OK, letter)


def _unclear(reason: str) -> Answer:
    return Answer(Outcome.UNPARSEABLE, reason=reason)


def _alone(reply: str) -> _Found | None:
    """A text that is a letter, or several, and nothing else."""
    if len(reply) > _LONGEST_LINE:
        return None
    if found := words.ALONE.fullmatch(reply):
        return _Found(found[1].upper())
    if words.SEVERAL.fullmatch(reply):
        return _Found(_capitals(reply))
    return None


def _json(text: str, known: Mapping[str, str]) -> _Found | None:
    """The letters under keys that mean the answer, in the last object that has any."""
    if "{" not in text and "｛" not in text:
        return None
    found = None
    for fields in _objects(read_json(text).values, 0):
        values = [v for k, v in fields.items() if _key(k) in _ANSWER_KEYS]
        several = [said for value in values for said in _letters_of(value, known)]
        if several:
            found = _Found("".join(said.letters for said in several), several[0].text)
    return found


def _key(name: object) -> str:
    return str(name).strip().lower().replace(" ", "_")


def _letters_of(value: Json, known: Mapping[str, str]) -> Iterator[_Found]:
    """What a field of JSON names: a letter, a letter with a text, an option's text."""
    if isinstance(value, list):
        for item in value[: len(LETTERS)]:
            if isinstance(item, str):
                yield from _letters_of(item, known)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        said = words.clean(str(value)[:1000])
        same = _same(said, known)
        found = _alone(said) or (_labelled(said, known) if "\n" not in said else None)
        if found is not None:
            yield found
        elif len(same) == 1:
            yield _Found(same[0])


def _objects(value: Json, depth: int) -> Iterator[dict[str, Json]]:
    """Every object in a value, the outer before the inner."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            if isinstance(item, dict | list):
                yield from _objects(item, depth + 1)


def _declared(reply: str, known: Mapping[str, str]) -> _Found | None:
    """The letters of the last declaration that nothing takes back."""
    last, found = -1, None
    for pattern in (words.FIRM, words.FAINT):
        position = 0
        while match := pattern.search(reply, position):
            # What turns out to be no letter may begin another announcement: "Answer: I pick B".
            position = match.start(1)
            if match.end() > last and _counts(reply, match, pattern is words.FIRM, known):
                last = match.end()
                found = _listed(reply, match[1].upper(), last, known)
    for match in words.AFTER.finditer(reply):
        asked = reply[match.end() : match.end() + 1] == "?"
        if match.end() > last and not asked and not _denied(reply, match.start()):
            last, found = match.end(), _Found(_capitals(match[1]))
    return found


def _listed(reply: str, letter: str, position: int, known: Mapping[str, str]) -> _Found:
    """A letter that was declared, with its text or with the letters that follow it."""
    text = _line_from(reply, position)
    if _repeated(text, letter, known):
        return _Found(letter, text)
    letters = letter
    while more := words.MORE.match(reply, position):
        letters += more[1] or more[2] or more[3]
        position = more.end()
    return _Found(letters.upper(), text)


def _capitals(text: str) -> str:
    return "".join(re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", text))


def _counts(reply: str, match: re.Match[str], firm: bool, known: Mapping[str, str]) -> bool:
    """Whether an announcement with a letter declares that letter."""
    letter, end = match[1], match.end()
    if _denied(reply, match.start()):
        return False
    if "would" in match[0].lower() and "answer" in match[0].lower():
        sentence = reply[max(0, match.start() - 200) : match.start()]
        if _CONDITION.search(_SENTENCE_ENDS.split(sentence)[-1]):
            return False
    if letter.islower() and not (firm or ":" in match[0] or match[0].lower().startswith("ans")):
        return False  # "so a"
    if _repeated(_line_from(reply, end), letter.upper(), known):
        return True
    if words.DENIED.match(reply, end):
        return False
    if letter.islower() and re.match(r"\s\(", reply[end : end + 2]):
        return False  # "a (red) button"
    if not firm and reply[end : end + 1] == "?":
        return False
    return (words.FOLLOWED if firm else words.ENDED).match(reply, end) is not None


def _denied(reply: str, position: int) -> bool:
    """Whether what stands before an announcement makes it none."""
    before = reply[max(0, position - 200) : position]
    sentence = words.TURN.split(_SENTENCE_ENDS.split(before)[-1])[-1]
    if words.SUPPOSED.search(sentence):
        return True
    if _CLAUSE_ENDS.match(reply, position):
        return False  # "A? No, I pick B": the announcement begins with the comma
    clause = _CLAUSE_ENDS.split(before[-60:])[-1]
    return bool(words.NEGATED.search(clause) or words.IMAGINED.search(clause))


def _line_from(reply: str, position: int) -> str:
    return reply[position : position + 400].partition("\n")[0]


def _lines(reply: str) -> _Found | None:
    """A letter that has the first or the last line for itself."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if not lines:
        return None
    found = [_alone(line) for line in (lines[0], lines[-1])]
    letters = "".join(line.letters for line in found if line is not None)
    return _Found(letters) if letters else None


def _labelled(reply: str, known: Mapping[str, str]) -> _Found | None:
    """The letter before the only option that the reply repeats."""
    labels: dict[str, str] = {}
    first, last = 0, reply.rfind("\n") + 1
    for match in words.LABEL.finditer(reply):
        number = next(n for n in (1, 2, 3, 4) if match[n])
        letter, text = match[number].upper(), match[5]
        repeated = _repeated(text, letter, known)
        at_the_edge = match.start() in {first, last}
        denied = words.DENIED.match(reply, match.end(number)) is not None
        if repeated or (number != 4 and at_the_edge and not denied) or len(labels) > 0:
            labels[letter] = text
        elif number != 4 and known.get(letter):
            labels[letter] = text if denied else ""
    if not labels:
        return None
    (letter, text), *_ = labels.items()
    other = words.ALONE.fullmatch(text)
    if other and _plain(text) != known.get(letter):
        return _Found("".join(labels) + other[1].upper(), text)  # "A: C"
    if words.LABEL_INSIDE.search(text):
        return _Found("".join(labels) + "?")  # "a) no b) yes"
    return _Found("".join(labels), text)


def _by_text(reply: str, known: Mapping[str, str]) -> list[str]:
    """Options whose text the reply or one of its outer lines is, or else that it mentions."""
    lines = reply.splitlines() or [""]
    announced = [
        match[1]
        for pattern in (words.BOXED_TEXT, words.TEXT)
        for match in [*pattern.finditer(reply)][-1:]
    ]
    for text in (reply, *announced, lines[-1], lines[0]):
        if same := _same(text, known):
            return same
    for text in announced:
        if letter := _first_clause(text, known):
            return [letter]
    return _mentioned(reply, known)


def _same(said: str, known: Mapping[str, str]) -> list[str]:
    """Options whose text is ``said``, its unit left out if nothing else has that number."""
    if behind := words.WITH_LETTER.fullmatch(said):  # "4 (B)"
        return [behind[2]] if known.get(behind[2]) == _plain(behind[1]) else []
    said = _plain(said)
    if not said:
        return []
    return [letter for letter, text in known.items() if text == said] or [
        letter for letter, text in known.items() if _UNIT.sub("", text).strip() == said
    ]


def _first_clause(said: str, known: Mapping[str, str]) -> str:
    """The option whose text an announced answer begins with: "No, it isn't"."""
    end = _FIRST_CLAUSE.search(said)
    same = _same(said[: end.start()], known) if end else []
    if end is None or len(same) != 1:
        return ""
    if set(_BRACKETED.findall(said)) - set(same):
        return ""
    rest = f" {_plain(said[end.start() :])} "
    others = (text for letter, text in known.items() if text and letter != same[0])
    if _OTHERWISE.search(rest) or any(f" {text} " in rest for text in others):
        return ""
    return same[0]


def _mentioned(reply: str, known: Mapping[str, str]) -> list[str]:
    """Options whose text stands in a reply that denies and asks nothing."""
    if reply.endswith("?"):
        return []
    said = f" {_plain(reply)} "
    # A short text, such as "Not sure", occurs in sentences that mean something else.
    inside = {
        letter: text
        for letter, text in known.items()
        if len(text.split()) >= _FEWEST_WORDS and f" {text} " in said
    }
    longest = {
        letter: text
        for letter, text in inside.items()
        if not any(text != other and f" {text} " in f" {other} " for other in inside.values())
    }
    if len(longest) == 1:
        (letter, text), *_ = longest.items()
        besides = said.replace(f" {text} ", " ")
        # "Scroll down and click the red button" is two of them.
        longest |= {
            other: text
            for other, text in known.items()
            if len(text.split()) > 1 and f" {text} " in besides
        }
        if _DENIAL.search(besides) or set(_BRACKETED.findall(reply)) - {letter}:
            return []
    return list(longest)


def _repeated(said: str, letter: str, known: Mapping[str, str]) -> str:
    """The option whose text ``said`` begins with, ``letter`` where that is one of them, or ""."""
    said = _plain(said)
    fitting = {
        other: text
        for other, text in known.items()
        if text
        and (said == text or (len(text) >= _SHORTEST_TEXT and f"{said} ".startswith(f"{text} ")))
    }
    if not fitting:
        return ""
    most = max(map(len, fitting.values()))
    best = [other for other, text in fitting.items() if len(text) == most]
    return letter if letter in best else best[0]


def _plain(text: str) -> str:
    """Lower case words without punctuation; Chinese characters stay in one word.

    What changes the meaning stays as words: n't, the sign of a number, its unit.
    """
    text = _MINUS.sub(" minus ", _NOT.sub(" not ", words.simple(text)))
    for pattern, word in _UNITS:
        text = pattern.sub(word, text)
    return _PUNCTUATION.sub(" ", text.casefold()).strip()
