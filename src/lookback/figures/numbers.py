"""Write the numbers of a figure as HTML tables with headed rows and columns.

`data-value` of a cell is its number as programs read it, where it is shown otherwise.
"""

import html
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lookback.figures.numerals import readable, rounded

ROWS = 15  # of a chart's points; of more, as many are drawn from them evenly
CELLS = 1600  # of all maps of a figure; with more there is no table

Cell = tuple[str, str]
"""What a cell shows, and the same as programs read it."""


def chart_numbers(
    x: Sequence[str] | Sequence[float],
    xname: str,
    series: Mapping[str, Sequence[float]],
    *,
    rows: int = ROWS,
) -> str:
    """Write a table with a row for each x and a column for each series.

    Of many points the first, the last and some between are given, and it says so.
    """
    at = np.unique(np.linspace(0, len(x) - 1, min(len(x), rows)).round().astype(int))
    caption = f"{len(at)} of {len(x)} points" if len(at) < len(x) else ""
    lines = [(_first(x[i]), [_number(y[i]) for y in series.values()]) for i in at]
    return _table(caption, xname, [name or "value" for name in series], lines)


def text_numbers(names: Sequence[str], rows: Sequence[tuple[str, str]]) -> str:
    """Write a table with a row for each pair of texts, under two names."""
    return _table(
        "",
        names[0],
        names[1:],
        [(_first(first), [_first(text)]) for first, text in rows],
    )


def map_numbers(
    panels: Mapping[str, NDArray[np.float64]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    corner: str,
    label: str,
    marked: Collection[tuple[int, int]] = (),
    digits: int = 2,
) -> str:
    """Write a table for each panel; "" where the cells are too many to be read.

    label   what the cells measure
    marked  (row, column) of cells that bear a mark: they get the class `g`
    """
    if sum(cells.size for cells in panels.values()) > CELLS:
        return ""
    tables = []
    for name, cells in panels.items():
        written = [
            (_first(word), [_weight(value, digits) for value in row])
            for word, row in zip(rows, cells, strict=True)
        ]
        table = _table(name, corner, columns, written, marked)
        says = f' data-label="{html.escape(label)}"'
        tables.append(table.replace("<table", f"<table{says}", 1))
    return "".join(tables)


def _first(value: str | float) -> Cell:
    """Show words as they are, and a number with more digits than others."""
    return (value, value) if isinstance(value, str) else _number(value, 6)


def _number(value: float, digits: int = 3) -> Cell:
    return rounded(value, digits), readable(value, digits)


def _weight(value: float, digits: int) -> Cell:
    if value != value:  # NaN: nothing is there
        return "–", ""
    text = f"{value:.{digits}f}"
    text = "0" if float(text) == 0 else text
    return text.replace("-", "−"), text


def _table(
    caption: str,
    corner: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Cell, Sequence[Cell]]],
    marked: Collection[tuple[int, int]] = (),
) -> str:
    heads = "".join(
        f'<th scope="col">{_text(name.strip()) or k}</th>'
        for k, name in enumerate(columns, 1)
    )  # a column or a row without a name has its number
    first = f'<th scope="col">{_text(corner)}</th>' if corner else "<td></td>"
    mark = ' class="g"'
    lines = [f"<thead><tr>{first}{heads}</tr></thead><tbody>"]
    for t, (word, cells) in enumerate(rows):
        name = _text(word[0].strip()) or t + 1
        line = "".join(
            f"<td{mark * ((t, s) in marked)}{_value(cell)}>{_text(cell[0])}</td>"
            for s, cell in enumerate(cells)
        )
        lines.append(f'<tr><th scope="row"{_value(word)}>{name}</th>{line}</tr>')
    named = f"<caption>{_text(caption)}</caption>" if caption else ""
    return f'<table class="lb-table">{named}{"".join(lines)}</tbody></table>'


def _value(cell: Cell) -> str:
    shown, value = cell
    return "" if value == shown else f' data-value="{value}"'


def _text(words: str) -> str:
    return html.escape(words, quote=False)
