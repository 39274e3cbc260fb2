"""Keep what readers answered to the bundled questions of `mmbench-gui-l1`.

    python -m tools.bundle_readers --with-image WITH.json --without-image WITHOUT.json

Each file is an object of question id to letter, with every question in it. They become
`readers.json` beside the questions, and the figures in its `NOTICE.md`, between two comments,
are written anew.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from screenmark.benchmarks import content_understanding
from screenmark.benchmarks.content_understanding import (
    ContentUnderstanding,
    ContentUnderstandingOptions,
)
from screenmark.benchmarks.content_understanding.dataset import ChoiceSample

DATA = Path(content_understanding.__file__).parent / "data"
READERS, NOTICE = DATA / "readers.json", DATA / "NOTICE.md"
KINDS = {
    "with_image": "A reader with picture, question and options, and without the key,",
    "without_image": "A language model that saw the question and its options and no picture",
}
"""The readers, and how NOTICE.md speaks of each."""

_FIGURES = re.compile(r"(?<=<!-- readers -->\n).*?(?=<!-- end of readers -->)", re.DOTALL)


def bundled() -> list[ChoiceSample]:
    """The questions as they are asked."""
    return list(ContentUnderstanding(ContentUnderstandingOptions()).load().samples)


def check_answers(answers: dict[str, str], samples: list[ChoiceSample]) -> None:
    """Every question once, each with one of its letters.

    Raises:
        ValueError: the answers are about other questions, or a letter is none of them.
    """
    ids = {sample.id for sample in samples}
    if differing := sorted(ids ^ answers.keys()):
        raise ValueError(f"{len(differing)} ids are on one side only, the first {differing[0]}")
    for sample in samples:
        if answers[sample.id] not in sample.options:
            raise ValueError(f"{sample.id}: {answers[sample.id]!r}, expected one of its letters")


def agreement(answers: dict[str, str], samples: list[ChoiceSample]) -> tuple[int, int]:
    """How many answers are the key's, and out of how many."""
    return sum(answers[s.id] == s.answer for s in samples), len(samples)


def figures(readers: dict[str, dict[str, str]], samples: list[ChoiceSample]) -> str:
    """The lines of NOTICE.md about the readers whose answers there are."""
    lines = []
    for kind, who in KINDS.items():
        if kind not in readers:
            continue
        parts = [("all", samples)]
        parts += [(lang, [s for s in samples if s.language == lang]) for lang in ("en", "zh")]
        said = [agreement(readers[kind], part) for _, part in parts]
        (right, number), (english, of_english), (chinese, of_chinese) = said
        lines.append(
            f"- {who} answered {right} of {number} as the key: {english} of {of_english} in\n"
            f"  English, {chinese} of {of_chinese} in Chinese.\n"
        )
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Keep readers' answers to mmbench-gui-l1.")
    parser.add_argument("--with-image", type=Path)
    parser.add_argument("--without-image", type=Path)
    given = vars(parser.parse_args())
    samples = bundled()
    readers: dict[str, dict[str, str]] = json.loads(READERS.read_text(encoding="utf-8"))
    for kind, file in given.items():
        if file is not None:
            answers = json.loads(file.read_text(encoding="utf-8"))
            check_answers(answers, samples)
            readers[kind] = {sample.id: answers[sample.id] for sample in samples}
    text = json.dumps(readers, indent=1, ensure_ascii=False) + "\n"
    READERS.write_text(text, encoding="utf-8", newline="\n")
    lines = figures(readers, samples)
    notice = _FIGURES.sub(lambda _: lines, NOTICE.read_text(encoding="utf-8"))
    NOTICE.write_text(notice, encoding="utf-8", newline="\n")
    sys.stdout.write(lines)


if __name__ == "__main__":
    main()
