"""Many warnings of one kind take one line."""

from __future__ import annotations

import pytest

from screenmark.rendering.remarks import by_kind

SCRIPTS = [f"script not served: https://x/{n}.js (unknown)" for n in range(42)]
ERRORS = [f"script error: {n} is not defined" for n in range(3)]
LEFT = "not settled after 15.0 s: images"


@pytest.mark.parametrize(
    ("warnings", "lines"),
    [
        ([], []),
        ([LEFT, *SCRIPTS[:2]], [LEFT, *SCRIPTS[:2]]),
        ([SCRIPTS[0]] * 5, SCRIPTS[:1]),
        (
            [*SCRIPTS, *ERRORS, LEFT],
            [
                "42 × script not served, such as https://x/0.js (unknown)",
                "3 × script error, such as 0 is not defined",
                LEFT,
            ],
        ),
        ([f"{n}: other" for n in range(8)], [f"{n}: other" for n in range(8)]),
        (
            [f"{n}: other" for n in range(10)],
            [*(f"{n}: other" for n in range(7)), "3 kinds of warnings more"],
        ),
        (["x" * 201], ["x" * 199 + "…"]),
    ],
    ids=["none", "few", "the same", "many of two kinds", "eight kinds", "ten kinds", "long"],
)
def test_lines(warnings: list[str], lines: list[str]) -> None:
    assert by_kind(warnings) == lines
