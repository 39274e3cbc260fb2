"""Options of classification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from screenmark.benchmarks.data_folders import FolderOptions
from screenmark.options import option


class ClassificationOptions(FolderOptions, frozen=True, kw_only=True):
    """What every task of classification has."""

    setting: Annotated[
        Literal["zero-shot", "fine-tuned"],
        option(
            "Whether the model was trained on this task's data; said in the table's title.",
            changes_answers=True,
        ),
    ] = "zero-shot"
    modalities: Annotated[
        str | None,
        option(
            "What the model is given, with commas: img, ocr, vh.",
            changes_answers=True,
            metavar="LIST",
        ),
    ] = None
    classes: Annotated[
        Path | None,
        option(
            "With a label file of your own: its classes, one a line; numbers in the file count "
            "them from 0.",
            changes_answers=True,
            metavar="FILE",
        ),
    ] = None


class AppTypeOptions(ClassificationOptions, frozen=True, kw_only=True):
    """Options of app types, whose published figures are on data of two sizes."""

    variant: Annotated[
        Literal["enrico", "72k", "43.5k"],
        option(
            "Which data: the bundled topics of Enrico, or app types on all 72k screens of Rico "
            "or on ActionBert's 43.5k; said in the table's title.",
            changes_answers=True,
        ),
    ] = "enrico"
