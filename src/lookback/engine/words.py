"""Captions and questions: a line of words with formulas, code and emphasis, as HTML."""

from __future__ import annotations

import html
import re

from .tex import to_mathml

_MARK = re.compile(
    r"\$(?!\s)(?P<tex>[^$]+?)(?<!\s)\$(?!\d)|`(?P<code>[^`]+)`"
    r"|\*\*(?P<strong>[^*]+)\*\*|(?<!\w)\*(?P<em>[^*\s][^*]*)\*(?!\w)"
)


def inline(text: str) -> str:
    """The words as HTML. Raises ValueError where TeX does not parse."""
    text = " ".join(text.split())
    parts, position = [], 0
    for match in _MARK.finditer(text):
        parts += [_text(text[position : match.start()]), _marked(match)]
        position = match.end()
    return "".join([*parts, _text(text[position:])])


def _marked(match: re.Match[str]) -> str:
    if match["tex"]:
        return to_mathml(match["tex"], display=False)
    kind = match.lastgroup
    return f"<{kind}>{_text(match[str(kind)])}</{kind}>"


def _text(text: str) -> str:
    return html.escape(text, quote=False)
