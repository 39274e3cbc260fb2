"""What prompts ask for, read from the benchmarks' own prompts and from others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.benchmarks.content_understanding.dataset import ChoiceSample
from screenmark.benchmarks.content_understanding.prompt import fill as fill_choice
from screenmark.benchmarks.content_understanding.prompt import template as choice_template
from screenmark.benchmarks.element_grounding.prompt import fill, template
from screenmark.geometry import Size
from screenmark.models.embedded.tasks import Choose, Find, read_task
from screenmark.profile_files import find_profile


@pytest.mark.parametrize(("language", "absence"), [("en", "not on screen"), ("zh", "不在屏幕上")])
@pytest.mark.parametrize("offers", [True, False])
def test_the_grounding_prompt(language: str, absence: str, offers: bool) -> None:
    text = template(language, find_profile("pixel"), offers_absence=offers)
    prompt = fill(text, "Open “Trash” {x}", Size(10, 10))
    assert read_task(prompt) == Find("Open “Trash” {x}", absence if offers else None)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_choice_prompt(language: str) -> None:
    sample = ChoiceSample(
        id="1", index=0, image_path="a.png", file="a.png", width=1, height=1, platform="web",
        question="哪一个? Which one?", options={"A": "B. not a letter", "B": "二"}, answer="A",
        difficulty="easy", language=language, hint=None,
    )  # fmt: skip
    task = read_task(fill_choice(choice_template(language), sample))
    assert task == Choose("哪一个? Which one?", {"A": "B. not a letter", "B": "二"})


@pytest.mark.parametrize(
    ("prompt", "task"),
    [
        pytest.param("List all elements as JSON.", None, id="neither"),
        pytest.param("", None, id="empty"),
        pytest.param("Question: what?\nA. x\nB. y", None, id="no list of options"),
        pytest.param("Question: what?\nOptions:\nA. x", None, id="one option is no choice"),
        pytest.param("Instruction: ", None, id="no instruction"),
        pytest.param("The Instruction: x", None, id="not at the start of a line"),
        pytest.param(
            "问题：哪个？\n选项：\nA．甲\nB、乙\n回答字母",
            Choose("哪个？", {"A": "甲", "B": "乙"}),
            id="full-width",
        ),
        pytest.param(
            "Question: what\nis it?\nOptions:\nA. x\nB. y\n\nC. z\n",
            Choose("what is it?", {"A": "x", "B": "y", "C": "z"}),
            id="two lines and a gap",
        ),
        pytest.param(
            "Instruction: Delete the text not on screen", Find("Delete the text not on screen"),
            id="the instruction's own words offer nothing",
        ),
    ],
)  # fmt: skip
def test_prompts(prompt: str, task: object) -> None:
    assert read_task(prompt) == task


@given(st.text())
def test_any_prompt_can_be_read(prompt: str) -> None:
    task = read_task(prompt)
    assert task is None or isinstance(task, Choose | Find)
