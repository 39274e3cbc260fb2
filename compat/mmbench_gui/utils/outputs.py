"""A finished run as MMBench-GUI's files: its names, its columns, its units."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

import screenmark
from screenmark.benchmarks import benchmark_class, content_understanding
from screenmark.benchmarks.element_grounding import summary as grounding_summary
from screenmark.engine import Run
from screenmark.reports.export import Rows, write_export
from screenmark.types import TARGET_ABSENT, Record

_L1, _L2 = "GUIContentUnderstanding", "GUIElementGrounding"
_LONGEST = 150
Row = dict[str, Any]


class Outputs:
    """The files of one model on one data set.

    They lie in ``{work_dir}/{model}/T{date}_G{code}/``, the code standing for the version of
    Screenmark; links in ``{work_dir}/{model}/`` lead to the newest. Another run's files of the
    same day are kept: the folder of the later ones ends in ``_2``, ``_3``, …
    """

    def __init__(self, work_dir: Path, model: str, dataset: str, run: str) -> None:
        """``run`` is the name of the run's folder, whose files may be written again."""
        self.name = file_name(model)
        self.dataset = dataset
        code = hashlib.sha256(screenmark.__version__.encode()).hexdigest()[:8]
        first = work_dir / self.name / f"T{time.strftime('%Y%m%d')}_G{code}"
        later = (first.with_name(f"{first.name}_{number}") for number in itertools.count(2))
        self.folder = next(
            folder for folder in itertools.chain([first], later) if self._take(folder, run)
        )
        self.written: list[Path] = []

    def _take(self, folder: Path, run: str) -> bool:
        """Whether nobody else's files are there; from now on it is this run's."""
        owner = folder / f".{self.dataset}.run"
        folder.mkdir(parents=True, exist_ok=True)
        if owner.is_file():
            return owner.read_text(encoding="utf-8") == run
        mine = f"{self.name}_{self.dataset}"
        if any(path.name.startswith(mine) for path in folder.iterdir()):
            return False
        owner.write_text(run, encoding="utf-8")
        return True

    def write_predictions(self, run: Run) -> None:
        """``{model}_{dataset}.xlsx``: the rows of the data with what the model said."""
        self._sheet(run, ".xlsx", _prediction_row)

    def write_scores(self, run: Run, *, weighted: bool) -> dict[str, Any]:
        """The judged rows as a workbook, the scores as JSON; returns the scores.

        Args:
            weighted: L1's option-weighted score in place of the plain one.
        """
        if self.dataset == _L1:
            self._sheet(run, "_result.xlsx", _choice_row)
            scores = content_understanding.summary.public_scores(run.results, weighted=weighted)
            self._json("_scores.json", scores)
        elif self.dataset == _L2:
            self._sheet(run, "_result.xlsx", _grounding_row)
            scores = grounding_summary.public_scores(run.results)
            self._json("_score.json", scores)
        else:
            scores = run.results["headline"]
            self._json("_score.json", scores)
        return scores

    def link(self) -> None:
        """Make links to the files one folder up, where the file system has such."""
        for path in self.written:
            link = self.folder.parent / path.name
            with suppress(OSError, NotImplementedError):
                link.unlink(missing_ok=True)
                link.symlink_to(os.path.relpath(path, link.parent))

    def _path(self, ending: str) -> Path:
        path = self.folder / f"{self.name}_{self.dataset}{ending}"
        self.written.append(path)
        return path

    def _json(self, ending: str, value: dict[str, Any]) -> None:
        text = json.dumps(value, indent=4, ensure_ascii=False, allow_nan=False)
        self._path(ending).write_text(text + "\n", encoding="utf-8")

    def _sheet(self, run: Run, ending: str, row: Callable[[Record, Row], Row]) -> None:
        kind = benchmark_class(run.manifest.benchmark)

        def each() -> Iterator[Row]:
            for record in run.records:
                line = kind.line_of(msgspec.convert(record.sample, kind.sample_type))
                yield {name: _cell(value) for name, value in row(record, line).items()}

        write_export(Rows(run.folder.records, each), "xlsx", self._path(ending), self.dataset)


def file_name(model: str) -> str:
    """A model's name as that of a file: no separator, nothing that cannot be seen, not too long."""
    name = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in model)
    if not name.strip(". "):
        name = "_" * max(1, len(name))
    # Room for what follows the name, in the 255 bytes that file systems allow.
    if len(name.encode("utf-8")) > _LONGEST:
        digest = hashlib.sha256(name.encode("utf-8")).hexdigest()[:8]
        name = name.encode("utf-8")[:_LONGEST].decode("utf-8", "ignore") + f"_{digest}"
    return name


def _prediction_row(record: Record, line: Row) -> Row:
    return {**line, "prediction": _said(record), "outcome": record.outcome.value}


def _choice_row(record: Record, line: Row) -> Row:
    answer = record.answer
    return {
        **_prediction_row(record, line),
        "hit": record.score["correct"],
        "log": _why(record),
        "parsed_prediction": None if answer is None else answer.value,
        "options_num": record.score["num_options"],
    }


def _grounding_row(record: Record, line: Row) -> Row:
    point, answer = record.score["point"], record.answer
    declined = answer is not None and answer.reason == TARGET_ABSENT
    return {
        "img_path": line["image_path"],
        "instruction": line["instruction"],
        "bbox": line["bbox"],
        "parsed_bbox(format:x1,y1,x2,y2)": _fractions(record.sample),
        "type": line["data_type"],
        "app_name": line["app_name"],
        "platform": line["platform"],
        "match": record.score["hit"],
        "is_wrong_format": int(point is None and not declined),
        "pred_bbox": point,
        "grounding_type": line["grounding_type"],
        "log": _why(record),
    }


def _fractions(sample: Row) -> list[float] | None:
    shapes = sample.get("shapes") or []
    return list(shapes[0]) if shapes else None


def _said(record: Record) -> str:
    if record.reply is not None:
        return record.reply.text
    return record.failure.message if record.failure is not None else ""


def _why(record: Record) -> str:
    """How the sample ended, and why if not well."""
    reason = record.answer.reason if record.answer is not None else None
    if record.failure is not None:
        reason = record.failure.message
    return record.outcome.value + (f": {reason}" if reason else "")


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
