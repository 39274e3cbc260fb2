"""Whether prompts say what they have to, and in which coordinate space they ask."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from screenmark.benchmarks import Sample
from screenmark.doctor.finding import Finding
from screenmark.engine.plan import Plan
from screenmark.profile_files import find_profile
from screenmark.types import Message, Text

_SPACES = {
    "permille": re.compile(
        r"0\s?(?:-|–|to|~|到|至)\s?(?:1000|999)\b|\[\s?0\s?,\s?1000\s?[\])]|per ?mille"
        r"|1000 ?x ?1000|thousandths|千分",
        re.IGNORECASE,
    ),
    "unit": re.compile(
        r"\b0(?:\.0)?\s?(?:-|–|to|~|到|至|and)\s?1(?:\.0)?\b(?![\d.,])|\[\s?0\s?,\s?1\s?[\])]"
        r"|as fractions|relative coordinates|normali[sz]ed coordinates in \[0, ?1\]",
        re.IGNORECASE,
    ),
    "percent": re.compile(r"\b0\s?(?:-|–|to|~|到|至)\s?100\b(?!0)|percent|百分", re.IGNORECASE),
    "pixel": re.compile(r"\bin (?:absolute )?pixels?\b|pixel coordinates|像素", re.IGNORECASE),
}
_ABSENCE = re.compile(
    r"\bnot? (?:\w+ ){0,3}(?:on|in|there|present|visible|found|exist|match|such|target|element)"
    r"|n['’]t (?:\w+ ){0,2}(?:exist|there|visible|present|find|see|on)|cannot be|can't be|no such"
    r"|\b(?:absent|missing|infeasible|impossible|refus\w*|null|none|target_absent)\b|\bn/a\b"
    r"|不在|不存在|没有|找不到|未找到|无法|不可见|无此|缺失",
    re.IGNORECASE,
)
"""Words with which a prompt says what to answer where there is no such thing; taken widely."""
_PIXELS = {"pixel", "resized", "fitted", "widened", "scaled"}


def check_prompts(
    plan: Plan, asked: Sequence[tuple[Sample, tuple[Message, ...]]]
) -> Iterator[Finding]:
    """Look through the prompts of some samples, of one at least."""
    texts = [(sample, _text(messages)) for sample, messages in asked]
    for sample, text in texts:
        told = plan.benchmark.told(sample)
        missing = [what for what, words in told.items() if not _holds(text, words)]
        if missing:
            yield Finding(
                check="prompt",
                status="failed",
                detail=f"{sample.id}: the prompt leaves out: {', '.join(missing)}",
                remedy=_remedy(plan, missing),
            )
            return
    yield Finding(
        check="prompt", status="ok", detail=f"{len(asked)} prompts hold all that is asked"
    )
    yield from _space(plan, texts[0][1])


def check_absence(
    plan: Plan,
    samples: Sequence[Sample],
    asked: Sequence[tuple[Sample, tuple[Message, ...]]],
) -> Iterator[Finding]:
    """Whether prompts say how to decline where some targets are not on the screen.

    Args:
        samples: all of the run.
        asked: some of them with their prompts.
    """
    absent = sum(getattr(sample, "target", None) == "absent" for sample in samples)
    if not absent:
        return
    for sample, messages in asked:
        text = _text(messages)
        for words in plan.benchmark.told(sample).values():
            # An instruction that speaks of what is not there tells the model nothing.
            text = text.replace(words, "")
        if _ABSENCE.search(text):
            return
    yield Finding(
        check="prompt",
        status="warning",
        detail=(
            f"{absent} of {len(samples)} targets are not on the screen, and no prompt says what "
            "to answer then: a model that does as it is told points at something"
        ),
        remedy=(
            "where the row says offers_absence, add to the prompt: If there is no such thing on "
            "the screenshot, answer: not on screen"
            if plan.benchmark.options.build_prompt is not None
            else "add to the file of --prompt: If there is no such thing on the screenshot, "
            "answer: not on screen"
        ),
    )


def _text(messages: tuple[Message, ...]) -> str:
    return "\n".join(p.text for m in messages for p in m.parts if isinstance(p, Text))


def _holds(text: str, words: str) -> bool:
    """Whether a text holds some words, however it is laid out."""
    return " ".join(words.split()) in " ".join(text.split())


def _remedy(plan: Plan, missing: Sequence[str]) -> str:
    options = any(what.startswith("option") for what in missing)
    if plan.benchmark.options.build_prompt is not None:
        if options:
            return 'in the prompt builder: line["options"], or line["instruction"], which has all'
        return 'in the prompt builder: line["instruction"]'
    return "{instruction} in the file of --prompt" + (", or {question} and {options}" * options)


def _space(plan: Plan, text: str) -> Iterator[Finding]:
    """Whether the prompt asks for another coordinate space than the profile reads."""
    name = plan.benchmark.profile
    if name is None:
        return
    space = find_profile(name).space
    read = "pixel" if space.partition("(")[0] in _PIXELS else space
    said = [name for name, pattern in _SPACES.items() if pattern.search(text)]
    if not said or read in said:
        return
    yield Finding(
        check="coordinates",
        status="failed",
        detail=(f"the prompt asks for {' or '.join(said)}, but the profile {name} reads {space}"),
        remedy=f"--profile {said[0]}, or a prompt that asks for {read}",
    )
