"""``screenmark parse --kind rubric``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.answers.rubric_cases import file_cases, obj
from tests.support.commands import command as screenmark


def test_the_verdict_is_one_object(tmp_path: Path) -> None:
    file = tmp_path / "reply.txt"
    file.write_text(obj(', "pass": false, "reason": "정상"'), encoding="utf-8")
    done = screenmark("parse", "--kind", "rubric", str(file))
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["outcome"] == "ok"
    assert shown["value"] == shown["scores"]
    assert (shown["status"], shown["total_raw"], shown["total_normalized"]) == ("ok", 120, 92)
    assert (shown["pass"], shown["flags"]) == (True, ["pass_mismatch"])
    assert (shown["error"], shown["field"], shown["reason"]) == (None, None, "정상")


def test_the_stop_reason_counts() -> None:
    (case,) = (case for case in file_cases() if case["why"] == "truncated")
    done = screenmark(
        *("parse", "--kind", "rubric", "--stop-reason", case["stop_reason"], "-"),
        stdin=case["reply"],
    )
    shown = json.loads(done.stdout)
    assert shown["outcome"] == "truncated"
    assert {name: shown[name] for name in case["expect"]} == case["expect"]
