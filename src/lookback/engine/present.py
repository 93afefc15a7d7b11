"""A block and what it showed, as the page holds them.

What the reader came for stands in sight: an output before the code that made it, open
code before its output, a question before its answer.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from .blocks import Piece
from .diagrams import diagram_html
from .figure import figure_html
from .folding import is_open, summary
from .labels import Label
from .worker import Output

WIDE = 84
"""Characters of text that a column holds beside its margins."""

_GAP = re.compile(r"\S {3,}(?=\S)")
_CAPTION = "\ue002"  # stands for a caption while a figure is made


@dataclass(frozen=True)
class Block:
    """A block that ran: its outputs, its label, is it the key one of its chapter?

    token  puts HTML into the Markdown of the page
    words  makes HTML of a caption or a question
    """

    piece: Piece
    outputs: list[Output]
    label: Label | None
    key: bool
    token: Callable[[str], str]
    words: Callable[[str], str]

    def markdown(self) -> str:
        """The block as Markdown, with tokens for what is HTML already."""
        indent = " " * self.piece.column
        parts = [self._question(), *self._code_and_output()]
        shown = [part for part in parts if part]
        tokens = (p if p.lstrip().startswith(("`", "?")) else indent + p for p in shown)
        return "\n\n".join(tokens) + "\n"

    def _code_and_output(self) -> list[str]:
        piece = self.piece
        if is_open(piece, self.outputs):
            return [fence(piece.code, piece.column, piece.header), self._shown()]
        code = fence(piece.code, piece.column + 4, piece.header)
        title = summary(piece.code, shows=bool(self.outputs)).replace('"', "'")
        kind = "lb-fold" if self.outputs else "lb-fold lb-alone"
        head = " " * piece.column + f'??? {kind} "{title}"'
        return [self._shown(), f"{head}\n\n{code}"]

    def _question(self) -> str:
        if not (question := self.piece.options.get("predict")):
            return ""
        words = self.words(question)
        return self.token(
            f'<div class="lb-question"><p><strong>Predict.</strong> {words}</p></div>'
        )

    def _shown(self) -> str:
        if not self.outputs:
            return ""
        inside = "".join(map(self._output, self.outputs))
        kind = "lb-output lb-key" if self.key else "lb-output"
        shown = f'<div class="{kind}">{inside}</div>'
        if "predict" in self.piece.options:
            shown = (
                '<details class="lb-predict"><summary>Show the answer</summary>'
                f"{shown}</details>"
            )
        return self.token(shown)

    def _output(self, output: Output) -> str:
        if {"svg", "frames", "diagram"} & output.keys():
            return self._figure(output)
        if "html" in output:
            return self._html(output["html"])
        text = html.escape(output["text"].rstrip("\n"), quote=False)
        kind = "lb-text lb-wrap" if _is_prose(text) else "lb-text"
        return f'<pre class="{kind}" tabindex="0">{text}</pre>'

    def _figure(self, output: Output) -> str:
        alt = self.piece.options["alt"]
        if "diagram" in output:
            figure = diagram_html(output["diagram"], alt, _CAPTION)
        else:
            figure = figure_html(output, alt, _CAPTION)
        if self.label:
            head = f'<figure id="{self.label.id}"'
            figure = figure.replace("<figure", head, 1)
        return figure.replace(_CAPTION, self._caption())

    def _html(self, markup: str) -> str:
        name = ""
        if self.label and self.label.kind == "table":
            name = f' id="{self.label.id}"'
            caption = f"<caption>{self._caption()}</caption>"
            markup = re.sub(r"<table[^>]*>", rf"\g<0>{caption}", markup, count=1)
        return f'<div class="lb-html"{name} tabindex="0">{markup}</div>'

    def _caption(self) -> str:
        words = self.words(self.piece.options.get("caption", ""))
        return numbered(self.label, words)


def numbered(label: Label | None, words: str) -> str:
    """A caption with its number: `Figure 2.` and what the figure shows."""
    if label is None:
        return words
    name = f"{label.kind.capitalize()} {label.number}."
    return f"<strong>{name}</strong> {words}".rstrip()


def fence(code: str, column: int, header: str = "") -> str:
    """Python as a fence of Markdown, `column` to the right.

    What a comment tells the formatter is not for readers.
    """
    code = re.sub(r"  # fmt: (?:skip|off|on)$", "", code, flags=re.MULTILINE)
    mark = "`" * max(3, 1 + max(map(len, re.findall(r"`+", code)), default=0))
    opening = f"{mark}python {header}".rstrip()
    lines = [opening, *code.split("\n"), mark]
    return "\n".join(" " * column + line if line else "" for line in lines)


def _is_prose(text: str) -> bool:
    """Has the text lines too long for a column, and none that are set in columns?

    A name before a sentence, some spaces apart, makes no columns.
    """
    lines = [line for line in text.split("\n") if len(line) > WIDE]
    return bool(lines) and all(len(_GAP.findall(line)) < 2 for line in lines)
