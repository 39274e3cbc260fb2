"""Tasks as data: what the files hold, and what is said of a wrong one."""

import pytest

from screenmark.answers.actions.schema import Done, Fail, GiveAnswer
from screenmark.environments.web_apps.judging import answers, judge
from screenmark.environments.web_apps.tasks import Expected, all_tasks, filled, read_tasks
from screenmark.errors import DataError

GOOD = """[[task]]
id = "fava-x"
instruction = "Say {word}."
page = "/"
values = [{ word = "a" }, { word = "b" }]
expect.answer = ["{word}"]
oracle = [{ answer = "{word}" }]
"""


def test_there_are_enough_and_every_variant_reads_well() -> None:
    tasks = all_tasks()
    assert len(tasks) == 24
    assert {task.app for task in tasks.values()} == {"fava", "sqlite-web"}
    assert 5 <= sum(task.lite for task in tasks.values()) <= 15
    for task in tasks.values():
        said = {filled(task.instruction, values) for values in task.values}
        assert len(said) == len(task.values), task.id
        assert not any("{" in text for text in said), task.id
        assert task.variant(len(task.values)) == task.variant(0)
        assert filled(task.expect, task.variant(0)) != filled(task.expect, task.variant(1))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[[task]]", "[[task]", "not TOML"),
        ("[[task]]", "a = " + "[" * 3000 + "]" * 3000, "nested too deeply"),
        ("[[task]]", "[task]", "in two brackets"),
        ("page = ", "pages = ", "pages"),
        ("Say {word}", "Say {wort}", "wort"),
        (', { word = "b" }', "", "at least 2 variants"),
        ('{ answer = "{word}" }', '{ answers = "{word}" }', "oracle"),
        ('["{word}"]', "3", "expect.answer"),
        ('word = "b"', 'word = "a"', "values: variants 1 and 2 are the same"),
        ("Say {word}", "Say {word.__class__}", "instruction: expected a variant's value"),
        ("Say {word}", "Say {word:>99999999999}", "instruction: expected a variant's value"),
        ("Say {word}", "Say {", "instruction: .* are braces"),
        (
            '{ answer = "{word}" }',
            '{ on = "a", nth = "{word}" }',
            "oracle\\[0\\].nth: expected a num",
        ),
    ],
)
def test_wrong_files(old: str, new: str, said: str) -> None:
    assert read_tasks(GOOD, "x.toml")[0].id == "fava-x"
    with pytest.raises(DataError, match=said) as caught:
        read_tasks(GOOD.replace(old, new), "x.toml")
    assert caught.value.file == "x.toml"
    assert caught.value.sample in {None, "fava-x"}


@pytest.mark.parametrize(
    ("text", "expected", "right"),
    [
        ("175.35", "175.35", True),
        ("It is 175.35 EUR.", "175.35", True),
        ("1,175.350", "1175.35", True),
        ("175.35 or 114.35", "175.35", False),
        ("1175.35", "175.35", False),
        ("-175.35", "175.35", False),
        ("none", "175.35", False),
        ("3.", "3", True),
        ("There are 3, I think.", "3", True),
        ("anna  WEBER", "Anna Weber", True),
        ("Hanna Weber", "Anna Weber", False),
        ("It was 2024-01-11.", "2024-01-11", True),
        ("2024-01-12", "2024-01-11", False),
        ("", "3", False),
    ],
)
def test_answers(text: str, expected: str, right: bool) -> None:
    assert answers(text, [expected]) is right


def test_an_answer_counts_only_if_nothing_else_was_done(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("state")
    (folder / "household.beancount").write_text("2024-01-01 open A:B\n", encoding="utf-8")
    expect = Expected(answer=("7",))

    def verdict(before: str, said: GiveAnswer | Done | Fail | None) -> bool:
        return judge("fava", before, folder, expect, said)[0]

    same = "2024-01-01 open A:B"
    assert verdict(same, GiveAnswer("7"))
    assert verdict(same, Done("7"))
    assert not verdict(same, Done())
    assert not verdict(same, Fail("7"))
    assert not verdict(same, None)
    assert not verdict("", GiveAnswer("7"))
