"""What a model is asked about a screenshot: the question, its options, and for a letter."""

from __future__ import annotations

from screenmark.benchmarks.content_understanding.dataset import ChoiceSample

_ENGLISH = """\
The image is a screenshot of a user interface. Answer the question about it.

{instruction}

Exactly one option is right. Answer with its letter and nothing else.
"""

_CHINESE = """\
图片是一张用户界面的截图，请根据它回答问题。

{instruction}

只有一个选项是正确的。只回答该选项的字母，不要输出其他内容。
"""


def template(language: str) -> str:
    """The built-in prompt with ``{instruction}`` still open."""
    return _CHINESE if language == "zh" else _ENGLISH


def instruction_of(sample: ChoiceSample) -> str:
    """Hint, question and options as one text; also the ``instruction`` of a custom builder."""
    lines = [f"Hint: {sample.hint}"] if sample.hint else []
    lines.append(f"Question: {sample.question}")
    lines.append("Options:")
    lines += [f"{letter}. {text}" for letter, text in sample.options.items()]
    return "\n".join(lines)


def fill(text: str, sample: ChoiceSample) -> str:
    """Put question and options where the template wants them. Other braces stay.

    ``{instruction}`` is all of it; ``{question}``, ``{options}`` and ``{hint}`` are its parts.
    """
    options = "\n".join(f"{letter}. {option}" for letter, option in sample.options.items())
    parts = {
        "{instruction}": instruction_of(sample),
        "{question}": sample.question,
        "{options}": options,
        "{hint}": sample.hint or "",
    }
    return replace_all(text, parts)


def replace_all(text: str, parts: dict[str, str]) -> str:
    """Replace each key once over the text, never inside what was put in."""
    pieces = [text]
    for key, value in parts.items():
        split: list[str] = []
        for number, piece in enumerate(pieces):
            if number % 2:
                split.append(piece)
                continue
            for count, part in enumerate(piece.split(key)):
                split += [value, part] if count else [part]
        pieces = split
    return "".join(pieces)
