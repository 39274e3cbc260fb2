"""Progress: lines, the bar, and what they say, under a fake clock."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

import pytest

from screenmark.engine import progress as engine_progress
from screenmark.engine.progress import Progress, Silent, Waiting
from screenmark.reports import make_display
from screenmark.reports import progress as progress_module
from screenmark.reports.progress import Bar, Lines, detail_line, status_line
from screenmark.types import Outcome, Record


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (engine_progress, progress_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=made))
    return made


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def record(outcome: Outcome = Outcome.OK) -> Record:
    return Record(sample_id="s", position=0, outcome=outcome, sample={})


def after(clock: Clock, seconds: float, progress: Progress, *outcomes: Outcome) -> Progress:
    clock.now += seconds
    progress.count([record(outcome) for outcome in outcomes])
    return progress


OK, BAD = Outcome.OK, Outcome.API_ERROR


@pytest.mark.parametrize(
    ("total", "resumed", "seconds", "outcomes", "line"),
    [
        pytest.param(10, 0, 0, [], "0/10 · 0 s", id="start"),
        pytest.param(10, 0, 75, [], "0/10 · 1 min 15 s", id="nothing yet"),
        pytest.param(10, 4, 0, [], "4/10 · 4 from before · 0 s", id="resumed"),
        pytest.param(10, 0, 2, [OK] * 4, "4/10 · 2.0/s · 3 s left", id="some a second"),
        pytest.param(10, 0, 20, [OK] * 4, "4/10 · 5.0 s each · 30 s left", id="slow"),
        pytest.param(
            10, 4, 20, [OK] * 4, "8/10 · 4 from before · 5.0 s each · 10 s left", id="both"
        ),
        pytest.param(
            200, 0, 100, [OK] * 100, "100/200 · 1.0/s · 1 min 40 s left", id="minutes"
        ),
        pytest.param(9003, 0, 3, [OK] * 3, "3/9003 · 1.0/s · 2 h 30 min left", id="hours"),
        pytest.param(580, 0, 5, [OK], "1/580 · 5.0 s each", id="too early to say"),
        pytest.param(11, 0, 60, [OK], "1/11 · 60.0 s each · 10 min 00 s left", id="slow enough"),
        pytest.param(4, 0, 2, [OK, BAD, OK, BAD], "4/4 · 2.0/s · 2 failed", id="failures"),
        pytest.param(
            2, 0, 2, [Outcome.UNPARSEABLE, Outcome.REFUSED], "2/2 · 1.0/s", id="no failures of ours"
        ),
        pytest.param(4, 0, 0, [OK], "1/4", id="in no time"),
    ],
)  # fmt: skip
def test_status_line(
    clock: Clock, total: int, resumed: int, seconds: float, outcomes: list[Outcome], line: str
) -> None:
    progress = after(clock, seconds, Progress(total, resumed), *outcomes)
    assert status_line(progress).startswith(line)
    if seconds:
        assert status_line(progress) == line


def test_progress_counts_what_is_on_disk(clock: Clock) -> None:
    progress = Progress(10, 3)
    assert (progress.done, progress.failures, progress.rate) == (3, 0, 0.0)
    assert progress.seconds_left is None
    after(clock, 4, progress, OK, BAD)
    assert (progress.done, progress.failures, progress.rate) == (5, 1, 0.5)
    assert progress.seconds_left is None, "two of the first say little of the rest"
    after(clock, 2, progress, OK)
    assert progress.seconds_left == 8.0


def test_the_time_left_follows_the_last_half_minute(clock: Clock) -> None:
    progress = after(clock, 60, Progress(630, 0), *[OK] * 10)
    for _ in range(40):
        after(clock, 1, progress, OK, OK, OK)
    # The first, slow ones are forgotten: 500 at three a second.
    assert progress.seconds_left == pytest.approx(500 / 3, rel=0.05)
    clock.now += 300
    assert progress.seconds_left is not None, "a pause is no end"


def test_of_a_model_that_looks_once_the_time_left_is_counted_in_images(clock: Clock) -> None:
    progress = Progress(400, 0)
    progress.expect_images(f"{n % 10}.png" for n in range(400))
    for n in range(4):
        clock.now += 5
        progress.count(
            [Record(sample_id=str(n), position=n, outcome=OK, sample={"file": f"{n}.png"})]
        )
    assert progress.seconds_left == 30.0, "six images of five seconds, whatever is asked about them"


def waiting(clock: Clock, *pairs: tuple[str, float]) -> dict[int, Waiting]:
    return {n: Waiting(reason, clock.now + s) for n, (reason, s) in enumerate(pairs)}


@pytest.mark.parametrize(
    ("state", "line"),
    [
        pytest.param({}, "", id="nothing"),
        pytest.param({"in_flight": {0: "a.png", 1: "b.png"}}, "waiting for a.png, b.png", id="end"),
        pytest.param({"in_flight": dict.fromkeys(range(4), "a")}, "", id="many in flight"),
        pytest.param({"in_flight": {0: "a"}, "total": 100}, "", id="far from the end"),
        pytest.param(
            {"in_flight": {0: "\x1b[2J\u202e"}}, "waiting for \\x1b[2J\\u202e", id="hostile id"
        ),
        pytest.param(
            {"in_flight": {0: "data/images/" + "x" * 50 + ".png"}},
            "waiting for …" + "x" * 27 + ".png",
            id="the end of a long id",
        ),
        pytest.param(
            {"draining": True, "in_flight": {0: "a", 1: "b"}},
            "stopping: 2 in flight will still be kept; Ctrl-C again drops them",
            id="draining",
        ),
        pytest.param(
            {"waits": [("status 500", 9.0), ("status 429", 2.4)], "in_flight": {0: "a"}},
            "2 waiting to retry, next in 2 s: status 429",
            id="retries, the next one first",
        ),
        pytest.param({"waits": [("x", -3.0)]}, "1 waiting to retry, next in 0 s: x", id="due"),
        pytest.param(
            {"waits": [("\x1b]0;evil\x07" + "y" * 100, 1.0)]},
            "1 waiting to retry, next in 1 s: \\x1b]0;evil\\x07" + "y" * 45,
            id="hostile and long reason",
        ),
    ],
)
def test_detail_line(clock: Clock, state: dict[str, Any], line: str) -> None:
    progress = Progress(state.get("total", 3), 0)
    progress.in_flight = state.get("in_flight", {})
    progress.draining = state.get("draining", False)
    progress.waiting = waiting(clock, *state.get("waits", []))
    assert detail_line(progress) == line


def test_lines_come_every_ten_seconds_only(clock: Clock) -> None:
    stream = io.StringIO()
    display, progress = Lines(stream), Progress(100, 0)
    display.start(progress)
    for _ in range(5 * 25):  # 25 seconds, five updates a second
        after(clock, 0.2, progress, OK)
        display.update(progress)
    progress.waiting = waiting(clock, ("busy", 4.0))
    clock.now += 10
    display.update(progress)
    display.stop(progress)
    lines = stream.getvalue().splitlines()
    assert [line.partition(" ·")[0] for line in lines] == [
        "0/100", "50/100", "100/100", "125/100", "125/100",
    ]  # fmt: skip
    assert lines[3].endswith(" | 1 waiting to retry, next in 0 s: busy")


def test_display_follows_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(make_display(io.StringIO()), Lines)
    assert isinstance(make_display(Terminal()), Bar)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert isinstance(make_display(), Bar)


def test_bar_on_a_terminal(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream = Terminal()
    display, progress = Bar(stream), Progress(4, 0)
    display.update(progress)
    assert stream.getvalue() == ""
    display.start(progress)
    after(clock, 2, progress, OK, BAD)
    progress.waiting = waiting(clock, ("[red]busy\x1b[2J", 3.0))
    display.update(progress)
    drawn = stream.getvalue()
    assert "2/4 · 1.0/s · 1 failed · 2 s left" in drawn
    assert "━" in drawn
    assert "1 waiting to retry, next in 3 s: [red]busy\\x1b[2J" in drawn
    assert "\x1b[2J" not in drawn
    after(clock, 2, progress, OK, OK)
    display.stop(progress)
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue().splitlines()[-1])
    assert last.endswith("4/4 · 1.0/s · 1 failed")
    length = len(stream.getvalue())
    display.update(progress)
    assert len(stream.getvalue()) == length


@pytest.mark.parametrize("terminal", [False, True])
def test_what_has_to_be_known_first_stands_first(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal() if terminal else io.StringIO()
    display, progress = make_display(stream), Progress(2, 0, "finished before\x1b[2J")
    display.start(progress)
    assert stream.getvalue().startswith("finished before\\x1b[2J\n")
    display.stop(progress)
    assert stream.getvalue().count("finished before") == 1


class Broken(io.StringIO):
    """A stream that fails; as a terminal too."""

    def __init__(self, error: Exception, terminal: bool) -> None:
        super().__init__()
        self.error = error
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        raise self.error

    def flush(self) -> None:
        raise self.error


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize(
    "error",
    [BrokenPipeError(32, "Broken pipe"), OSError(28, "No space left"), ValueError("closed file")],
    ids=["pipe", "full", "closed"],
)
def test_a_stream_that_fails_stops_nothing(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, error: Exception, terminal: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    display, progress = make_display(Broken(error, terminal)), Progress(2, 0)
    display.start(progress)
    clock.now += 20
    display.update(progress)
    display.stop(progress)


def test_no_stream_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    assert isinstance(make_display(closed), Silent)
    monkeypatch.setattr("sys.stderr", None)
    assert isinstance(make_display(), Silent)


def test_bar_of_an_empty_run(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    display, progress = Bar(Terminal()), Progress(0, 0)
    display.start(progress)
    display.update(progress)
    display.stop(progress)


def test_silent_takes_everything() -> None:
    display, progress = Silent(), Progress(1, 0)
    display.start(progress)
    display.update(progress)
    display.stop(progress)
    assert vars(display) == {}
