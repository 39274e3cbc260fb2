"""``screenmark data download``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from screenmark.cli.shared import AsJson

if TYPE_CHECKING:
    from screenmark.downloads import Downloaded

SUMMARY = "Fetch a public data set, or go on fetching it."
HELP = """\b
Files are checked before anything is unpacked. What is here already is not fetched
again, and what was interrupted goes on. `screenmark data list` names the data sets.

\b
Examples:
  screenmark data download mmbench-gui
  LMUData=/data screenmark data download mmbench-gui
  HF_ENDPOINT=https://hub.example.org screenmark data download screenspot-v2
  screenmark data download screenspot-pro --to /data/screenspot-pro
  screenmark data download rico
  screenmark data download mmbench-gui --url https://example.org/mmb
"""


def command(
    name: Annotated[str, typer.Argument(help="Which data set.", metavar="NAME")],
    to: Annotated[
        Path | None,
        typer.Option(
            help="Folder for it; else $LMUData/MMBench-GUI for mmbench-gui, and for the others "
            "a folder below $SCREENMARK_DATA or the user's caches."
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            help="A web server that holds the same files, instead of the hub.", metavar="BASE"
        ),
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(help="Another commit, branch or tag than the one that is known to fit."),
    ] = None,
    sha256: Annotated[
        list[str] | None,
        typer.Option(
            "--sha256", help="What a file has to have; may be repeated.", metavar="FILE=HEX"
        ),
    ] = None,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Take files that nothing is known about.")
    ] = False,
    keep_archives: Annotated[
        bool, typer.Option("--keep-archives", help="Keep archives after they are unpacked.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    from screenmark.cli.data_progress import make_progress
    from screenmark.downloads import Wanted, download, given_digests

    wanted = Wanted(
        name=name,
        to=to,
        url=url,
        revision=revision,
        sha256=given_digests(sha256 or []),
        verify=not no_verify,
        keep_archives=keep_archives,
    )
    with make_progress() as progress:
        done = download(wanted, progress)
    _show(done, as_json)


def _show(done: Downloaded, as_json: bool) -> None:
    from screenmark.cli.messages import note
    from screenmark.jsonfile import dump_json

    if done.unverified:
        names = ", ".join(done.unverified[:5])
        more = f" and {len(done.unverified) - 5} more" if len(done.unverified) > 5 else ""
        note("warning", f"nothing was known to check these against: {names}{more}", "yellow")
    record = done.record
    if as_json:
        value = {
            "name": done.name,
            "folder": str(done.folder),
            "source": record.source,
            "revision": record.revision,
            "licence": record.licence,
            "fetched": list(done.fetched),
            "kept": done.kept,
            "unverified": list(done.unverified),
            "next": list(done.next),
        }
        typer.echo(dump_json(value), nl=False)
        return
    at = f", commit {record.revision}" if record.revision else ""
    typer.echo(f"{done.name} is in {done.folder}")
    typer.echo(f"from {record.source}{at}; licence: {record.licence}")
    typer.echo(f"{len(done.fetched)} files fetched, {done.kept} were here already")
    for line in done.next:
        typer.echo(f"next: {line}")
