"""MMBench-GUI's L1 annotations to multiple-choice questions.

The format is a JSON array with one object a screenshot: ``image_path``, ``image_size``,
``platform``, ``app_name`` and ``groups``, three questions that are easy, medium and hard by
their position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from screenmark.benchmarks.annotation_items import (
    Item,
    Screenshot,
    Screenshots,
    content_id,
    image_paths_of,
    kind,
    load_items,
)
from screenmark.benchmarks.base import Dataset, Sample
from screenmark.benchmarks.data_folders import Place
from screenmark.errors import DataError
from screenmark.jsonfile import read_bytes

DIFFICULTIES = ("easy", "medium", "hard")
"""Of the questions of a screenshot, by position."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ChoiceSample(Sample, frozen=True, kw_only=True):
    """A question about a screenshot with its options.

    Attributes:
        index: of the screenshot in the annotation.
        image_path: as the annotation gives it.
        file: where the image was found; empty if it was not.
        width, height: of the image in pixels; 0 if it cannot be read.
        options: letter to text, from A on without gaps.
        answer: the right letter.
        difficulty: ``easy``, ``medium`` or ``hard``.
        rotation: by how many places the options were moved, in circular evaluation.
        question_id: the same for all rotations of a question.
    """

    index: int
    image_path: str
    file: str
    width: int
    height: int
    question: str
    options: dict[str, str]
    answer: str
    difficulty: str
    platform: str
    app_name: str | None = None
    language: str = "en"
    hint: str | None = None
    explanation: str | None = None
    rotation: int = 0
    question_id: str = ""


def load_questions(place: Place, mode: str, *, circular: bool) -> Dataset[ChoiceSample]:
    """Read an L1 annotation and find its images.

    Args:
        place: the file, and the folder that holds the platforms' folders or the images.
        mode: one of `DIFFICULTIES`, or ``all``.
        circular: ask every question once for each rotation of its options.

    Raises:
        DataError: see `load_items`.
    """
    (annotation,) = place.annotations
    data = read_bytes(annotation)
    paths = image_paths_of(annotation, data)
    images = Screenshots(annotation, place.image_dir, paths, beside=place.beside)

    def read(item: Item) -> Iterator[ChoiceSample]:
        for sample in _questions(item, images):
            if mode in {"all", sample.difficulty}:
                yield from _rotations(sample) if circular else [sample]

    return load_items(annotation, read, data, images)


def _questions(item: Item, images: Screenshots) -> Iterator[ChoiceSample]:
    image_path = item.text("image_path")
    platform = item.text("platform")
    groups = item.fields.get("groups")
    if not isinstance(groups, list) or not 1 <= len(groups) <= len(DIFFICULTIES):
        found = f"{len(groups)} of them" if isinstance(groups, list) else kind(groups)
        item.wrong("groups", f"expected a list of three questions, found {found}")
    shot = images.of(item, f"{platform}/{image_path}", image_path)
    problems = []
    for position, group in enumerate(groups):
        try:
            sample = _question(item, shot, platform, position, group)
            if odd := _odd(sample.options):
                place = f"groups[{position}].options"
                images.warn(str(DataError(odd, file=item.file, sample=item.where, field=place)))
            yield sample
        except DataError as error:
            # The other questions about the screenshot stay.
            problems.append(error)
    if problems:
        more = f" (and {len(problems) - 1} more of its questions)" if problems[1:] else ""
        item.wrong(problems[0].field, problems[0].problem + more)


def _question(
    item: Item, shot: Screenshot, platform: str, position: int, group: Any
) -> ChoiceSample:
    where = f"groups[{position}]"
    if not isinstance(group, dict):
        item.wrong(where, f"expected a question, found {kind(group)}")
    question = item.text("question", of=group, path=f"{where}.")
    options = _options(item, group, f"{where}.options")
    answer = item.text("answer", of=group, path=f"{where}.").strip().upper()
    if answer not in options:
        letters = ", ".join(options)
        item.wrong(f"{where}.answer", f"expected one of {letters}, found {kind(answer)}")
    image_path = item.text("image_path")
    # The position and not the field ``difficulty``, as the public implementation counts.
    difficulty = DIFFICULTIES[position]
    id = content_id(image_path, difficulty, question, options)
    return ChoiceSample(
        id=id,
        question_id=id,
        problem=shot.problem,
        index=_index(item),
        image_path=image_path,
        file=shot.file,
        width=shot.width,
        height=shot.height,
        question=question,
        options=options,
        answer=answer,
        difficulty=difficulty,
        platform=platform,
        app_name=item.maybe_text("app_name"),
        language=item.language(question),
        hint=group["hint"] if isinstance(group.get("hint"), str) else None,
        explanation=group["explanation"] if isinstance(group.get("explanation"), str) else None,
    )


def _index(item: Item) -> int:
    index = item.fields.get("index", 0)
    if not isinstance(index, int) or isinstance(index, bool):
        item.wrong("index", f"expected a whole number, found {kind(index)}")
    return index


def _options(item: Item, group: Mapping[str, Any], where: str) -> dict[str, str]:
    """Letter to text in the order of the letters; missing texts (null) are left out."""
    options = group.get("options")
    if not isinstance(options, dict):
        item.wrong(where, f"expected an object of letters, found {kind(options)}")
    given = [(str(key).strip().upper(), t) for key, t in options.items() if t is not None]
    kept = dict(given)
    if len(kept) < len(given):
        item.wrong(where, f"expected each letter once, found {', '.join(key for key, _ in given)}")
    for letter, text in kept.items():
        if not isinstance(text, str | int | float) or isinstance(text, bool):
            item.wrong(f"{where}.{letter}", f"expected a text, found {kind(text)}")
    wanted = list(_LETTERS[: len(kept)])
    if sorted(kept) != wanted or len(kept) < 2:
        item.wrong(where, f"expected the letters A, B, … without gaps, found {', '.join(kept)}")
    return {letter: str(kept[letter]) for letter in wanted}


def _odd(options: Mapping[str, str]) -> str | None:
    """What is odd about options that can be asked all the same."""
    plain = {letter: " ".join(text.split()).casefold() for letter, text in options.items()}
    if empty := [letter for letter, text in plain.items() if not text]:
        return f"the text of {', '.join(empty)} is empty; asked as it is"
    same = [letter for letter, text in plain.items() if list(plain.values()).count(text) > 1]
    return f"{' and '.join(same)} have the same text; asked as they are" if same else None


def _rotations(sample: ChoiceSample) -> Iterator[ChoiceSample]:
    """The question with its options moved by every number of places."""
    letters = list(sample.options)
    texts = list(sample.options.values())
    for shift in range(len(letters)):
        moved = texts[shift:] + texts[:shift]
        right = letters[(letters.index(sample.answer) - shift) % len(letters)]
        yield msgspec.structs.replace(
            sample,
            id=f"{sample.id}~{shift}",
            options=dict(zip(letters, moved, strict=True)),
            answer=right,
            rotation=shift,
        )
