"""How a command ends: what it prints about a run, and its exit code."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import typer

from screenmark.benchmarks.unanswered import PARSE_FAILED, POSTPROCESS_FAILED, faulty_function
from screenmark.cli.messages import note, say
from screenmark.cli.streams import OutputLost
from screenmark.engine import Run
from screenmark.engine.results import error_rate
from screenmark.errors import UsageError
from screenmark.profile_files import profile_warnings
from screenmark.reports import render
from screenmark.reports.result_tables import result_tables
from screenmark.types import Failure, Outcome

_SHOWN = 10
_KINDS = {
    "TransientError": "endpoint in trouble",
    "ReplyTimeoutError": "no reply in time",
    "UnreachableError": "endpoint out of reach",
    "RejectedError": "request refused",
    "CredentialsError": "key refused",
    "MissingPrediction": "no prediction",
    "ImageError": "image cannot be read",
    "StageError": "function of your own",
}
"""Kinds of failures in words; others, as an adapter of the user's own raises, by their name."""

_NO_API: Final = ("status 200 but", "the reply has no", "the reply is no", "choices[0].")
"""How messages begin about an answer that came, but from something else, such as a web site."""


def finish(run: Run, format: str | None) -> int:
    """Print results, problems and where things are; return the exit code.

    Without a format the results are left to somebody else to print.
    """
    results = run.results
    lost = None
    rate = error_rate(results)
    # Tables of nothing but failures would only hide the reason. Programs get their data.
    empty = rate == 1 and format == "table"
    if format is not None and not empty:
        lost = _print(render(result_tables(results), results, format))
    say_failures(run)
    warnings = [*_about_profiles(run), *run.warnings]
    for line in warnings[:_SHOWN]:
        note("warning", line, "yellow")
    _and_more(len(warnings), "warnings")
    for line in run.problems[:_SHOWN]:
        note("problem", line, "red")
    _and_more(len(run.problems), "problems")
    hint = f"run folder: {run.path}"
    if run.resumed:
        hint += f" ({run.resumed} samples were finished before)"
    say(hint)
    if empty:
        say(
            "no sample was answered, so there is nothing to show. Once the reason is mended, "
            f"ask again with: screenmark run --resume {run.path}"
        )
    if lost is not None:
        note("error", f"standard output cannot be written ({lost}); the results are kept", "red")
        return 2
    if run.problems:
        return 2
    limit = run.manifest.options["max_error_rate"]
    if limit < 1 and (faults := _nothing_read(run, results)):
        for line in faults:
            note("failed", line, "red")
        return 1
    if rate > limit and not empty:
        note(
            "failed",
            f"{rate:.1%} of the samples failed, more than --max-error-rate {limit:g}",
            "red",
        )
    if not empty:
        say_how_to_ask_again(run, results)
    return int(rate > limit)


def say_how_to_ask_again(run: Run, results: dict[str, Any]) -> None:
    """The command that asks about samples that failed, where some did."""
    failed = sum(n for name, n in results["outcomes"].items() if Outcome(name).is_failure)
    if failed:
        say(f"{failed} failed; ask again about those with: screenmark run --resume {run.path}")


def _nothing_read(run: Run, results: dict[str, Any]) -> list[str]:
    """If the user's own function failed on every reply: which one, and on what."""
    outcomes = results["outcomes"]
    unread = outcomes.get(Outcome.UNPARSEABLE.value, 0)
    failed = sum(count for name, count in outcomes.items() if Outcome(name).is_failure)
    if not unread or unread + failed < sum(outcomes.values()):
        return []
    answers = [record.answer for record in run.records if record.answer is not None]
    faults = faulty_function([answer.reason for answer in answers])
    fails = (PARSE_FAILED, POSTPROCESS_FAILED)
    return faults if all((answer.reason or "").startswith(fails) for answer in answers) else []


def _about_profiles(run: Run) -> list[str]:
    """What is wrong beside the profile in use, as long as its file is still there."""
    try:
        return profile_warnings(run.manifest.options.get("profile"))
    except UsageError:
        return []


def say_failures(run: Run) -> None:
    """One line for each kind of failure, with how often and for example where."""
    reasons: Counter[str] = Counter()
    example: dict[str, str] = {}
    records = run.records
    if not records.failures:
        return
    for record in records:
        if record.failure is not None:
            what = _in_words(record.failure)
            reasons[what] += 1
            example.setdefault(what, f"{record.sample_id}: {record.failure.message}")
    for what, count in reasons.most_common():
        note("failed", f"{count} × {what}, for example {example[what]}", "red")


def _in_words(failure: Failure) -> str:
    if failure.kind == "TransientError" and failure.message.startswith(_NO_API):
        return "not an API's answer"
    return _KINDS.get(failure.kind, failure.kind)


def _print(text: str) -> OutputLost | None:
    """Print results; why that could not be done, if anybody waits for them.

    A run is worth its exit code whether or not somebody still reads.
    """
    try:
        typer.echo(text, nl=False)
    except OutputLost as error:
        lost = error
    except OSError as error:
        lost = OutputLost(error)
    else:
        return None
    return lost if lost.matters else None


def _and_more(count: int, what: str) -> None:
    if count > _SHOWN:
        say(f"… and {count - _SHOWN} more {what}, all in the manifest or results")
