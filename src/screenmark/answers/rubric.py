"""A judge's reply to the marks of GIS-Bench's rubric: seven criteria, 130 points.

Strict on purpose. A mark out of its range, between its levels, missing, doubled or not a whole
number makes the reply invalid: it is to be asked for again, and is never clamped, completed or
counted as zero. Totals are computed from the parts; the judge's own are looked at only to say
whether they agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from screenmark.answers.ending import LONGEST_REFUSAL, is_refusal, was_cut_off, was_withheld
from screenmark.answers.rubric_text import Value, Written, written_objects
from screenmark.answers.thinking import strip_thinking
from screenmark.types import Answer, Json, Outcome

MOST: Final = 130
PASS_FROM: Final = 60
"""Normalised score from which an output passes."""

RANGES: Final[Mapping[str, tuple[int, ...]]] = {
    "exists": (0, 20),
    "accuracy": tuple(range(31)),
    "requirement": tuple(range(31)),
    "completeness": tuple(range(21)),
    "spatial_location": (0, 8, 15),
    "geometry_validity": (0, 2, 5),
    "numeric_match": (0, 5, 10),
}
"""Every mark that a criterion may get, in the order of the rubric."""

CRITERIA: Final = tuple(RANGES)
LEVELS: Final = tuple(name for name, marks in RANGES.items() if len(marks) <= 3)
"""Criteria with two or three levels and nothing between them."""

_OTHERS: Final = ("total_raw", "total_normalized", "pass", "reason")
_KEYS: Final = {name.replace("_", ""): name for name in (*CRITERIA, *_OTHERS)}
_SEPARATORS = re.compile(r"[\s_\-.]+")
_FENCE = re.compile(r"\A```\w*+")
_MARKUP = "*_`\"' "
_WRITTEN = re.compile(
    r"(?P<number>[+-]?\d{1,18}(?:\.\d{1,18})?)(?:\s*/\s*(?P<whole>\d{1,6}))?"
    r"\s*(?:점|点|分|points?|pts?\.?)?",
    re.IGNORECASE,
)
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_HIGH: Final = (MOST - 20) // 2
_DECLINES = re.compile(
    r"(?:i'm |i am )?(?:very |so )?(?:sorry|apologi[sz]e|unfortunately)?[\s,.]*(?:but )?"
    r"i ?(?:can(?:no|')t|can not|won't|will not|(?:am|'m) (?:not able|unable) to|"
    r"(?:must|have to) decline to) "
    r"(?:\w+ ){0,2}?(?:evaluate|score|grade|judge|rate|assess|review)\b",
    re.IGNORECASE,
)
_DECLINES_ANYWHERE = re.compile(
    r"(?:죄송|미안|유감)[^.\n]{0,60}(?:평가|채점|판단|응답|도와)[^.\n]{0,30}(?:없|않|어렵|불가)"
    r"|(?:평가|채점)(?:할|해\s?드릴|하여\s?드릴)\s?수\s?없습니다"
    r"|(?:抱歉|对不起|很遗憾)[^。\n]{0,30}(?:无法|不能)[^。\n]{0,20}(?:评估|评分|打分|评价)"
)

Status = Literal["ok", "invalid", "refusal"]
Error = Literal[
    "out_of_range",
    "bad_level",
    "not_a_number",
    "non_integer",
    "missing",
    "duplicate_key",
    "not_an_object",
    "truncated",
    "syntax",
    "no_json",
    "empty",
]


class Verdict(msgspec.Struct, frozen=True):
    """What a judge's reply comes to.

    Attributes:
        status: ``ok``, ``invalid`` (to be asked for again) or ``refusal``.
        scores: the mark of each criterion; None unless ``ok``.
        total_raw, total_normalized, passed: computed from the marks, out of 130, rounded out of
            100, and whether that is at least 60.
        flags: what was unusual and still unambiguous, sorted.
        error: what makes the reply invalid.
        field: the criterion at fault, where it is one.
        reason: the judge's own words; of a reply that is not ``ok``, what is wrong with it.
        said: the judge's own totals and verdict as it wrote them, for audit only.
    """

    status: Status
    scores: dict[str, int] | None = None
    total_raw: int | None = None
    total_normalized: int | None = None
    passed: bool | None = None
    flags: tuple[str, ...] = ()
    error: Error | None = None
    field: str | None = None
    reason: str | None = None
    said: dict[str, Json] = {}


class _Invalid(Exception):
    def __init__(self, error: Error, field: str | None, reason: str) -> None:
        self.verdict = Verdict("invalid", error=error, field=field, reason=reason)


class _Member(NamedTuple):
    value: Value
    nested: bool
    renamed: bool


class _Candidate(NamedTuple):
    """An object that holds criteria, and its members by their names in the rubric."""

    whole: Written
    members: dict[str, list[_Member]]

    @property
    def is_rubric(self) -> bool:
        """Whether there is a criterion in it, be it the one that it breaks off at."""
        return (
            bool(self.members.keys() & RANGES.keys())
            or _name(self.whole.last_key or "")[0] in RANGES
        )

    @property
    def is_template(self) -> bool:
        """Whether most of its marks are no numbers: the form of the answer, echoed."""
        marks = [found[0].value for name, found in self.members.items() if name in RANGES]
        words = [v for v in marks if v.kind == "text" and not _WRITTEN.fullmatch(v.text.strip())]
        return 2 * len(words) > len(marks)

    @property
    def is_complete(self) -> bool:
        return all(name in self.members for name in CRITERIA)


def normalised(total_raw: float) -> int:
    """A total out of 130 as whole points out of 100."""
    return round(total_raw / MOST * 100)


LONGEST: Final = 1_000_000
"""Characters of a reply, thinking included; a longer one is not read, which would take long."""


def judge_reply(text: str, stop_reason: str | None = None) -> Verdict:
    """Read a judge's reply. Never raises, and takes time linear in the text's length.

    Args:
        text: the reply as received.
        stop_reason: the provider's word for why it ended (``end_turn``, ``max_tokens``,
            ``refusal``, ``stop``, ``length``…), or None.
    """
    if was_withheld(stop_reason):
        return Verdict("refusal", reason="the provider reports a refusal")
    if len(text) > LONGEST:
        reason = f"the reply has {len(text):,} characters, more than {LONGEST:,}"
        return Verdict("invalid", error="syntax", reason=reason)
    stripped = strip_thinking(text)
    if not stripped.closed:
        reason = "the reply ends within its thinking"
        return Verdict("invalid", error="truncated", reason=reason)
    try:
        return _read(_unquoted(stripped.text), stop_reason)
    except _Invalid as found:
        return found.verdict


def parse_rubric(text: str, *, stop_reason: str | None = None) -> Answer:
    """A judge's reply as an answer whose value is the verdict as plain JSON.

    The outcome is ``ok``, ``refused``, ``truncated``, ``empty`` or ``unparseable``.
    """
    return answer_of(judge_reply(text, stop_reason))


def answer_of(verdict: Verdict) -> Answer:
    """A verdict as an answer."""
    plain: dict[str, Json] = msgspec.to_builtins(verdict)
    plain["pass"] = plain.pop("passed")
    plain["flags"] = list(verdict.flags)
    if verdict.status == "ok":
        return Answer(Outcome.OK, plain, repair=", ".join(verdict.flags) or None)
    if verdict.status == "refusal":
        return Answer(Outcome.REFUSED, plain, reason="policy")
    outcomes = {"truncated": Outcome.TRUNCATED, "empty": Outcome.EMPTY}
    outcome = outcomes.get(verdict.error or "", Outcome.UNPARSEABLE)
    return Answer(outcome, plain, reason=verdict.reason)


def _unquoted(text: str) -> str:
    """The text that a reply is which was written as one JSON string."""
    text = text.strip().removeprefix("\ufeff")
    if text.startswith('"') and text.endswith('"') and "{" in text:
        try:
            inner = json.loads(text)
        except ValueError:
            return text
        return inner if isinstance(inner, str) else text
    return text


def _read(text: str, stop_reason: str | None) -> Verdict:
    if not text:
        raise _Invalid("empty", None, "the reply holds no text")
    objects = written_objects(text)
    candidates = [c for c in map(_candidate, objects) if c.is_rubric]
    closed = [c for c in candidates if c.whole.state == "closed"]
    closed = [c for c in closed if not c.is_template] or closed
    for candidate in reversed(closed):
        if candidate.is_complete:
            flags = {"multiple_objects"} if len(closed) > 1 else set()
            return _verdict(candidate, text, flags)
    for candidate in reversed(candidates):
        if candidate.whole.state == "cut":
            return _cut_off(candidate, text)
    if closed:
        return _verdict(closed[-1], text, set())
    if candidates:
        raise _syntax(candidates[-1].whole)
    return _without_object(text, objects, stop_reason)


def _candidate(whole: Written) -> _Candidate:
    """An object's members, and those of objects directly in it, by their names in the rubric."""
    members: dict[str, list[_Member]] = {}
    for key, value in whole.members:
        name, renamed = _name(key)
        if name is not None:
            members.setdefault(name, []).append(_Member(value, False, renamed))
        elif value.child is not None:
            for inner_key, inner in value.child.members:
                inner_name, renamed = _name(inner_key)
                if inner_name is not None:
                    members.setdefault(inner_name, []).append(_Member(inner, True, renamed))
    return _Candidate(whole, members)


def _name(key: str) -> tuple[str | None, bool]:
    """A key's name in the rubric, and whether it was written in another way."""
    name = _KEYS.get(_SEPARATORS.sub("", key).lower())
    return name, name is not None and name != key


def _cut_off(candidate: _Candidate, text: str) -> Verdict:
    missing = next((name for name in CRITERIA if name not in candidate.members), None)
    if missing is not None:
        raise _Invalid("truncated", missing, f"the reply is cut off before {missing} is complete")
    return _verdict(candidate, text, {"truncated"})


def _syntax(whole: Written) -> _Invalid:
    key = whole.last_key or ""
    return _Invalid("syntax", _name(key)[0], f"the JSON is broken at {key!r}")


def _verdict(candidate: _Candidate, text: str, flags: set[str]) -> Verdict:
    scores: dict[str, int] = {}
    for name in CRITERIA:
        members = candidate.members.get(name, [])
        if not members:
            raise _Invalid("missing", name, f"{name} is missing")
        if len(members) > 1:
            raise _Invalid("duplicate_key", name, f"{name} is there {len(members)} times")
        scores[name], coerced = _mark(name, members[0].value)
        if coerced:
            flags.add("coerced")
    everything = [member for found in candidate.members.values() for member in found]
    criteria = [member for name in CRITERIA for member in candidate.members[name]]
    if any(member.nested for member in criteria):
        flags.add("nested")
    if any(member.renamed for member in everything):
        flags.add("key_normalised")
    if "truncated" not in flags and not _is_strict(
        text[candidate.whole.start : candidate.whole.end]
    ):
        flags.add("repaired")
    said = {n: _said(found[-1].value) for n, found in candidate.members.items() if n in _OTHERS}
    return verdict_of(scores, flags, said)


def verdict_of(scores: dict[str, int], flags: set[str], said: dict[str, Json]) -> Verdict:
    """The verdict on valid marks; ``said`` is what the judge says of the whole."""
    raw = sum(scores.values())
    points = normalised(raw)
    passed = points >= PASS_FROM
    flags = set(flags)
    totals = {"total_raw": raw, "total_normalized": points}
    if any(said.get(name) not in {None, total} for name, total in totals.items()):
        flags.add("total_mismatch")
    if said.get("pass") not in {None, passed}:
        flags.add("pass_mismatch")
    if not scores["exists"] and raw >= _HIGH:
        flags.add("inconsistent_exists")
    reason = said.get("reason")
    return Verdict(
        status="ok",
        scores=scores,
        total_raw=raw,
        total_normalized=points,
        passed=passed,
        flags=tuple(sorted(flags)),
        reason=reason if isinstance(reason, str) else None,
        said={name: value for name, value in said.items() if name != "reason"},
    )


def _mark(name: str, value: Value) -> tuple[int, bool]:
    """A criterion's mark, and whether it was written as something else than a whole number."""
    found = None
    if value.kind in {"number", "text"}:
        written = value.text.strip()
        if value.kind == "number":
            written += f"/{value.whole}" if value.whole is not None else ""
        found = _WRITTEN.fullmatch(written)
    if found is None:
        if value.kind == "number" and value.text.lstrip("+-").isdecimal():
            raise _out_of_range(name, value.text[:20] + "…")
        raise _Invalid("not_a_number", name, f"{name} is {_shown(value)}, no number")
    if found["whole"] is not None and int(found["whole"]) != RANGES[name][-1]:
        raise _Invalid(
            "not_a_number", name, f"{name} is {_shown(value)}, but at most {RANGES[name][-1]}"
        )
    number = float(found["number"])
    if number != int(number):
        raise _Invalid("non_integer", name, f"{name} is {found['number']}, not a whole number")
    mark = int(number)
    if not 0 <= mark <= RANGES[name][-1]:
        raise _out_of_range(name, found["number"])
    if mark not in RANGES[name]:
        raise _Invalid("bad_level", name, f"{name} is {mark}, expected {_levels(name)}")
    return mark, value.kind == "text" or value.unit or value.whole is not None


def _out_of_range(name: str, shown: str) -> _Invalid:
    return _Invalid("out_of_range", name, f"{name} is {shown}, expected {_levels(name)}")


def _levels(name: str) -> str:
    marks = RANGES[name]
    if name in LEVELS:
        return " or ".join(filter(None, (", ".join(map(str, marks[:-1])), str(marks[-1]))))
    return f"0 to {marks[-1]}"


def _shown(value: Value) -> str:
    if value.kind in {"object", "list"}:
        return f"a {value.kind}" if value.kind == "list" else "an object"
    whole = f"/{value.whole}" if value.whole is not None else ""
    return repr(value.text[:40] + whole)


def _said(value: Value) -> Json:
    """What a judge says of the whole, as plain JSON."""
    if value.kind == "word":
        return {"true": True, "false": False}.get(value.text.lower())
    if value.kind == "text":
        plain = {"true": True, "false": False}.get(value.text.strip().lower(), value.text)
        found = _WRITTEN.fullmatch(value.text.strip())
        return plain if found is None else _number(found["number"])
    return _number(value.text) if value.kind == "number" else None


def _number(text: str) -> Json:
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if len(text) < 40 and abs(float(text)) < 1e15 else text[:40]


def _is_strict(text: str) -> bool:
    try:
        json.loads(text, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return False
    return True


# Without an object that holds criteria.

_PAIR = re.compile(
    r"(?<![\w-])(?P<name>" + "|".join(name.replace("_", r"[_ \-]") for name in CRITERIA) + r")"
    r"[*_`\"']{0,3}(?:[ \t]*\([^()\n]{0,20}\))?[*_`\"']{0,3}[ \t]*[:：=][ \t]*[*_`\"']{0,3}"
    r"(?P<number>[+-]?\d{1,6})(?![\d.,]*\d)"
    r"(?:[ \t]*/[ \t]*(?P<whole>\d{1,6})(?![\d.]*\d))?"
    r"(?P<echo>[ \t]*(?:/|-|–|~|or\b|to\b|또는|에서)[ \t]*\d|[ \t]*=)?",
    re.IGNORECASE,
)


def _without_object(text: str, objects: list[Written], stop_reason: str | None) -> Verdict:
    scores = _pairs(text)
    if scores is not None:
        return verdict_of(scores, {"regex_fallback"}, {})
    if any(o.state == "closed" for o in objects):
        raise _Invalid("missing", CRITERIA[0], f"{CRITERIA[0]} is missing")
    if any(o.state == "cut" for o in objects):
        raise _Invalid("truncated", CRITERIA[0], "the reply is cut off before its first mark")
    if _declines(text):
        return Verdict("refusal", reason=f"the judge declines: {text[:200]}")
    if was_cut_off(stop_reason):
        raise _Invalid("truncated", None, "the reply is cut off before its first mark")
    if _is_strict(_FENCE.sub("", text, count=1).removesuffix("```")):
        raise _Invalid("not_an_object", None, "the reply is JSON, but no object")
    raise _Invalid("no_json", None, "the reply holds no JSON object")


def _declines(text: str) -> bool:
    """Whether a reply without an object says that it will not judge."""
    if len(text) > LONGEST_REFUSAL:
        return False
    plain = text.replace("’", "'").strip(_MARKUP)
    return bool(is_refusal(text) or _DECLINES.match(plain) or _DECLINES_ANYWHERE.search(plain))


def _pairs(text: str) -> dict[str, int] | None:
    """The marks of a reply that names each criterion with a whole number exactly once."""
    found: dict[str, list[re.Match[str]]] = {}
    for pair in _PAIR.finditer(text):
        name = _KEYS[_SEPARATORS.sub("", pair["name"]).lower()]
        if pair["echo"] is None:
            found.setdefault(name, []).append(pair)
    if any(len(found.get(name, [])) != 1 for name in CRITERIA):
        return None
    return {
        name: _mark(name, Value("number", found[name][0]["number"], found[name][0]["whole"]))[0]
        for name in CRITERIA
    }
