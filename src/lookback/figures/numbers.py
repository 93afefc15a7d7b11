"""Write the numbers of a figure as HTML tables with headed rows and columns."""

import html
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lookback.figures.numerals import rounded

ROWS = 15  # of a chart's points; of more, as many are drawn from them evenly
CELLS = 1600  # of all maps of a figure; with more there is no table


def chart_numbers(
    x: Sequence[str],
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
    lines = [(x[i], [rounded(float(y[i])) for y in series.values()]) for i in at]
    return _table(caption, xname, [name or "value" for name in series], lines)


def text_numbers(names: Sequence[str], rows: Sequence[tuple[str, str]]) -> str:
    """Write a table with a row for each pair of texts, under two names."""
    return _table("", names[0], names[1:], [(first, [text]) for first, text in rows])


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
            (word, [_cell(value, digits) for value in row])
            for word, row in zip(rows, cells, strict=True)
        ]
        table = _table(name, corner, columns, written, marked)
        says = f' data-label="{html.escape(label)}"'
        tables.append(table.replace("<table", f"<table{says}", 1))
    return "".join(tables)


def _cell(value: float, digits: int) -> str:
    if value != value:  # NaN: nothing is there
        return "–"
    text = f"{value:.{digits}f}"
    return "0" if float(text) == 0 else text.replace("-", "−")


def _table(
    caption: str,
    corner: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    marked: Collection[tuple[int, int]] = (),
) -> str:
    heads = "".join(
        f'<th scope="col">{_text(name.strip()) or k}</th>'
        for k, name in enumerate(columns, 1)
    )  # a column or a row without a name has its number
    first = f'<th scope="col">{_text(corner)}</th>' if corner else "<td></td>"
    lines = [f"<thead><tr>{first}{heads}</tr></thead><tbody>"]
    for t, (word, cells) in enumerate(rows):
        name = _text(word.strip()) or t + 1
        line = "".join(
            f'<td class="g">{cell}</td>' if (t, s) in marked else f"<td>{cell}</td>"
            for s, cell in enumerate(map(_text, cells))
        )
        lines.append(f'<tr><th scope="row">{name}</th>{line}</tr>')
    named = f"<caption>{_text(caption)}</caption>" if caption else ""
    return f'<table class="lb-table">{named}{"".join(lines)}</tbody></table>'


def _text(words: str) -> str:
    return html.escape(words, quote=False)
