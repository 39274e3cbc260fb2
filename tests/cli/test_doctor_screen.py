"""What a person at a terminal is shown of what doctor found."""

import pytest
from rich.cells import cell_len

from screenmark.cli.doctor_screen import screen
from screenmark.doctor import Finding

LONG = "这是一个很长的说明，" * 12 + "and words " * 20
SECTIONS = [
    ("this machine", [Finding(check="disk", status="ok", detail="9 GB free")]),
    (
        "mine\x1b[31m",
        [
            Finding(check="data", status="failed", detail=LONG, remedy="mend a.json"),
            Finding(check="profile", status="warning", detail="[bold]", remedy="--profile NAME"),
        ],
    ),
]


@pytest.mark.parametrize(("columns", "widest"), [("80", 80), ("120", 120), ("", 100)])
def test_as_wide_as_it_may_be(monkeypatch: pytest.MonkeyPatch, columns: str, widest: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.__stdout__", None)  # no terminal to ask
    lines = screen(SECTIONS).splitlines()
    assert widest - 12 < max(map(cell_len, lines)) <= widest
    assert all(line == line.rstrip() for line in lines)


def test_what_it_says() -> None:
    text = screen(SECTIONS)
    assert "  failed   data     这是" in text
    assert "→ mend a.json\n" in text
    assert "mine\\x1b[31m" in text
    assert "[bold]" in text
    assert text.endswith("\n1 failed, 1 warning. What mends it stands behind →\n")
    assert screen(SECTIONS[:1]).endswith("\nNothing is in the way.\n")
