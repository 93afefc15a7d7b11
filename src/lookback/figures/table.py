"""Define Table, which shows itself in the book, in a notebook and in a terminal."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from lookback.figures.numerals import digits_before, in_figures, is_number

STYLES = {"l": "left", "r": "right", "c": "center"}


@dataclass(frozen=True, repr=False)
class Table:
    """Hold rows under a header; the first cell of each row names the row.

    header   one word per column
    rows     as many cells as the header; numbers are written as the book writes them,
             12 345 and −0.3 and 95 %, other strings as they are, the rest as str()
    align    one of l, r, c per column; without it numbers are right-aligned, words left
    caption  what the table shows
    result   the header of the column that a phone keeps in sight, as it does the first
    Raises ValueError for a row or an align of another length than the header, and for
    a result that is no header.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    align: str = ""
    caption: str = ""
    result: str = ""

    def __post_init__(self) -> None:
        columns = len(self.header)
        if not columns:
            raise ValueError("header is empty: expected at least one column")
        for i, row in enumerate(self.rows):
            if isinstance(row, str) or len(row) != columns:
                raise ValueError(f"row {i} is {row!r}: expected {columns} cells")
        if self.align and (len(self.align) != columns or set(self.align) - set(STYLES)):
            raise ValueError(
                f"align is {self.align!r}: expected one of l, r, c for each of "
                f"{columns} columns"
            )
        if self.result and self.result not in self.header:
            raise ValueError(
                f"result is {self.result!r}: expected one of {[*self.header]}"
            )

    def _repr_html_(self) -> str:
        shown = [name == self.result and bool(name) for name in self.header]
        styles = [
            f' style="text-align:{STYLES[side]}"' + ' class="lb-result"' * result
            for side, result in zip(self._sides(), shown, strict=True)
        ]
        heads = (  # an empty corner heads nothing
            f'<th scope="col"{style}>{_text(head)}</th>' if head else "<td></td>"
            for head, style in zip(self.header, styles, strict=True)
        )
        lines = [f"<thead><tr>{''.join(heads)}</tr></thead>", "<tbody>"]
        for row in self._cells():
            name, *cells = zip(row, styles, strict=True)
            first = f'<th scope="row"{name[1]}>{_text(name[0])}</th>'
            rest = (f"<td{style}>{_text(cell)}</td>" for cell, style in cells)
            lines.append(f"<tr>{first}{''.join(rest)}</tr>")
        caption = f"<caption>{_text(self.caption)}</caption>" if self.caption else ""
        body = "\n".join([*lines, "</tbody>"])
        return f'<table class="lb-table">{caption}\n{body}</table>'

    def __repr__(self) -> str:
        lines = [[str(head) for head in self.header], *self._cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        how = {"l": str.ljust, "r": str.rjust, "c": str.center}
        sides = self._sides()
        padded = [
            "  ".join(how[s](c, w) for c, s, w in zip(line, sides, widths, strict=True))
            for line in lines
        ]
        rule = "  ".join("-" * width for width in widths)
        above = [self.caption] if self.caption else []
        table = [*above, padded[0], rule, *padded[1:]]
        return "\n".join(line.rstrip() for line in table)

    def _cells(self) -> list[list[str]]:
        """Format the cells: all numbers of a column group digits, or none."""
        columns = []
        for column in zip(*self.rows, strict=True):
            texts = [str(cell) for cell in column]
            long = max(map(digits_before, texts), default=0) > 4
            columns.append([in_figures(text, least=4 if long else 5) for text in texts])
        return [list(row) for row in zip(*columns, strict=True)]

    def _sides(self) -> str:
        if self.align or not self.rows:
            return self.align or "l" * len(self.header)
        columns = zip(*self.rows, strict=True)
        return "".join(
            "r" if all(is_number(str(cell)) for cell in column) else "l"
            for column in columns
        )


def _text(cell: str) -> str:
    return html.escape(str(cell), quote=False)
