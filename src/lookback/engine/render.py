"""From a page and what its blocks showed to the Markdown that MkDocs reads, and back.

HTML of ours (outputs, formulas, figures) does not go through Markdown: a token stands
for it there, and `finish` puts it in place of the token afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from .blocks import Page, Piece
from .cite import Bibliography
from .condense import check_names, listing
from .diagrams import linked
from .errors import PageError
from .labels import Labels
from .labels import labels as labels_of
from .present import Block, fence, numbered
from .references import link, link_equations, named
from .run import Run
from .source import Source, find_source
from .tex import to_mathml
from .words import inline
from .worker import Output

_OPEN = "\ue003"  # stands for the words of a link while it is made
_FORMULA = re.compile(
    r"(<math(?![^>]*display)[^>]*>(?:(?!</math>).)*</math>)([.,;:!?)’”]+)", re.DOTALL
)
_SCRIPTS = (
    (re.compile(r'<a class="lb-(ref|cite|term)"'), "preview"),
    (re.compile(r'<(details|label) class="lb-(fold|more)[^"]*"'), "folding"),
)
_BLOCKS = ("<div", "<p", "<figure", "<aside", "<ol", "<ul", "<details")
_TOKEN = re.compile("(<p>)?\ue000(\\d+)\ue001(?(1)(</p>)?)")


@dataclass(frozen=True)
class Setting:
    """What surrounds a page.

    package       the folder of the import package, where `src=` looks
    bibliography  the works that may be cited
    bibliography_url  the Markdown link target of the bibliography from this page
    source_url    (source) → URL of its listing, or "" where there is none
    numbered      another page (`luong.md`) → what it numbers, and its URL from here
    link          what a box of a diagram names → URL, "" for no link; raises ValueError
    markers       words of a `<!-- lookback: … -->` comment → HTML that takes its place
    """

    package: Path
    bibliography: Bibliography
    bibliography_url: str = "bibliography.md"
    source_url: Callable[[Source], str] = lambda source: ""
    numbered: Callable[[str], tuple[Labels, str]] = lambda uri: (Labels(), "")
    link: Callable[[str], str] = lambda target: ""
    markers: dict[str, str] = field(default_factory=dict)


@dataclass
class Rendered:
    """Markdown with tokens, the HTML that each stands for, what the page numbers."""

    markdown: str = ""
    labels: Labels = field(default_factory=Labels)
    html: list[str] = field(default_factory=list)

    def token(self, markup: str) -> str:
        self.html.append(markup)
        return f"\ue000{len(self.html) - 1}\ue001"


def to_markdown(page: Page, run: Run, setting: Setting) -> Rendered:
    """A page with what it showed; raises PageError at what cannot be rendered."""
    rendered = Rendered(labels=labels_of(page))
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
    """The page's HTML: equations that it names linked, HTML in place of its tokens.

    A sign after a formula stays on the formula's line; each kind of thing that a
    script knows asks for it once.
    """
    page = place(link_equations(page, rendered.labels), rendered)
    page = _FORMULA.sub(r'<span class="lb-tie">\1\2</span>', page)
    for asks, module in _SCRIPTS:
        page = asks.sub(rf'\g<0> data-live="{module}"', page, count=1)
    return page


def place(page: str, rendered: Rendered) -> str:
    """Put the HTML in place of its tokens; a block's token loses its paragraph."""

    def placed(match: re.Match[str]) -> str:
        markup = rendered.html[int(match[2])]
        if match[1] and (not match[3] or _is_inline(markup)):
            return f"{match[1]}{markup}{match[3] or ''}"
        return markup

    return _TOKEN.sub(placed, page)


def _is_inline(markup: str) -> bool:
    return not markup.startswith(_BLOCKS)


def _piece(
    piece: Piece, outputs: list[Output], page: Page, setting: Setting, out: Rendered
) -> str:
    if piece.kind == "value":
        return outputs[0]["text"]
    if piece.kind == "math":
        return out.token(_formula(piece, page, out.labels))
    if piece.kind == "cite":
        return citation(piece, page, setting)
    if piece.kind == "ref":
        return _reference(piece, page, setting, out)
    if piece.kind == "comment":
        return _comment(piece, page, setting, out)
    if piece.kind == "code":
        return _block(piece, _linked(outputs, piece, page, setting), page, out)
    if piece.kind == "source":
        return _source(piece, page, setting, out)
    if piece.kind == "front":
        return ""
    if piece.options.get("python"):  # not run: shown, without the word `notest`
        return fence(piece.code, piece.column, piece.header)
    return page.text[piece.start : piece.end]


def _formula(piece: Piece, page: Page, labels: Labels) -> str:
    try:
        markup = to_mathml(piece.code, display="display" in piece.options)
    except ValueError as error:
        raise PageError(page.name, piece.line, str(error)) from None
    if "display" not in piece.options:
        return markup
    kind = "lb-equation lb-key" if piece.start in labels.keys else "lb-equation"
    head = f'<div class="{kind}" id="{labels.at[piece.start].id}"'
    return markup.replace('<div class="lb-equation"', head, 1)


def _block(piece: Piece, outputs: list[Output], page: Page, out: Rendered) -> str:
    def words(text: str) -> str:
        return _words(text, piece, page, out.labels)

    kinds, titled = {*chain(*outputs)}, {"svg", "frames", "diagram", "html"}
    if "caption" in piece.options and kinds and not kinds & titled:
        raise PageError(page.name, piece.line, "a caption is for a figure or a table")
    label, key = out.labels.at.get(piece.start), piece.start in out.labels.keys
    return Block(piece, outputs, label, key, out.token, words).markdown()


def _words(text: str, piece: Piece, page: Page, labels: Labels) -> str:
    """A caption or a question as HTML, its equations linked."""
    try:
        return link_equations(inline(text), labels)
    except ValueError as error:
        raise PageError(page.name, piece.line, str(error)) from None


def citation(piece: Piece, page: Page, setting: Setting) -> str:
    """Markdown links to the works cited."""
    links = []
    for work, locator in setting.bibliography.cited(piece.code, page.name, piece.line):
        target = f"{setting.bibliography_url}#{work.key}"
        where = f", {locator}" if locator else ""
        links.append(f"[{work.label}{where}]({target}){{ .lb-cite }}")
    return "; ".join(links)


def _reference(piece: Piece, page: Page, setting: Setting, out: Rendered) -> str:
    """A link to something numbered as HTML; any other is left to MkDocs."""
    uri, _, anchor = piece.code.partition("#")
    there, url = setting.numbered(uri) if uri else (out.labels, "")
    label = there.by_id.get(anchor)
    words = named(piece, page, label)
    if label is None:
        return page.text[piece.start : piece.end]
    before, _, after = link(label, _OPEN, url).partition(_OPEN)
    return f"{out.token(before)}{words}{out.token(after)}"


def _comment(piece: Piece, page: Page, setting: Setting, out: Rendered) -> str:
    if piece.code.startswith("caption:"):
        label = out.labels.at[piece.start]
        words = _words(piece.code.removeprefix("caption:"), piece, page, out.labels)
        caption = numbered(label, words)
        return out.token(f'<p class="lb-caption" id="{label.id}">{caption}</p>')
    marker = re.fullmatch(r"lookback:\s*([\w-]+)", piece.code)
    if not marker:
        return ""
    if marker[1] not in setting.markers:
        known = ", ".join(sorted(setting.markers)) or "no marker here"
        raise PageError(
            page.name, piece.line, f"`{piece.code}`: the engine knows {known}"
        )
    return setting.markers[marker[1]]


def _linked(
    outputs: list[Output], piece: Piece, page: Page, setting: Setting
) -> list[Output]:
    """The outputs, with diagrams whose links lead somewhere."""
    try:
        return [
            {"diagram": linked(output["diagram"], setting.link)}
            if "diagram" in output
            else output
            for output in outputs
        ]
    except ValueError as error:
        raise PageError(page.name, piece.line, f"diagram: {error}") from None


def _source(piece: Piece, page: Page, setting: Setting, out: Rendered) -> str:
    source = source_of(piece, page, setting)
    indent = " " * piece.column
    checks = setting.package / "checks.py"
    names = check_names(checks.read_text("utf-8")) if checks.is_file() else frozenset()
    code = listing(source.text, names, out.labels.at[piece.start].id)
    where = f"{source.module}, lines {source.first}–{source.last}"
    url = setting.source_url(source)
    link = f'<a href="{url}">{where}</a>' if url else where
    token = out.token(f'{code}<p class="lb-source">{link}</p>')
    return f"{indent}{token}\n"


def source_of(piece: Piece, page: Page, setting: Setting) -> Source:
    """The source a `src=` block names; PageError where there is none."""
    try:
        return find_source(piece.code, setting.package)
    except ValueError as error:
        raise PageError(page.name, piece.line, f"src: {error}") from None
