"""Reply text to the option that the model chose.

Only a declared answer counts: a letter that is all of the reply, that stands where an answer
is announced ("the answer is", ``\\boxed{}``, "答案是"), that labels the only option repeated, or
the text of exactly one option. A letter that merely occurs in a sentence is none. Where several
are declared the last one counts; where one declaration names several, none does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final

from screenmark.answers.ending import ending_of, is_refusal
from screenmark.answers.json_text import read_json
from screenmark.answers.thinking import strip_thinking
from screenmark.types import Answer, Outcome

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LONGEST_REPLY: Final = 100_000
"""Of a longer reply only so many characters at its end are read."""

_ANSWER_KEYS: Final = (
    *("answer", "final_answer", "choice", "option", "selected_option", "selected", "letter"),
    *("correct_option", "correct_answer", "prediction", "答案", "选项", "最终答案", "选择"),
)
# A letter on its own, in any brackets and emphasis. A small letter has to have brackets or an
# end after it, and so has the article "A", or else "a dashboard" would be an answer.
_DECOR = r"[\s\"'`*_$\[({<（【「“‘]{0,8}"
_TEXT_MACRO = r"(?:\\(?:text|mathrm|mathbf|textbf)\s?\{\s?)?"
_WORD = r"(?:(?:option|choice|letter|选项)\s{0,3})?"
_END = r"(?=$|[\s\"'`*_$\])}>）】」”’]{0,8}(?:$|[\n.,;:!?<\-–—/&|。，、；：！？)）\]】}\"'*]))"
_BECAUSE = r"(?=\s(?:because|since|as|is|due|for|based|given|with|which|here|and|or|因为)\b)"
_HANZI = r"(?=[一-鿿])"
_BEFORE = rf"{_DECOR}{_TEXT_MACRO}{_WORD}{_DECOR}"
_LETTER = (
    rf"{_BEFORE}(?:(?-i:([B-Z]))(?:{_END}|(?=\s)|{_HANZI})|([A-Z])(?:{_END}|{_BECAUSE}|{_HANZI}))"
)
_LAST_LETTER = rf"{_BEFORE}([A-Z])(?:{_END}|{_BECAUSE}|{_HANZI})(?! is\b)"
_VERB = r"(?:is|are|was|should be|must be|would be|will be|:|=|-|–|—|→|->|=>|：|is:|as)"
_DECLARED = re.compile(
    r"(?:"
    r"\\boxed\s?\{"
    r"|<answer>|<choice>|<option>"
    r"|\b(?:answer(?: here| to this question| would)?[\s*_\"'`]{0,6}"
    rf"(?:{_VERB}[\s*_]{{0,4}}){{0,2}}"
    r"|(?:choice|option|selection|one)(?: here| would)?[\s*_\"'`]{0,6}"
    rf"(?:{_VERB}[\s*_]{{0,4}}){{1,2}})"
    r"(?:therefore |thus |clearly |indeed |likely |probably )?"
    r"|\bfinal(?: answer)?[\s*_]{0,4}[:：]"
    r"|\b(?:i|we)(?:'d| would| will|'ll| have to| must| should)? ?(?:pick|choose|select|chose|"
    r"selected|picked|go with|going with|opt for|answer|say|vote for)\b"
    r"|(?:最终|正确|最佳)?(?:的)?(?:答案|选项|选择|答|而)(?:应该|应当|应|就)?(?:是|为|选|[:：]){0,2}"
    r"|(?:应该|应当|应|故|因此|所以|我)?选(?:择|了|取)?(?:[:：])?"
    r")"
    + _LETTER
    + r"|\b(?:(?:so|thus|hence|therefore|conclusion)[,:]? ?(?:it is|it's|it must be)?"
    r"|(?:it|this|that|which)(?: must be| should be| would be| has to be| is|'s))" + _LAST_LETTER,
    re.IGNORECASE,
)
# "B is correct", "选项C是正确的"
_AFTERWARDS = re.compile(
    r"(?<![\w'])(?:option |choice |选项\s?)?[(\[\"'*]{0,4}([A-Z])[)\]\"'*]{0,4}"
    r"(?: is| would be| must be| should be| seems| appears to be)(?: the)?(?: most| only| best)?"
    r"(?: correct| right| best| appropriate| accurate| answer| choice| option)"
    r"|选项?\s?([A-Z])\s?(?:是|才是|最)?(?:正确|对的|合适|符合)",
)
_MORE = re.compile(
    r"[\s\"'*)\]}）】]{0,6}(?:,|/|&|\bor\b|\band\b|，|、|或者?|和|及)[\s\"'*(\[（【]{0,6}([A-Z])"
    r"(?![\w'])"
)
_NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|不是|不选|非|并非|不应|不该|别)\s{0,3}$", re.IGNORECASE
)
_ALONE = re.compile(
    rf"{_DECOR}{_TEXT_MACRO}(?:(?:option|choice|选项|选)\s{{0,3}})?{_DECOR}([A-Za-z])"
    r"[\s\"'`*_$\])}>）】」”’.,:;!。：，]{0,8}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t>*_\-•\"'`(（\[【]{0,8}(?:option |选项\s?)?([A-Z])[\"'`*_]{0,4}"
    r"[.．):：）\]】、][\"'`*_]{0,4}(?=\s|$|[^\w\s])(?![a-zA-Z]\.)[ \t]{0,4}([^\n]{0,400})",
    re.MULTILINE,
)
_PUNCTUATION = re.compile(r"[\W_]+")


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
    reply = unicodedata.normalize("NFKC", stripped.text[-LONGEST_REPLY:]).strip()
    letters = LETTERS if options is None else "".join(options)
    for read in (_alone, _json, _declared, _lines, _labelled):
        found = read(reply)
        if found:
            return _decided(found, letters, options, reply)
    by_text = _by_text(reply, options or {})
    if len(by_text) == 1:
        return Answer(Outcome.OK, by_text[0], repair="option text")
    if len(by_text) > 1:
        return _unclear(f"the text of the options {', '.join(by_text)}")
    if is_refusal(reply):
        return Answer(Outcome.REFUSED, reason="policy")
    return _unclear(f"no option is declared; got {reply[:80]!r}")


def _decided(found: str, letters: str, options: Mapping[str, str] | None, reply: str) -> Answer:
    if len(set(found)) > 1:
        return _unclear(f"{', '.join(dict.fromkeys(found))} declared at once")
    letter = found[0]
    if letter not in letters:
        return _unclear(f"{letter} is not among the options {', '.join(letters)}")
    contradicted = _other_text(reply, letter, options or {})
    if contradicted:
        return _unclear(f"the letter {letter} with the text of option {contradicted}")
    return Answer(Outcome.OK, letter)


def _unclear(reason: str) -> Answer:
    return Answer(Outcome.UNPARSEABLE, reason=reason)


def _alone(reply: str) -> str:
    """A reply that is a letter and nothing else."""
    found = _ALONE.fullmatch(reply) if len(reply) <= 60 else None
    return found[1].upper() if found else ""


def _json(reply: str) -> str:
    """The value under a key that means the answer, in the last object that has one."""
    if "{" not in reply:
        return ""
    found = ""
    for item in _objects(read_json(reply).values):
        fields = {str(key).strip().lower().replace(" ", "_"): v for key, v in item.items()}
        for key in _ANSWER_KEYS:
            value = fields.get(key)
            if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
                letters = [_letter_of(v) for v in value]
                found = "".join(letters) or found
                break
            if isinstance(value, str):
                found = _letter_of(value) or found
                break
    return found


def _letter_of(value: str) -> str:
    value = value.strip()
    return _alone(value) or (_labelled(value) if "\n" not in value else "")


def _objects(values: Iterable[Any]) -> Iterable[dict[Any, Any]]:
    for value in values:
        if isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, dict))


def _declared(reply: str) -> str:
    """The letters of the last declaration that is not negated."""
    found = ""
    for match in _DECLARED.finditer(reply):
        if not _NEGATED.search(reply, max(0, match.start() - 8), match.start()):
            letter = match[1] or match[2] or match[3]
            found = _with_more(reply, letter.upper(), match.end())
    if not found:
        for match in _AFTERWARDS.finditer(reply):
            found = (match[1] or match[2]).upper()
    return found


def _with_more(reply: str, letters: str, position: int) -> str:
    """Further letters that follow in one list, as in "B or C"."""
    while more := _MORE.match(reply, position):
        letters, position = letters + more[1], more.end()
    return letters


def _lines(reply: str) -> str:
    """A letter that has the last line, or else the first one, for itself; or a list of them."""
    lines = [line for line in reply.splitlines() if line.strip()]
    for line in dict.fromkeys((lines[-1], lines[0])):
        if len(line) > 60:
            continue
        found = _ALONE.fullmatch(line)
        if found:
            return found[1].upper()
        several = re.match(rf"{_DECOR}([A-Z])(?![\w'])", line)
        if several and (letters := _with_more(line, several[1], several.end())) != several[1]:
            return letters
    return ""


def _labelled(reply: str) -> str:
    """The letters before option texts that the reply repeats."""
    return "".join(dict.fromkeys(match[1] for match in _LABEL.finditer(reply)))


def _by_text(reply: str, options: Mapping[str, str]) -> list[str]:
    """Options whose text is the reply, or else is in it and not in another option that is."""
    said = _plain(reply)
    texts = {letter: _plain(text) for letter, text in options.items()}
    same = [letter for letter, text in texts.items() if text and text == said]
    if same:
        return same
    inside = {
        letter: text
        for letter, text in texts.items()
        # A short text, such as "No", occurs in sentences that mean something else.
        if len(text) >= 4 and f" {text} " in f" {said} "
    }
    return [
        letter
        for letter, text in inside.items()
        if not any(text != other and f" {text} " in f" {other} " for other in inside.values())
    ]


def _other_text(reply: str, letter: str, options: Mapping[str, str]) -> str:
    """Another option whose text stands behind the letter, or ""."""
    labelled = {match[1]: _plain(match[2]) for match in _LABEL.finditer(reply)}
    said = labelled.get(letter)
    if len(labelled) != 1 or not said or letter not in options or said == _plain(options[letter]):
        return ""
    return next((other for other, text in options.items() if _plain(text) == said), "")


def _plain(text: str) -> str:
    """Lower case words without punctuation; Chinese characters stay in one word."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _PUNCTUATION.sub(" ", folded).strip()
