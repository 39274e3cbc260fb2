"""A letter counts where it is declared, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers import choice_words, parse_choice
from screenmark.types import Outcome
from tests.answers.choice_cases import DECLARED, NOT_DECLARED, PAGE

LETTERED = [
    pytest.param(options, text, letter, id=f"{group}-{text!r}")
    for group, (options, cases) in DECLARED.items()
    for text, letter in cases.items()
]
UNLETTERED = [
    pytest.param(options, text, id=f"{group}-{text!r}")
    for group, (options, cases) in NOT_DECLARED.items()
    for text in cases
]


@pytest.mark.parametrize(("options", "text", "letter"), LETTERED)
def test_declared(options: dict[str, str], text: str, letter: str) -> None:
    answer = parse_choice(text, options)
    assert (answer.outcome, answer.value) == (Outcome.OK, letter), answer.reason


@pytest.mark.parametrize(("options", "text"), UNLETTERED)
def test_not_declared(options: dict[str, str], text: str) -> None:
    answer = parse_choice(text, options)
    assert (answer.outcome, answer.value) == (Outcome.UNPARSEABLE, None)
    assert answer.reason


# Replies that a first pass of loose patterns reads as something else, with our reading.
SPEC = {
    "**Answer:** (b) The home page": "B",
    "<think>A looks plausible. But B: no.</think>\nD": "D",
    "Because the sidebar is collapsed, I pick C": "C",
    r"\boxed{\text{D}}": "D",
    '{"answer": "A", "reason": "Badge colour"}': "A",
    "The first option is wrong and so is C; therefore none of them fits.": None,
    "答案是C。": "C",
    "Final: **E** - settings": "E",
    "G": None,
    "A. foo\nB. bar\nAnswer: B": "B",
    "E.g. ... Answer: A": "A",
    "answer is: B": "B",
    "Answer - B": "B",
    "Because of the badge": None,
    "Based on the picture": None,
    "Dashboard": None,
    "Can't tell": None,
    "a sub-screen": None,
    "Answer: Carousel": None,
    "B,C": None,
    "A or C": None,
    "<think>maybe A. no</think>C": "C",
    "nan": None,
    "Yes": None,
    "None of these": None,
}


@pytest.mark.parametrize(("text", "letter"), SPEC.items(), ids=map(repr, SPEC))
def test_traps_of_loose_patterns(text: str, letter: str | None) -> None:
    assert parse_choice(text, PAGE).value == letter


ENDINGS = [
    ("", None, Outcome.EMPTY, None),
    ("<think>B</think>", None, Outcome.EMPTY, None),
    ("<think>The answer is B", None, Outcome.TRUNCATED, None),
    ("The answer is B, since", "length", Outcome.TRUNCATED, None),
    ("B", "content_filter", Outcome.REFUSED, "policy"),
    ("Failed to obtain answer via API.", None, Outcome.API_ERROR, None),
    ("I'm sorry, but I can't help with that.", None, Outcome.REFUSED, "policy"),
    ("I cannot determine the answer.", None, Outcome.UNPARSEABLE, None),
    ("抱歉，我无法回答这个问题。", None, Outcome.REFUSED, "policy"),
    ("B", "stop", Outcome.OK, None),
]


@pytest.mark.parametrize(("text", "finish", "outcome", "reason"), ENDINGS)
def test_how_a_reply_ended(
    text: str, finish: str | None, outcome: Outcome, reason: str | None
) -> None:
    answer = parse_choice(text, PAGE, finish_reason=finish)
    assert answer.outcome is outcome
    assert reason is None or answer.reason == reason


REASONS = {
    "F": "F is not among the options A, B, C, D, E",
    "A or B": "several declared at once: A, B",
    "Answer: C, D": "several declared at once: C, D",
    "B. It's the 'Sharing' section of the app": "the letter B with the text of option E",
    "no idea": "no option is declared; got 'no idea'",
}


@pytest.mark.parametrize(("text", "reason"), REASONS.items(), ids=map(repr, REASONS))
def test_reasons_say_what_is_wrong(text: str, reason: str) -> None:
    assert parse_choice(text, PAGE).reason == reason


def test_the_text_of_an_option_is_a_repair() -> None:
    answer = parse_choice("It's the main dashboard of the app", PAGE)
    assert (answer.value, answer.repair) == ("B", "option text")
    assert parse_choice("B", PAGE).repair is None


def test_without_options_any_letter_counts() -> None:
    assert parse_choice("The answer is H.").value == "H"
    assert parse_choice("It's the main dashboard of the app").value is None


def test_two_options_with_the_same_text_are_told_apart_by_letter_only() -> None:
    options = {"A": "Open the menu", "B": "Open the menu"}
    assert parse_choice("B. Open the menu", options).value == "B"
    assert parse_choice("Open the menu", options).outcome is Outcome.UNPARSEABLE


def test_long_replies_count_by_their_end() -> None:
    assert parse_choice("Let me look. " * 50_000 + "\nAnswer: C", PAGE).value == "C"


TEMPLATES = [
    "{}", "({})", "{}.", "**{}**", "`{}`", "[{}]", "'{}'", "{})", "Option {}", "Answer: {}",
    "The answer is {}.", "The correct answer is ({}).", r"\boxed{{{}}}", r"$\boxed{{\text{{{}}}}}$",
    "<answer>{}</answer>", '{{"answer": "{}"}}', "```json\n{{\"choice\": \"{}\"}}\n```",
    "I would pick {}.", "So the best option is {}", "Final answer: {}", "Final Answer:\n\n**{}**",
    "Let me see.\n\n{}", "{}\n\nThe sidebar is open.", "{} is the correct answer.", "答案：{}",
    "正确答案是{}。", "因此选{}", "应该选择 {}", "{}选项正确", "【答案】{}",
    "<think>It might be Z.</think>\n{}", "<|begin_of_box|>{}<|end_of_box|>", "Answer: <b>{}</b>",
]  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("letter", "ABCDEFGH")
def test_every_letter_in_every_form(template: str, letter: str) -> None:
    options = {name: f"the page number {name * 3}" for name in "ABCDEFGH"}
    assert parse_choice(template.format(letter), options).value == letter
    wide = chr(ord(letter) + 0xFEE0)
    assert parse_choice(template.format(wide), options).value == letter


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_letter_beyond_the_options_is_none(template: str) -> None:
    answer = parse_choice(template.format("Q"), PAGE)
    assert (answer.outcome, answer.value) == (Outcome.UNPARSEABLE, None)


WORDS = st.sampled_from(
    [
        *("A", "B", "C", "a", "b", "answer", "Answer:", "is", "not", "the", "option", "so", "it's"),
        *("or", "and", ",", "/", ".", "\n", "(", ")", "**", "选", "答案", "是", "不", "、", "错"),
        *('{"answer":', '"', "}", "\\boxed{", "<answer>", "</answer>", "I", "pick", "correct", "|"),
        *("<think>", "</think>", "It's the main dashboard of the app", "&lt;", "would", "if", "Ａ"),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join))


@given(TEXTS)
def test_any_text_is_read(text: str) -> None:
    answer = parse_choice(text, PAGE)
    assert answer.value in {None, *PAGE}
    assert (answer.outcome is Outcome.OK) == (answer.value is not None)


@given(st.text(max_size=60), st.sampled_from("BCDE"))
def test_what_stands_before_a_final_declaration_does_not_matter(text: str, letter: str) -> None:
    before = re.sub(r"[<◁\[{\"“｛&]", "", text)  # no thinking tag, no JSON, nothing that opens
    assert parse_choice(f"{before}.\n\nThe answer is {letter}.", PAGE).value == letter


PIECES = [
    "9", "[", "{", "(", "A. ", "A\n", "B,", "answer is ", "the answer is B or ", "答案", "不选A，",
    "*", "not ", "final: ", "so, ", "I ", " ", "&lt;", "\\text{", "<b>", "</think>", '"', "x. A ",
    "A、", "answer: I pick ", "would if ", '{"answer":', "A or B is ", "_", "|",
    "if ", "you might ", "A? 不,", "$4", "-", "<|", "(B) ", "not A but ", "\\fbox{", "wrong ",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=map(repr, PIECES))
def test_a_megabyte_of(piece: str) -> None:
    answer = parse_choice(piece * (1_000_000 // len(piece)), PAGE)
    assert answer.outcome in {Outcome.UNPARSEABLE, Outcome.EMPTY, Outcome.OK}


def test_a_character_that_stands_for_eighteen_is_no_longer_to_read() -> None:
    assert len(choice_words.clean("\ufdfa" * 200_000)) <= choice_words.LONGEST_REPLY
    assert parse_choice("\ufdfa" * 200_000 + "\nAnswer: C", PAGE).value == "C"


def repetitions(pattern: str) -> Iterator[str]:
    """Quantifiers without an upper bound."""
    yield from re.findall(r"(?<!\\)(?:[*+]|\{\d*,\})(?![*+])", re.sub(r"\[[^\]]*\]", "c", pattern))


@pytest.mark.parametrize(
    "name",
    [
        *("FIRM", "FAINT", "AFTER", "DENIED", "NEGATED", "IMAGINED", "SUPPOSED", "TURN", "MORE"),
        *("ALONE", "SEVERAL", "LABEL", "TEXT", "BOXED_TEXT", "WITH_LETTER"),
    ],
)
def test_patterns_have_no_open_repetition(name: str) -> None:
    """A pattern whose repetitions are all bounded takes time linear in the text."""
    assert len(choice_words.__dict__[name].pattern) > 50
    assert not list(repetitions(choice_words.__dict__[name].pattern))
