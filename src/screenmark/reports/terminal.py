"""A table as wide as a terminal: no word of a head is broken, and no name that people copy.

Where that does not fit, the columns with the longest names leave the grid, for lines of their own
above (the first column) or below each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_GAP = 3
_MARGIN = 2
_PROSE = (12, 20)
"""Text of several words is given so many cells at least, up to so many for its longest word."""


class Column(NamedTuple):
    """A heading and its cells, as they are shown.

    Attributes:
        numeric: whether cells stand at the right.
    """

    head: str
    cells: Sequence[str]
    numeric: bool


def print_grid(console: Console, columns: Sequence[Column]) -> None:
    """Print heads, a rule and the rows, as wide as the console at most.

    Only a name that is longer than a line is left for the terminal to break.
    """
    inner = console.width - 2 * _MARGIN
    inside, outside = _split(columns, inner)
    above = 0 in outside
    indent = _MARGIN * (2 if above else 1)
    grid = [columns[n] for n in inside]
    widths = _widths(grid, inner + _MARGIN - indent)
    if above:
        _line(console, columns[0].head, _MARGIN, "bold")
    _row(console, grid, [column.head for column in grid], widths, indent, is_head=True)
    wide = indent - _MARGIN + sum(widths) + _GAP * (len(widths) - 1)
    console.print(f" {'─' * (wide + 2)} ", soft_wrap=True)
    for number in range(len(columns[0].cells) if columns else 0):
        if above:
            _line(console, columns[0].cells[number], _MARGIN)
        _row(console, grid, [column.cells[number] for column in grid], widths, indent)
        for column in (columns[n] for n in outside if n):
            if column.cells[number]:
                _line(console, f"{column.head}: {column.cells[number]}", 2 * _MARGIN)


def _split(columns: Sequence[Column], inner: int) -> tuple[list[int], list[int]]:
    """The positions of columns that share lines, and of those that need lines of their own."""
    inside, outside = list(range(len(columns))), list[int]()
    while sum(_least(columns[n]) + _GAP for n in inside) - _GAP > inner:
        names = [n for n in inside if _is_name(columns[n])]
        if len(inside) <= 2 or not names:
            break
        longest = max(names, key=lambda n: _least(columns[n]))
        inside.remove(longest)
        outside.append(longest)
    return inside, sorted(outside)


def _is_name(column: Column) -> bool:
    """Whether cells are ids or paths: one word each, which people copy."""
    from rich.cells import cell_len

    return not column.numeric and all(
        " " not in cell and cell_len(cell) == len(cell) for cell in column.cells
    )


def _least(column: Column) -> int:
    """The cells that a column cannot do without."""
    from rich.cells import cell_len

    head = _longest(column.head.split())
    natural = max(map(cell_len, column.cells), default=0)
    if column.numeric or _is_name(column):
        return max(head, natural)
    word = _longest([word for cell in column.cells for word in cell.split()])
    return max(head, min(natural, max(_PROSE[0], min(word, _PROSE[1]))))


def _longest(words: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, words), default=0)


def _widths(columns: Sequence[Column], inner: int) -> list[int]:
    """What each column would like, taken from the widest ones until the line holds them all."""
    widths = [_longest([column.head, *column.cells]) for column in columns]
    room = inner - _GAP * (len(columns) - 1)
    # First heads fold, then prose, and if that is not enough, all.
    heads = [_longest([*column.head.split(), *column.cells]) for column in columns]
    for least in (heads, [_least(column) for column in columns], [1] * len(columns)):
        while sum(widths) > room:
            open_ = [n for n, width in enumerate(widths) if width > least[n]]
            if not open_:
                break
            widths[max(open_, key=lambda n: widths[n])] -= 1
    return widths


def _row(
    console: Console,
    columns: Sequence[Column],
    cells: Sequence[str],
    widths: Sequence[int],
    indent: int,
    *,
    is_head: bool = False,
) -> None:
    """One row; cells are aligned at the top, those of the head at the bottom."""
    from rich.text import Text

    # Text, not markup: cells may hold what a model wrote.
    folded = [
        list(Text(cell).wrap(console, max(1, width), overflow="fold"))
        for cell, width in zip(cells, widths, strict=True)
    ]
    height = max(map(len, folded), default=0)
    for number in range(height):
        line = Text(" " * indent, "bold" if is_head else "")
        for n, (lines, width, column) in enumerate(zip(folded, widths, columns, strict=True)):
            at = number - (height - len(lines) if is_head else 0)
            part = lines[at] if 0 <= at < len(lines) else Text()
            part.rstrip()
            if at > 0 and part.plain.startswith(" "):
                # The space at which a line was broken belongs to neither.
                part = part[len(part.plain) - len(part.plain.lstrip()) :]
            line.append(" " * _GAP if n else "")
            line.append_text(_padded(part, width, right=column.numeric))
        line.append(" " * _MARGIN)
        console.print(line, soft_wrap=True)


def _padded(text: Text, width: int, *, right: bool) -> Text:
    missing = max(0, width - text.cell_len)
    text.pad_left(missing) if right else text.pad_right(missing)
    return text


def _line(console: Console, text: str, indent: int, style: str = "") -> None:
    """A cell on a line of its own, whole."""
    from rich.text import Text

    console.print(Text(" " * indent + text, style), soft_wrap=True)
