"""``screenmark show``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from screenmark.cli.messages import say
from screenmark.cli.shared import AsJson, Format, RunPath, RunsDir, chosen_format, open_run

if TYPE_CHECKING:
    from PIL.Image import Image

    from screenmark.benchmarks import Benchmark
    from screenmark.engine import Run
    from screenmark.types import Record, Table

HELP = """\b
Examples:
  screenmark show
  screenmark show --worst 5
  screenmark show runs/gui-hallubench-ocr-0123456789 --sample login.png \\
      --picture login.png
"""


_CANDIDATES = 10
_NO_SHARES = {"distance", "score"}
_SHORT = {"avg_description_similarity": "similarity", "image_path": "page", "f1": "F1"}


def command(
    run: RunPath = None,
    sample: Annotated[
        str | None,
        typer.Option(help="Show this sample: its id, or a beginning or end that no other has."),
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(help="Show the steps of this episode: its folder's name, or its task."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="With --sample: draw it and its boxes to this PNG file. With --episode: all its "
            "screens, with the actions."
        ),
    ] = None,
    worst: Annotated[
        int | None, typer.Option(help="List so many samples with the lowest score.", min=1)
    ] = None,
    runs_dir: RunsDir = Path("runs"),
    format: Format = "table",
    as_json: AsJson = False,
) -> None:
    from screenmark.benchmarks import benchmark_class
    from screenmark.cli.outcome import say_how_to_ask_again
    from screenmark.engine import Run
    from screenmark.errors import UsageError
    from screenmark.reports import render
    from screenmark.reports.result_tables import result_tables

    shape = chosen_format(format, as_json)
    opened = Run(*open_run(run, runs_dir))
    kind = benchmark_class(opened.manifest.benchmark)
    data: Any
    tables_of_run = False
    if episode is not None:
        tables, data = _episode(opened, episode, picture)
    elif sample is not None:
        record = _find(opened, sample)
        tables, data = kind.sample_tables(record), msgspec.to_builtins(record)
        if picture is not None:
            _draw(kind, record, picture)
    elif picture is not None:
        raise UsageError("--picture shows one sample: name it with --sample or --episode")
    elif worst is not None:
        data = _worst(opened.results["per_sample"], kind.rank, worst)
        title = f"The {len(data)} lowest by {kind.ranked_by or kind.info.sample_metric}"
        tables = [_rows_table(title, data, kind.columns)]
    else:
        data, tables_of_run = opened.results, True
        tables = result_tables(data)
    typer.echo(render(tables, data, shape), nl=False)
    if tables_of_run and shape == "table":
        say_how_to_ask_again(opened, data)


def _episode(run: Run, wanted: str, picture: Path | None) -> tuple[list[Table], Any]:
    from screenmark.cli.episodes import find_episode
    from screenmark.reports.episodes import contact_sheet, episode_tables

    trajectory = find_episode(run, wanted)
    if picture is not None:
        _save(contact_sheet(trajectory), picture)
    data = {
        "episode": msgspec.to_builtins(trajectory.episode),
        "steps": msgspec.to_builtins(trajectory.steps),
    }
    return episode_tables(trajectory), data


def _find(run: Run, wanted: str) -> Record:
    from screenmark.errors import UsageError

    found: dict[str, Record] = {}
    for record in run.records:
        id = record.sample_id
        if id == wanted:
            return record
        if id.startswith(wanted) or id.endswith(wanted) or f"/{wanted}" in id:
            found.setdefault(id, record)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        names = ", ".join(list(found)[:_CANDIDATES])
        more = f" and {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
        raise UsageError(f"--sample {wanted}: could be {names}{more}")
    example = next((record.sample_id for record in run.records), None)
    hint = f"; ids are like {example}" if example is not None else ""
    raise UsageError(f"--sample {wanted}: no such sample in this run{hint}")


def _draw(kind: type[Benchmark[Any, Any]], record: Record, picture: Path) -> None:
    from screenmark.errors import UsageError
    from screenmark.reports.overlay import draw

    if not record.sample.get("file"):
        raise UsageError(f"--picture: {record.sample_id} has no screenshot, or none was found")
    _save(
        draw(record.sample["file"], kind.sample_boxes(record), kind.sample_caption(record)), picture
    )


def _save(drawn: Image, picture: Path) -> None:
    from screenmark.errors import UsageError

    try:
        drawn.save(picture)
    except ValueError:
        raise UsageError(
            f"--picture {picture}: expected a name like page.png or page.jpg"
        ) from None
    except OSError as error:
        raise UsageError(f"--picture {picture}: cannot be written ({error.strerror})") from None
    say(f"drawn to {picture}")


def _worst(
    rows: list[dict[str, Any]],
    rank: Callable[[dict[str, Any]], tuple[float, ...] | None],
    count: int,
) -> list[dict[str, Any]]:
    """The rows with the lowest scores; of those that tie, each screenshot's first come first."""
    before: Counter[tuple[Any, Any]] = Counter()
    keyed = []
    for row in rows:
        place = rank(row)
        if place is None:
            continue
        tie = (place, row.get("image_path"))
        keyed.append(((place, before[tie]), row))
        before[tie] += 1
    return [row for _, row in sorted(keyed, key=lambda pair: pair[0])[:count]]


def _rows_table(title: str, rows: list[dict[str, Any]], names: Sequence[str]) -> Table:
    from screenmark.types import Table

    if not rows:
        note = "No sample of this run has a score; without --worst, show says why."
        return Table(title=title, columns=(), rows=(), note=note)
    if names:
        said = [name for name in names if any(row.get(name) not in (None, "") for row in rows)]
        rows = [{name: row.get(name) for name in said} for row in rows]
    ratios = {name for row in rows for name, value in row.items() if isinstance(value, float)}
    ratios -= _NO_SHARES
    columns = tuple(
        _SHORT.get(name, name.replace("_", " ")) + (" %" if name in ratios else "")
        for name in rows[0]
    )
    return Table(title=title, columns=columns, rows=tuple(tuple(row.values()) for row in rows))
