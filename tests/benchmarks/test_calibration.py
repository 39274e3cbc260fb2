"""Calibration finds the space of simulated models, and says so if none fits."""

import random
from pathlib import Path

import pytest
from PIL import Image

import screenmark
from screenmark.benchmarks.calibration.fit import Said, fit
from screenmark.benchmarks.calibration.pages import COUNT, targets, write_pages
from screenmark.geometry import Size, Space
from screenmark.models import BaseLLMAdapter
from screenmark.profile_files import find_profile
from tests.support.commands import command

CONVENTIONS = {
    "unit": ("unit", False),
    "permille": ("permille", False),
    "pixel": ("pixel", False),
    "qwen2.5-vl": ("resized(28, 3136, 12845056)", False),
    "capped-at-a-megapixel": ("resized(28, 3136, 1003520)", False),
    "server-side-resize": ("fitted(1024, 1, 1000000000)", False),
    "claude": ("fitted(1568, 28, 1568)", False),
    "gemini": ("permille", True),
    "percent": ("percent", False),
}


def replies(space: str, swapped: bool, noise: float, seed: int) -> list[Said]:
    generator = random.Random(seed)
    said = []
    for target in targets():
        size = Size(target.width, target.height)
        width, height = Space.parse(space).extent(size)
        x = (target.x + generator.gauss(0, noise)) * width
        y = (target.y + generator.gauss(0, noise)) * height
        digits = 3 if space == "unit" else 0
        numbers = (round(y, digits), round(x, digits)) if swapped else (
            round(x, digits), round(y, digits)
        )  # fmt: skip
        said.append(Said(numbers, size, target.x, target.y))
    return said


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("space", "swapped"), CONVENTIONS.values(), ids=CONVENTIONS)
def test_every_convention_is_found(space: str, swapped: bool, seed: int) -> None:
    found = fit(replies(space, swapped, 0.004, seed), COUNT)
    order = ", y before x" if swapped else ""
    assert found["y_first"] is swapped
    named = [f"{found['space']}{order}", *found["alike"]]
    assert f"{space}{order}" in named
    assert found["confidence"] > 0.95
    assert found["explained"] > 0.9


def test_pixel_and_qwen_are_told_apart_only_by_exact_replies() -> None:
    exact = fit(replies("resized(28, 3136, 12845056)", False, 0.0, 0), COUNT)
    assert exact["space"] == "resized(28, 3136, 12845056)"
    noisy = fit(replies("pixel", False, 0.01, 0), COUNT)
    assert "pixel" in [noisy["space"], *noisy["alike"]]
    assert noisy["alike"]


def test_some_misses_change_nothing() -> None:
    said = replies("permille", False, 0.004, 1)
    wrong = [
        one._replace(numbers=(3.0, 990.0)) if n % 4 == 0 else one for n, one in enumerate(said)
    ]
    found = fit(wrong, COUNT)
    assert found["space"] == "permille"
    assert 0.7 < found["explained"] < 0.8


@pytest.mark.parametrize("seed", range(5))
def test_random_numbers_fit_nothing(seed: int) -> None:
    generator = random.Random(seed)
    said = [
        one._replace(numbers=(generator.uniform(0, 1000), generator.uniform(0, 1000)))
        for one in replies("permille", False, 0, 0)
    ]
    assert fit(said, COUNT)["space"] is None


def test_one_place_for_everything_fits_nothing() -> None:
    said = [one._replace(numbers=(500.0, 500.0)) for one in replies("permille", False, 0, 0)]
    assert fit(said, COUNT)["space"] is None
    assert fit([], COUNT)["space"] is None


def test_pages_show_what_their_targets_say(tmp_path: Path) -> None:
    write_pages(tmp_path)
    made = targets()
    assert len({target.name for target in made}) == COUNT == 40
    assert len({(target.width, target.height) for target in made}) == 10
    reds = {"red": (214, 39, 40), "blue": (31, 90, 200), "green": (30, 150, 60)}
    for target in made:
        colour = target.what.split()[0]
        with Image.open(tmp_path / target.name) as page:
            assert page.size == (target.width, target.height)
            if colour in reds:
                place = (round(target.x * target.width), round(target.y * target.height))
                assert page.convert("RGB").getpixel(place) == reds[colour]
        # Away from the middle, where every reading agrees.
        assert max(abs(target.x - 0.5), abs(target.y - 0.5)) > 0.1


class Simulated(BaseLLMAdapter):
    """Sees perfectly, and answers per mille, as a tool call."""

    def infer(self, image_path: str, prompt: str) -> str:
        target = next(t for t in targets() if t.name == Path(image_path).name)
        assert target.what in prompt
        x, y = round(1000 * target.x), round(1000 * target.y)
        return f'{{"action": "left_click", "coordinate": [{x}, {y}]}}'


class Blind(BaseLLMAdapter):
    """Sees nothing."""

    def infer(self, image_path: str, prompt: str) -> str:
        return "(100, 100)"


def test_command(tmp_path: Path) -> None:
    name = f"{__name__}:Simulated"
    target, runs = tmp_path / "mine.toml", tmp_path / "runs"
    done = command("calibrate", "--adapter", name, "--runs-dir", runs, "--write", target)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "The model answers in permille: sure to 100%" in said
    profile = find_profile(str(target))
    assert (profile.space, profile.y_first, profile.syntaxes[0]) == ("permille", False, "json")
    run = screenmark.run(
        "mmbench-gui-l2",
        adapter=f"{__name__}:Blind",
        profile=str(target),
        max_samples=1,
        runs_dir=runs,
    )
    assert run.records.__iter__().__next__().answer.value == [0.1, 0.1]  # type: ignore[union-attr]


def test_command_on_a_model_that_sees_nothing(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    options = ("--adapter", f"{__name__}:Blind", "--runs-dir", tmp_path / "runs")
    done = command("calibrate", *options, "--write", target)
    assert done.returncode == 1
    assert "No reading fits" in " ".join(done.stdout.split())
    assert not target.exists()
    assert "mine.toml: not written, since no reading was found" in done.stderr
    runs = [path for path in (tmp_path / "runs").iterdir() if path.name[0] != "."]
    assert [path.joinpath("manifest.json").is_file() for path in runs] == [True], (
        "runs/*: only runs"
    )
    hint = " ".join(done.stdout.split()).partition("screenmark show ")[2].split()[:2]
    shown = command("show", runs[0], *hint)
    assert shown.returncode == 0, shown.stderr


class Silent(BaseLLMAdapter):
    """Answers in words alone."""

    def infer(self, image_path: str, prompt: str) -> str:
        return "It is near the top."


def test_command_on_a_model_that_writes_no_coordinates(tmp_path: Path) -> None:
    options = ("--adapter", f"{__name__}:Silent", "--runs-dir", tmp_path / "runs")
    done = command("calibrate", *options)
    assert done.returncode == 1
    assert "No reply holds coordinates" in " ".join(done.stdout.split())
