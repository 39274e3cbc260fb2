"""Lines on standard error. Text in them may come from a server or from data."""

from __future__ import annotations

from contextlib import suppress


def say(text: str) -> None:
    """One line on standard error, whatever is in the text; dropped if nobody can read it."""
    import typer

    from screenmark.reports.tables import printable

    with suppress(OSError, ValueError):
        typer.echo(printable(text), err=True)


def note(word: str, text: str, colour: str) -> None:
    """A line on standard error that starts with a coloured word."""
    import typer

    with suppress(OSError, ValueError):
        typer.secho(f"{word}: ", fg=colour, bold=True, err=True, nl=False)
    say(text)
