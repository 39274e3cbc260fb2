"""Files of tasks of a person's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from screenmark.cli.app import make_app
from screenmark.environments import Task, World, world_class
from screenmark.environments.checking import Check, check_task
from screenmark.environments.registry import world_of
from screenmark.environments.web_apps.database import Change, changes
from screenmark.environments.web_apps.hosting import host
from screenmark.environments.web_apps.own import read_task_set
from screenmark.environments.web_apps.states import put
from screenmark.environments.web_apps.template import write_template
from screenmark.errors import DataError, EnvironmentFailure, UsageError

OWN = """[[task]]
id = "sqlite-web-own"
instruction = "Rename {old} to {new}."
page = "/pets/content/"
state = "pets.sql"
values = [{ old = "Rex", new = "Max" }, { old = "Tom", new = "Tim" }]
expect.sql = "UPDATE pets SET name = '{new}' WHERE name = '{old}'"
oracle = [
  { on = "ul.nav a", text = "Query" },
  { on = "textarea", key = "ctrl+a" },
  { type = "UPDATE pets SET name = '{new}' WHERE name = '{old}'" },
  { on = "button", text = "Execute" },
]
"""
DOES = "UPDATE pets SET name = '{new}' WHERE name = '{old}'"
ENDLESS = "c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
PETS = "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO pets (name) VALUES " + (
    "('Rex'), ('Tom');"
)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of one task, over a state of its own, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "pets.sql").write_text(PETS, encoding="utf-8")
    (tmp_path / "sets" / "words.sql").write_text("words", encoding="utf-8")
    (tmp_path / "sets" / "latin.sql").write_bytes(b"-- \xe4")
    attach = "ATTACH 'got.db' AS x; CREATE TABLE x.a (b)"
    (tmp_path / "sets" / "attached.sql").write_text(attach, encoding="utf-8")
    (tmp_path / "elsewhere.sql").write_text("root;", encoding="utf-8")
    (tmp_path / "sets" / "linked.sql").symlink_to(tmp_path / "elsewhere.sql")
    (tmp_path / "sets" / "mine.toml").write_text(OWN, encoding="utf-8")
    return Path("sets/mine.toml")


def test_a_file_is_a_world(own: Path) -> None:
    world = world_class(str(own))()
    (id,) = world.tasks()
    assert id == "sets/mine.toml:sqlite-web-own"
    assert world_of(id) == world_of(str(own)) == world.name == world.tasks()[id].world
    assert world.suite("lite") == (id,)
    before = world.tasks()[id].version
    (own.parent / "pets.sql").write_text(PETS.replace("Tom", "Tom'), ('Ada"), encoding="utf-8")
    assert world_class(str(own))().tasks()[id].version not in {before, ""}


@pytest.mark.full
def test_its_task_passes_every_check(own: Path) -> None:
    async def go() -> None:
        world = world_class(str(own))()
        await world.start()
        try:
            (task,) = world.tasks().values()
            found = await check_task(world, task, [0])
            assert [one for one in found if not one.passed] == []
        finally:
            await world.close()

    asyncio.run(go())


def test_a_first_page_that_is_not_there_and_no_solution(own: Path) -> None:
    unsolved = OWN[: OWN.index("oracle = [")] + "oracle = []\n"
    lost = OWN.replace("/pets/content/", "/cats/content/").replace("web-own", "web-lost")
    own.write_text(unsolved + lost, encoding="utf-8")

    async def go() -> None:
        world = world_class(str(own))()
        there, not_there = world.tasks().values()
        environment = world.environment()
        await world.start()
        try:
            with pytest.raises(EnvironmentFailure, match=r"lost: page: .*/cats/content/ with 4"):
                await environment.reset(not_there, 0)
            await environment.reset(there, 0)
            assert environment.oracle() is None
            (done,) = [turn async for turn in environment.mistake()]
            assert (await environment.step(done)).reward == 0.0
        finally:
            await environment.close()
            await world.close()

    asyncio.run(go())


def test_a_task_without_a_solution_is_said_to_have_none(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(*_: object) -> None:
        return None

    async def checked(world: World, task: Task, seeds: Sequence[int]) -> list[Check]:
        return [Check(task=task.id, seed=0, check="oracle", passed=None, detail="no oracle")]

    monkeypatch.setattr("screenmark.environments.web_apps.world.WebApps.start", nothing)
    monkeypatch.setattr("screenmark.environments.checking.check_task", checked)
    done = CliRunner().invoke(make_app("env"), ["env", "check", str(own)])
    assert done.exit_code == 0
    assert "passed, but has no solution" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "field", "said"),
    [
        ("pets.sql", "cats.sql", "state", "no such file"),
        ('id = "sqlite-web-own"', 'id = "own"', "id", "begins with fava- or sqlite-web-"),
        ("UPDATE pets SET name = '{new}' WHERE name = '{old}'\"\noracle", "DROP {old}\"\noracle",
         "expect.sql", "sql: near"),
        ("expect.sql", "expect.add", None, "expect.add"),
        ("expect.sql = ", "expect.answer = []\nother = ", None, "other"),
        ("/pets/content/", "pets", "page", "begins with /"),
        (', { old = "Tom", new = "Tim" }', "", "values", "at least 2"),
        ('"pets.sql"', '"../pets.sql"', "state", "beside this one"),
        ('"pets.sql"', '"/etc/passwd"', "state", "beside this one"),
        ('"pets.sql"', '"linked.sql"', "state", "beside this one"),
        ('"pets.sql"', '"."', "state", "expected a file"),
        ('"pets.sql"', '"latin.sql"', "state", "not UTF-8"),
        ('"pets.sql"', '"words.sql"', "state", "no SQL that can be run"),
        ('"pets.sql"', '"attached.sql"', "state", "ATTACH"),
        ('new = "Tim"', 'new = "Tom"', "expect.sql", r"nothing would be right \(variant 2\)"),
        (DOES, "CREATE TABLE IF NOT EXISTS pets (n)", "expect.sql", "changes nothing"),
        (DOES, "ATTACH 'got.db' AS x; CREATE TABLE x.a (b)", "expect.sql", "ATTACH"),
        (DOES, f"WITH RECURSIVE {ENDLESS} UPDATE pets SET name = (SELECT count(*) FROM c)",
         "expect.sql", "does not end"),
        ("oracle = [", 'expect.answer = [" "]\noracle = [', "expect.answer", "one is empty"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file(
    own: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, field: str | None, said: str
) -> None:
    monkeypatch.setattr("screenmark.environments.web_apps.held_sql.MOST_STEPS", 500_000)
    assert old in OWN
    own.write_text(OWN.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=said) as caught:
        read_task_set(own)
    assert caught.value.field == field
    assert "root" not in str(caught.value)
    assert not (own.parent / "got.db").exists()
    assert not Path("got.db").exists()


def test_a_thousand_tasks_run_a_script_once(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(state: str, scripts: Sequence[str]) -> dict[str, Change]:
        done = changes(state, scripts)
        asked.append(len(done))
        return done

    monkeypatch.setattr("screenmark.environments.web_apps.fitting.changes", counted)
    many = "".join(OWN.replace("web-own", f"web-own-{n}") for n in range(1000))
    own.write_text(many, encoding="utf-8")
    assert len(read_task_set(own).tasks) == 1000
    assert read_task_set(own) is read_task_set(own)
    assert asked == [2]
    (own.parent / "pets.sql").write_text(PETS.replace("Tom", "Tam"), encoding="utf-8")
    with pytest.raises(DataError, match="changes nothing"):
        read_task_set(own)


def test_a_file_that_is_no_utf_8(own: Path) -> None:
    own.write_bytes(OWN.replace("Rename", "Ren\xe4me").encode("latin-1"))
    with pytest.raises(DataError, match=r"not UTF-8 \(byte"):
        read_task_set(own)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('expect.remove = ["2024-01-01 open Assets:None EUR"]', "has no entry"),
        ('expect.add = ["; {a}"]', "an entry in each text"),
        ('expect.sql = "SELECT 1"', "no SQL"),
        ("expect = {}", "doing nothing is right"),
        ('expect.add = ["2024-01-01 open A:B"]\nexpect.remove = ["2024/01/01 open A:B ; x"]\n'
         'state = "my.beancount"', "nothing would be right"),
        ('expect.add = ["2024-01-01 open A:{a}"]\nstate = "in.beancount"', "another file"),
        ('expect.add = ["2024-01-01 open A:{a}"]\nstate = "plug.beancount"', "a plugin that"),
        ('expect.add = ["2024-01-01 open A:{a}"]\nstate = "path.beancount"', "insert_pythonpath"),
        ('expect.add = ["2024-01-01 open A:{a}"]\nstate = "docs.beancount"', "another folder"),
    ],
)  # fmt: skip
def test_what_does_not_fit_a_ledger(tmp_path: Path, change: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    for name, line in (
        ("my", "2024-01-01 open A:B"),
        ("in", 'include "/etc/passwd"'),
        ("plug", 'plugin "my_code" "x"'),
        ("path", 'option "insert_pythonpath" "TRUE"'),
        ("docs", 'option "documents" "../../"'),
    ):
        (tmp_path / f"{name}.beancount").write_text(f"{line}\n", encoding="utf-8")
    file.write_text(
        '[[task]]\nid = "fava-x"\ninstruction = "Do {a}."\npage = "/"\noracle = []\n'
        f'values = [{{ a = "1" }}, {{ a = "2" }}]\n{change}\n',
        encoding="utf-8",
    )
    with pytest.raises(DataError, match=said):
        read_task_set(file)


def test_two_tasks_of_one_name_and_no_task(own: Path) -> None:
    own.write_text(OWN + OWN, encoding="utf-8")
    with pytest.raises(DataError, match="another task"):
        read_task_set(own)
    own.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="at least one"):
        read_task_set(own)


@pytest.mark.parametrize("app", ["fava", "sqlite-web"])
def test_a_new_file_reads_well_and_is_not_written_over(
    app: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["env", "new-task", "sets/mine.toml", "--app", app]
    done = CliRunner().invoke(make_app("env"), command)
    assert done.exit_code == 0
    assert "env check sets/mine.toml" in done.stdout
    assert len(read_task_set(Path("sets/mine.toml")).tasks) == 2
    assert "env check sets/mine.toml " in Path("sets/mine.toml").read_text("utf-8")
    again = CliRunner().invoke(make_app("env"), command)
    assert "--force" in str(again.exception)
    assert CliRunner().invoke(make_app("env"), [*command, "--force"]).exit_code == 0


@pytest.mark.full
@pytest.mark.parametrize("app", ["fava", "sqlite-web"])
def test_the_tasks_of_a_new_file_pass_every_check(app: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    write_template(app, file)
    done = CliRunner().invoke(make_app("env"), ["env", "check", str(file)])
    assert (done.exit_code, "2 tasks · 0 of 12 checks failed" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("app", "name", "said"), [("word", "x.toml", "--app"), ("fava", "x.txt", "ends in")]
)
def test_a_file_that_is_not_begun(app: str, name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        write_template(app, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_task_for_a_person(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def nothing() -> str:
        return ""

    id = f"{own}:sqlite-web-own"
    verdict = host(id, 1, shown.append, nothing)
    assert shown[0] == "Rename Tom to Tim."
    assert shown[1].startswith("http://127.0.0.1:")
    assert shown[1].endswith("/pets/content/")
    assert (verdict.success, "expected" in verdict.reason) == (0.0, True)
    solved = PETS.replace("Tom", "Tim")
    monkeypatch.setattr(
        "screenmark.environments.web_apps.hosting.put",
        lambda app, _, folder: put(app, solved, folder),
    )
    assert host(id, 1, shown.append, nothing).success == 1.0


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("miniwob/click-test", "only tasks in web applications"),
        ("webapps/fava-none", "there is no task"),
        ("toy/x", "unknown world"),
    ],
)
def test_a_task_that_cannot_be_brought_up(id: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        host(id, 0, print, input)
