"""From a page and what its blocks showed to the Markdown that MkDocs reads, and back.

HTML of ours (outputs, formulas, figures) does not go through Markdown: a token stands
for it there, and `finish` puts it in place of the token afterwards.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .blocks import Page, Piece
from .cite import Bibliography
from .errors import PageError
from .figure import figure_html
from .run import Run
from .source import Source, find_source
from .tex import to_mathml
from .worker import Output

_TOKEN = re.compile("(<p>)?\ue000(\\d+)\ue001(?(1)(</p>)?)")


@dataclass(frozen=True)
class Setting:
    """What surrounds a page.

    package       the folder of the import package, where `src=` looks
    bibliography  the works that may be cited
    bibliography_url  the Markdown link target of the bibliography from this page
    source_url    (source) → URL of its listing, or "" where there is none
    markers       words of a `<!-- lookback: … -->` comment → HTML that takes its place
    """

    package: Path
    bibliography: Bibliography
    bibliography_url: str = "bibliography.md"
    source_url: Callable[[Source], str] = lambda source: ""
    markers: dict[str, str] = field(default_factory=dict)


@dataclass
class Rendered:
    """Markdown with tokens, and the HTML that each stands for."""

    markdown: str = ""
    html: list[str] = field(default_factory=list)

    def token(self, markup: str) -> str:
        self.html.append(markup)
        return f"\ue000{len(self.html) - 1}\ue001"


def to_markdown(page: Page, run: Run, setting: Setting) -> Rendered:
    """A page with what it showed; raises PageError at what cannot be rendered."""
    rendered = Rendered()
    results = iter(run.outputs)
    parts, position = [], 0
    for piece in page.pieces:
        outputs = next(results) if piece.runs else []
        parts.append(page.text[position : piece.start])
        parts.append(_piece(piece, outputs, page, setting, rendered))
        position = piece.end
    parts.append(page.text[position:])
    rendered.markdown = "".join(parts)
    return rendered


def finish(page: str, rendered: Rendered) -> str:
    """Put the HTML in place of its tokens; a block's token loses its paragraph."""

    def place(match: re.Match[str]) -> str:
        markup = rendered.html[int(match[2])]
        if match[1] and (not match[3] or _is_inline(markup)):
            return f"{match[1]}{markup}{match[3] or ''}"
        return markup

    return _TOKEN.sub(place, page)


def _is_inline(markup: str) -> bool:
    return not markup.startswith(("<div", "<p", "<figure", "<aside", "<ol", "<ul"))


def _piece(
    piece: Piece, outputs: list[Output], page: Page, setting: Setting, out: Rendered
) -> str:
    if piece.kind == "value":
        return outputs[0]["text"]
    if piece.kind == "math":
        return out.token(_formula(piece, page))
    if piece.kind == "cite":
        return citation(piece, page, setting)
    if piece.kind == "comment":
        return _comment(piece, page, setting)
    if piece.kind == "code":
        return _code(piece, outputs, out)
    if piece.kind == "source":
        return _source(piece, page, setting, out)
    if piece.kind == "front":
        return ""
    if piece.options.get("python"):  # not run: shown, without the word `notest`
        return _fence(piece.code, piece.column, piece.header)
    return page.text[piece.start : piece.end]


def _formula(piece: Piece, page: Page) -> str:
    try:
        return to_mathml(piece.code, display="display" in piece.options)
    except ValueError as error:
        raise PageError(page.name, piece.line, str(error)) from None


def citation(piece: Piece, page: Page, setting: Setting) -> str:
    """Markdown links to the works cited, with the title as a tooltip."""
    links = []
    for work, locator in setting.bibliography.cited(piece.code, page.name, piece.line):
        title = work.title.replace('"', "'")
        target = f'{setting.bibliography_url}#{work.key} "{title}"'
        where = f", {locator}" if locator else ""
        links.append(f"[{work.label}{where}]({target}){{ .lb-cite }}")
    return "; ".join(links)


def _comment(piece: Piece, page: Page, setting: Setting) -> str:
    marker = re.fullmatch(r"lookback:\s*([\w-]+)", piece.code)
    if not marker:
        return ""
    if marker[1] not in setting.markers:
        known = ", ".join(sorted(setting.markers)) or "no marker here"
        raise PageError(
            page.name, piece.line, f"`{piece.code}`: the engine knows {known}"
        )
    return setting.markers[marker[1]]


def _fence(code: str, column: int, header: str = "") -> str:
    mark = "`" * max(3, 1 + max(map(len, re.findall(r"`+", code)), default=0))
    opening = f"{mark}python {header}".rstrip()
    lines = [opening, *code.split("\n"), mark]
    return "\n".join(" " * column + line if line else "" for line in lines)


def _code(piece: Piece, outputs: list[Output], out: Rendered) -> str:
    """A block with what it showed under it, or, folded, over it."""
    indent = " " * piece.column
    inside = "".join(_output(output, piece) for output in outputs)
    shown = f'<div class="lb-output">{inside}</div>'
    if piece.options.get("fold") == "true":
        fence = _fence(piece.code, piece.column + 4, piece.header)
        what = "figure" if "alt" in piece.options else "output"
        folded = f'{indent}??? lb-fold "The code of this {what}"\n\n{fence}\n'
        return f"{indent}{out.token(shown)}\n\n{folded}" if outputs else folded
    fence = _fence(piece.code, piece.column, piece.header)
    return f"{fence}\n\n{indent}{out.token(shown)}\n" if outputs else fence


def _output(output: Output, piece: Piece) -> str:
    if "svg" in output or "frames" in output:
        caption = piece.options.get("caption", "")
        return figure_html(output, piece.options["alt"], caption)
    if "html" in output:
        return f'<div class="lb-html" tabindex="0">{output["html"]}</div>'
    text = html.escape(output["text"].rstrip("\n"), quote=False)
    return f'<pre class="lb-text" tabindex="0">{text}</pre>'


def _source(piece: Piece, page: Page, setting: Setting, out: Rendered) -> str:
    source = source_of(piece, page, setting)
    indent = " " * piece.column
    where = f"{source.module}, lines {source.first}–{source.last}"
    url = setting.source_url(source)
    link = f'<a href="{url}">{where}</a>' if url else where
    token = out.token(f'<p class="lb-source">{link}</p>')
    return f"{_fence(source.text, piece.column)}\n\n{indent}{token}\n"


def source_of(piece: Piece, page: Page, setting: Setting) -> Source:
    """The source a `src=` block names; PageError where there is none."""
    try:
        return find_source(piece.code, setting.package)
    except ValueError as error:
        raise PageError(page.name, piece.line, f"src: {error}") from None
