"""A user's functions are called on a reply that is as it should be."""

import sys
from pathlib import Path

import pytest

from screenmark.answers import parse_point, profiles
from screenmark.doctor import Finding, check_setup
from screenmark.doctor.own_functions import written
from screenmark.geometry import Size
from screenmark.types import Outcome

CODE = """
import re
def numbers(response):
    return [float(n) for n in re.findall(r"[0-9.]+", response.split("point")[-1])]
def good(response, meta):
    x, y = numbers(response)
    return x / meta["image_size"][0], y / meta["image_size"][1]
def thousandths(response):
    x, y = numbers(response)
    return x / 1000, y / 1000
def raises(response, meta):
    return meta["no such field"]
def leaves(response):
    raise SystemExit(3)
def word(response):
    return "here"
def nothing(response):
    return None
def drops(outputs, model, processor):
    return "done"
def same(outputs, model, processor):
    return outputs
def number(outputs, model, processor):
    return 5
def broken(outputs, model, processor):
    raise ValueError("no tokens")
def letter(response):
    return response.strip()
"""


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_reader", raising=False)
    (tmp_path / "own_reader.py").write_text(CODE, encoding="utf-8")
    return {"model": "m", "adapter": "openai", "profile": "pixel", "code_dir": tmp_path}


def found(benchmark: str, options: dict[str, object]) -> Finding:
    (finding,) = (f for f in check_setup(benchmark, options) if f.check == "functions")
    return finding


def test_both_functions_read_and_need_no_profile(options: dict[str, object]) -> None:
    functions = {"parse_function": "own_reader.good", "postprocess": "own_reader.same"}
    finding = found("mmbench-gui-l2", options | functions)
    assert finding.status == "ok", finding
    assert "own_reader.same and own_reader.good read '" in finding.detail
    del options["profile"]
    checks = {f.check: f for f in check_setup("mmbench-gui-l2", options | functions)}
    assert checks["profile"].status == "ok"
    assert "own_reader.good reads the replies" in checks["profile"].detail


@pytest.mark.parametrize(
    ("stage", "name", "status", "message"),
    [
        ("parse_function", "good", "ok", "own_reader.good reads"),
        ("parse_function", "raises", "failed", "KeyError: 'no such field'"),
        ("parse_function", "leaves", "failed", "SystemExit: 3"),
        ("parse_function", "word", "failed", "the parse function returned 'here'"),
        ("parse_function", "nothing", "warning", "found no answer"),
        ("parse_function", "thousandths", "warning", "meant is [0.3, 0.6]"),
        ("postprocess", "drops", "warning", "no answer"),
        ("postprocess", "number", "failed", "postprocess returned int"),
        ("postprocess", "broken", "failed", "ValueError: no tokens"),
    ],
)
def test_on_points(
    options: dict[str, object], stage: str, name: str, status: str, message: str
) -> None:
    finding = found("mmbench-gui-l2", options | {stage: f"own_reader.{name}"})
    assert finding.status == status, finding
    assert message in finding.detail
    assert (f"own_reader.{name}" in finding.remedy) == (status != "ok")


def test_on_letters(options: dict[str, object]) -> None:
    del options["profile"]
    fine = found("mmbench-gui-l1", options | {"parse_function": "own_reader.letter"})
    wrong = found("mmbench-gui-l1", options | {"parse_function": "own_reader.raises"})
    assert (fine.status, wrong.status) == ("ok", "failed")


@pytest.mark.parametrize("name", list(profiles()))
def test_the_sample_reply_is_what_the_family_writes(name: str) -> None:
    profile, size = profiles()[name], Size(1000, 700)
    answer = parse_point(written(profile, size, 0.3, 0.6), profile=profile, size=size)
    assert answer.outcome is Outcome.OK, answer.reason
    assert answer.value == pytest.approx([0.3, 0.6], abs=0.01)
