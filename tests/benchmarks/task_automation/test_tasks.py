"""Which tasks there are, which there are not, and which nobody can solve in a dialect."""

import pytest

from screenmark.agents.prompt import can_answer
from screenmark.answers import get_profile
from screenmark.answers.actions import DIALECTS, read_turn, write_actions
from screenmark.answers.actions.schema import Done, Fail, GiveAnswer
from screenmark.benchmarks.task_automation.benchmark import MiniWobBenchmark, MMBenchL3
from screenmark.benchmarks.task_automation.options import AgentOptions
from screenmark.benchmarks.task_automation.summary import summarise_episodes
from screenmark.errors import UsageError
from screenmark.geometry import Size
from screenmark.types import Outcome, Record

MUTE = {"computer_13", "cogagent"}
PIXEL = get_profile("pixel")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_which_dialects_can_answer(dialect: str) -> None:
    assert can_answer(PIXEL, dialect) is (dialect not in MUTE)


@pytest.mark.parametrize(
    ("options", "model", "count"),
    [
        pytest.param({"dialect": "computer_13"}, "m", 7, id="mute"),
        pytest.param({"profile": "cogagent-9b"}, "m", 7, id="by profile"),
        pytest.param({"dialect": "pyautogui"}, "m", 0, id="speaks"),
        pytest.param({}, "m", 0, id="usual"),
        pytest.param({"dialect": "cogagent"}, "oracle", 0, id="no dialect needed"),
        pytest.param({"dialect": "cogagent", "planner": "a"}, "a+b", 0, id="pair"),
        pytest.param(
            {"dialect": "cogagent", "tasks": ("webapps/fava-add-note",)}, "m", 0, id="none asks"
        ),
    ],
)
def test_it_is_said_before_the_run(options: dict[str, str], model: str, count: int) -> None:
    benchmark = MMBenchL3(AgentOptions(suite="full", **options))  # type: ignore[arg-type]
    benchmark.settle_profile(None, model)
    dataset = benchmark.load()
    mute = [sample.task for sample in dataset.samples if not sample.answerable]
    assert len(mute) == count
    assert [line.startswith(f"{count} of the tasks") for line in dataset.beforehand] == [True] * (
        count > 0
    )
    assert all(task in dataset.beforehand[0] for task in mute)
    results = summarise_episodes(map(failed, dataset.samples), 15)
    said = [line for line in results["audit"]["warnings"] if "no form" in line]
    assert len(said) == (count > 0)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("miniwob/click-pie", "left out on purpose: the page moves", id="unsteady"),
        pytest.param("stock-market", "left out on purpose: the page moves", id="without its world"),
        pytest.param(
            "click-test", "did you mean miniwob/click-test", id="a task without its world"
        ),
        pytest.param("miniwob/clik-test", "did you mean miniwob/click-test", id="a slip"),
        pytest.param(
            "webapps/sqlite-web-add-book",
            "belongs to mmbench-gui-l3: screenmark run mmbench-gui-l3 --tasks webapps/sqlite-web",
            id="another benchmark's",
        ),
        pytest.param(
            "sqlite-web-add-book",
            "belongs to mmbench-gui-l3: .* --tasks webapps/sqlite-web-add-book",
            id="another benchmark's, without its world",
        ),
        pytest.param("webapps", "belongs to mmbench-gui-l3: .* --tasks webapps", id="a world"),
        pytest.param("own.toml:a", "belongs to mmbench-gui-l3: .* --tasks own.toml:a", id="a file"),
        pytest.param("zzz", "called like miniwob/", id="nothing like it"),
    ],
)
def test_why_there_is_no_such_task(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        MiniWobBenchmark(AgentOptions(tasks=(name,))).load()


def test_a_page_outside_the_suites_may_be_named() -> None:
    loaded = MiniWobBenchmark(AgentOptions(tasks=("miniwob/book-flight",))).load()
    assert [sample.id for sample in loaded.samples] == ["miniwob/book-flight#0"]


def failed(sample: object) -> Record:
    plain = {name: getattr(sample, name) for name in sample.__struct_fields__}  # type: ignore[attr-defined]
    return Record(plain["id"], 0, Outcome.ENVIRONMENT_ERROR, plain, score={"success": None})


def test_the_answer_of_pyautogui_is_opencua_s() -> None:
    size = Size(100, 100)
    written = write_actions((GiveAnswer("it's 42"),), profile=PIXEL, size=size, dialect="pyautogui")
    assert "computer.terminate(status='success', answer=" in written
    for text, action in (
        (written, GiveAnswer("it's 42")),
        ("computer.terminate(status='success')", Done()),
        ("computer.terminate(status='failure', answer='no button')", Fail("no button")),
    ):
        turn = read_turn(text, profile=PIXEL, size=size, dialect="pyautogui")
        assert turn.actions == (action,)
