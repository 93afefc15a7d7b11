"""A table that shows itself: in the book, in a notebook, in a terminal."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

NUMBER = r"[-+−×≈<>~ ]*\d[\d,.   ]*(e[-+]?\d+)?( ?(%|×|ms|s|[kM]?B))?"
STYLES = {"l": "left", "r": "right", "c": "center"}


@dataclass(frozen=True, repr=False)
class Table:
    """Rows under a header; the first cell of each row names the row.

    header   one word per column
    rows     as many cells as the header; strings as they are, the rest as str()
    align    one of l, r, c per column; without it numbers are right-aligned, words left
    caption  what the table shows
    Raises ValueError for a row or an align of another length than the header.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    align: str = ""
    caption: str = ""

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

    def _repr_html_(self) -> str:
        sides = [f' style="text-align:{STYLES[a]}"' for a in self._sides()]
        named = zip(self.header, sides, strict=True)
        heads = (  # an empty corner heads nothing
            f'<th scope="col"{side}>{_text(head)}</th>' if head else "<td></td>"
            for head, side in named
        )
        lines = [f"<thead><tr>{''.join(heads)}</tr></thead>", "<tbody>"]
        for row in self.rows:
            name, *cells = zip(row, sides, strict=True)
            first = f'<th scope="row"{name[1]}>{_text(name[0])}</th>'
            rest = (f"<td{side}>{_text(cell)}</td>" for cell, side in cells)
            lines.append(f"<tr>{first}{''.join(rest)}</tr>")
        caption = f"<caption>{_text(self.caption)}</caption>" if self.caption else ""
        body = "\n".join([*lines, "</tbody>"])
        return f'<table class="lb-table">{caption}\n{body}</table>'

    def __repr__(self) -> str:
        lines = [[str(cell) for cell in row] for row in (self.header, *self.rows)]
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

    def _sides(self) -> str:
        if self.align or not self.rows:
            return self.align or "l" * len(self.header)
        columns = zip(*self.rows, strict=True)
        return "".join("r" if all(map(_is_number, c)) else "l" for c in columns)


def _text(cell: object) -> str:
    return html.escape(str(cell), quote=False)


def _is_number(cell: object) -> bool:
    """1,234.5, 12 %, −0.3 and ×2 are numbers, and a dash is a missing one."""
    text = str(cell).strip()
    return text in {"–", "—", "-"} or re.fullmatch(NUMBER, text) is not None
