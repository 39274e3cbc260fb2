import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from screenmark.errors import UsageError
from screenmark.functions import code_digest, load_function, takes, with_second

CODE = """
import json
LIMIT = 3
def build(line, dataset):
    return line
def parse(response, meta=None, **more):
    return response
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in [name for name in sys.modules if name.startswith("own_functions")]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "own_functions").mkdir()
    (tmp_path / "own_functions" / "mine.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "own_functions" / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "own_functions" / "needy.py").write_text("import not_there_x\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("reference", ["own_functions.mine.build", "own_functions.mine:build"])
def test_load(folder: Path, reference: str) -> None:
    assert load_function(reference, "--build-prompt", folder)(1, 2) == 1


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("build", "'build' names no function; expected package.module.function"),
        ("", "'' names no function"),
        ("own functions.build", "names no function"),
        ("own_functionz.build", "there is no module 'own_functionz' in "),
        ("own_functions.mien.build", "there is no module 'own_functions.mien' in "),
        ("own_functions.mine.biuld", "has no function 'biuld'; it has build, parse"),
        ("own_functions.mine.LIMIT", "has no function 'LIMIT'"),
        ("own_functions.broken.f", "own_functions.broken cannot be imported, ZeroDivisionError"),
        ("own_functions.needy.f", "own_functions.needy needs a package, No module named"),
    ],
    ids=["no module", "empty", "spaces", "module", "submodule", "name", "value", "bug", "package"],
)
def test_what_cannot_be_had(folder: Path, reference: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_function(reference, "--build-prompt", folder)
    assert str(caught.value).startswith("--build-prompt: ")
    assert message in str(caught.value)


def test_a_changed_file_has_another_digest(folder: Path) -> None:
    function = load_function("own_functions.mine.build", "--build-prompt", folder)
    before = code_digest(function)
    (folder / "own_functions" / "mine.py").write_text(CODE + "# new\n", encoding="utf-8")
    assert code_digest(function) != before
    assert len(code_digest(len)) == 16  # a function without a file


def test_takes(folder: Path) -> None:
    build = load_function("own_functions.mine.build", "-", folder)
    parse = load_function("own_functions.mine.parse", "-", folder)
    assert (takes(build, "line"), takes(build, "meta")) == (True, False)
    assert (takes(parse, "meta"), takes(parse, "anything")) == (True, True)


def positional(response: Any, meta: Any, /) -> Any:
    return response, meta


@pytest.mark.parametrize(
    ("function", "found"),
    [
        pytest.param(lambda r, meta: (r, meta), (1, 2), id="named"),
        pytest.param(lambda r, m: (r, m), (1, 2), id="another name"),
        pytest.param(positional, (1, 2), id="by place only"),
        pytest.param(lambda r: r, 1, id="one"),
        pytest.param(lambda meta: meta, 1, id="one of that name"),
        pytest.param(lambda r, strict=False: (r, strict), (1, False), id="an option of its own"),
        pytest.param(lambda r, *, meta=None: (r, meta), (1, 2), id="keyword"),
        pytest.param(lambda r, **more: (r, more), (1, {"meta": 2}), id="any keyword"),
        pytest.param(lambda r, m, **more: (r, m, more), (1, 2, {}), id="by place and any"),
        pytest.param(str, "1", id="a type"),
    ],
)
def test_a_second_argument(function: Callable[..., Any], found: Any) -> None:
    assert with_second(function, "--parse-function", "meta")(1, 2) == found


@pytest.mark.parametrize(
    "function",
    [lambda: 0, lambda r, a, b: 0, lambda r, *, key: 0],
    ids=["none", "three", "a keyword that nobody gives"],
)
def test_what_cannot_be_called_is_refused_at_once(function: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match=r"^--parse-function: .* expected f\(response, meta\)"):
        with_second(function, "--parse-function", "meta")
