"""What a worker needs of a machine."""

from __future__ import annotations

import pytest

from screenmark.needs import Needs


@pytest.mark.parametrize(
    ("needs", "expected"),
    [
        pytest.param(Needs(), {"CPU": 1.0}, id="one processor at least"),
        pytest.param(Needs(cpus=2) | Needs(cpus=0.5), {"CPU": 2.5}, id="sum"),
        pytest.param(
            Needs(gpus=0.5, browser=True) | Needs(gpus=1),
            {"CPU": 1.0, "GPU": 1.5, "browser": 1.0},
            id="both",
        ),
        pytest.param(Needs(display=True) | Needs(), {"CPU": 1.0, "display": 1.0}, id="display"),
    ],
)
def test_resources(needs: Needs, expected: dict[str, float]) -> None:
    assert needs.resources() == expected
