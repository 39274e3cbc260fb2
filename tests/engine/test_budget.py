"""Runs that stop when enough is spent, and go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.engine.budget import Budget, parse_duration
from screenmark.engine.options import EngineOptions
from screenmark.engine.prices import Price, load_prices
from screenmark.errors import DataError, RunInterrupted, UsageError
from screenmark.types import Outcome, Record, Reply, Usage
from tests.support.endpoint import Act, FakeEndpoint
from tests.support.pages import REPLY, make_pages

pytestmark = pytest.mark.usefixtures("in_tmp", "quick_retries")


def run(endpoint: FakeEndpoint, annotation: Path, **options: Any) -> screenmark.Run:
    return screenmark.run(
        "gui-hallubench",
        annotation=annotation,
        api_base=endpoint.url,
        **{"model": "gpt-4o", "concurrency": 1, **options},
    )


def test_tokens_stop_a_run_that_more_tokens_finish(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 6)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:  # ten tokens a reply
        with pytest.raises(RunInterrupted, match=r"tokens are spent, --max-total-tokens is 25"):
            run(endpoint, annotation, max_total_tokens=25)
        assert 3 <= len(endpoint.requests) <= 4
        with pytest.raises(RunInterrupted):
            run(endpoint, annotation, max_total_tokens=25)
        finished = run(endpoint, annotation, max_total_tokens=1000)
    assert finished.results["outcomes"] == {"ok": 6}
    assert len(endpoint.requests) == 6


def test_money_stops_a_run(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 6)
    Path("prices.toml").write_text(
        '[models]\n"gpt-4o" = { input = 0, output = 1e6 }\n', encoding="utf-8"
    )
    with (
        FakeEndpoint([Act(content=REPLY)]) as endpoint,
        pytest.raises(RunInterrupted, match="dollars are spent, --max-cost is 5"),
    ):
        run(endpoint, annotation, max_cost=5, prices="prices.toml")
    assert 2 <= len(endpoint.requests) <= 3


def test_a_deadline_stops_a_run(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 50)
    with FakeEndpoint([Act(content=REPLY, seconds=0.1)]) as endpoint:
        with pytest.raises(RunInterrupted, match=r"--deadline 0\.3s has passed"):
            run(endpoint, annotation, deadline="0.3s")
        assert 1 <= len(endpoint.requests) < 50


def test_an_unknown_price_is_said_before_anything_is_spent(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 1)
    with FakeEndpoint() as endpoint, pytest.raises(UsageError, match="--prices FILE"):
        run(endpoint, annotation, model="mine", max_cost=1)
    assert not endpoint.requests
    assert not Path("runs").exists()


def test_results_say_what_was_spent(tmp_path: Path) -> None:
    annotation = make_pages(tmp_path, 3)
    with FakeEndpoint([Act(content=REPLY)]) as endpoint:
        known = run(endpoint, annotation, cache="replies")
        cached = run(endpoint, annotation, cache="replies")
        unknown = run(endpoint, annotation, model="mine")
    assert known.results["usage"] == {
        "input_tokens": 21,
        "output_tokens": 9,
        "cost_usd": round((21 * 2.5 + 9 * 10) / 1e6, 6),
        "prices_of": load_prices().date,
    }
    assert cached.results["usage"] is None
    assert unknown.results["usage"]["cost_usd"] is None


def test_replies_from_a_cache_cost_nothing() -> None:
    budget = Budget(EngineOptions(max_total_tokens=5), Price(input=1, output=1))
    record = Record("a", 0, Outcome.OK, {}, reply=Reply("", usage=Usage(2, 2)), cached=True)
    budget.spend([record])
    assert budget.tokens == 0
    record.cached = False
    budget.spend([record])
    assert budget.exhausted() is None
    budget.spend([record])
    assert budget.exhausted() == "8 tokens are spent, --max-total-tokens is 5"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("1.5m", 90), ("2h", 7200), ("1d", 86400), (" 15 M ", 900)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-5m", "0", "1e3", "5 weeks", "99999999999d"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UsageError, match="expected a duration"):
        parse_duration(text)


class TestPrices:
    def test_the_bundled_table_is_dated(self) -> None:
        table = load_prices()
        assert table.date is not None
        assert table.date.startswith("20")

    def test_an_entry_of_its_own_comes_before_the_longest_prefix(self, tmp_path: Path) -> None:
        own = tmp_path / "p.toml"
        own.write_text(
            '[models]\n"a*" = {input=1, output=1}\n"ab*" = {input=2, output=2}\n'
            '"abc" = {input=3, output=3}\n',
            encoding="utf-8",
        )
        table = load_prices(own)
        found = [table.price_of(name) for name in ("ax", "abx", "abc", "b")]
        assert [price and price.input for price in found] == [1, 2, 3, None]
        assert table.price_of("gpt-4o") is not None

    def test_dollars(self) -> None:
        price = Price(input=2.5, output=10)
        assert price.of(Usage(1_000_000, 100_000)) == 3.5

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("nonsense", "not TOML"),
            ('[models]\n"a" = 3\n', "expected"),
            ('[models]\n"a" = {input=-1, output=1}\n', "expected"),
            ('[model]\n"a" = {input=1, output=1}\n', "expected"),
        ],
    )
    def test_bad_files(self, tmp_path: Path, text: str, message: str) -> None:
        own = tmp_path / "p.toml"
        own.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=message) as caught:
            load_prices(own)
        assert str(own) in str(caught.value)
