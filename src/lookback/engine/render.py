"""Render a page: blocks with their outputs to Markdown that any builder renders.

HTML of ours (outputs, formulas, figures, code in colour) stands in it as Pandoc writes
raw HTML; see `raw_html`.

What the reader came for stands in sight: an output before folded code that made it,
open code before its output, a question before its answer.
"""

from __future__ import annotations

import ast
import html
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from markdown import markdown
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from lookback.extract import Definition

from .blocks import Page, Piece, parse
from .book import Book
from .cite import Entry
from .errors import PageError
from .figure import figure_html
from .labels import Label, link, reference_words, unnamed
from .output import Output
from .quiz import on_paper, quiz_html
from .raw_html import RawHtml
from .raw_html import fence as raw_fence
from .raw_html import span as raw_span
from .search import EXCLUDE
from .source import Excerpt, page_of
from .tex import TERM, equation, to_mathml

WIDE = 84
"""Characters of text that a column holds beside its margins."""

_MARKUP = re.compile(r"""[\\`*_{}\[\]()<>#!|~^=$:"&\t\n]""")
_ITEM = re.compile(r"[+-]|\d+\.(?:\s|$)")
_BLOCKS = ("<div", "<p", "<figure", "<ol", "<ul", "<dl", "<details", "<section", "<pre")
_SIGNS = re.compile("[.,;:!?)’”]+")
_FORMULA = re.compile(
    rf"(<math(?![^>]*display)[^>]*>(?:(?!</math>).)*</math>)({_SIGNS.pattern})",
    re.DOTALL,
)
_DIAGRAM_LINK = re.compile(r'<a href="lookback:([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_PART = re.compile(r'\sdata-part="([^"]*)"')
_GAP = re.compile(r"\S {3,}(?=\S)")


@dataclass
class PageContext:
    """Hold a page in its book, and resolve what it points at.

    url      another page (`luong.md`) → its URL from this one, "" where there is none
    weights  name of a model → what scripts need to load it
    markers  words of a `<!-- lookback: … -->` comment → HTML that takes its place
    """

    book: Book
    uri: str
    url: Callable[[str], str] = lambda uri: ""
    weights: Callable[[str], dict[str, Any]] = lambda name: {}
    markers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.page = self.book.pages[self.uri]
        self.labels = self.book.labels(self.uri)

    def pieces(self) -> Iterator[tuple[Piece, list[Output]]]:
        """Yield each piece with what it showed, if the page has run."""
        run = self.book.runs.get(self.uri)
        results = iter(run.outputs if run else [])
        for piece in self.page.pieces:
            yield piece, next(results, []) if piece.runs else []

    def fault(self, piece: Piece, message: object) -> PageError:
        return PageError(self.page.name, piece.line, str(message))

    def works(self, piece: Piece) -> list[tuple[str, Entry]]:
        """Look up the works that a piece cites, each with the words of its link."""
        works = self.book.bibliography.cited(piece.code, self.page.name, piece.line)
        return [(f"{w.label}, {at}" if at else w.label, w) for w, at in works]

    def excerpt(self, piece: Piece) -> Excerpt:
        """Find the definitions that a `src=` block names."""
        try:
            return self.book.excerpt(piece)
        except ValueError as error:
            raise self.fault(piece, f"src: {error}") from None

    def copy(self, piece: Piece) -> str:
        """Write the code of a block as one copies it: it runs by itself."""
        return piece.code if piece.kind == "code" else self.excerpt(piece).copy

    def source_url(self, source: Definition) -> str:
        listing = self.url(page_of(source.module))
        return f"{listing}#L{source.first}" if listing else ""

    def label(self, target: str) -> tuple[Label | None, str]:
        """Find what `#map` or `luong.md#eq-7` numbers, and the URL of its page."""
        path, _, anchor = target.partition("#")
        if not path:
            return self.labels.by_id.get(anchor), ""
        uri = posixpath.normpath(posixpath.join(self.uri, "..", path))
        if uri not in self.book.pages:
            return None, ""  # MkDocs says that there is no such page
        return self.book.labels(uri).by_id.get(anchor), self.url(uri)

    def diagram_link(self, target: str) -> str:
        """Resolve `encoder`, `encoder#eq-2` or `source:…` to a URL, "" for no link.

        Raises ValueError where there is no such chapter, or nothing has the anchor.
        """
        name, _, anchor = target.partition("#")
        if name.startswith("source:"):
            reference = name.removeprefix("source:")
            return self.source_url(self.book.modules.definition(reference))
        uri = f"{name}.md"
        if uri not in self.book.pages:
            raise ValueError(f"it links to {target}: there is no page {uri}")
        mark = f"\\tag{{{anchor[3:]}}}" if anchor.startswith("eq-") else f"#{anchor}"
        if anchor and mark not in self.book.pages[uri].text:
            raise ValueError(f"it links to {target}: {uri} holds no {mark}")
        url = self.url(uri) if uri != self.uri else ""
        return f"{url}#{anchor}" if anchor else url


def to_markdown(context: PageContext) -> str:
    """Write a page with its outputs; raises PageError at what cannot be rendered."""
    renderer = _Renderer(context)
    text, position, found = context.page.text, 0, ""
    for piece, outputs in context.pieces():
        found += text[position : piece.start]
        position = piece.end
        if piece.kind == "math" and "display" not in piece.options:
            # a sign after a formula stays on the formula's line
            signs = _SIGNS.match(text, position)
            position = signs.end() if signs else position
            found += renderer.formula(piece, signs[0] if signs else "")
        else:
            found += renderer.piece(piece, outputs)
    found += text[position:]
    _check_terms(context, found)
    return found + raw_block(on_paper(renderer.quizzes))


def raw_block(markup: str) -> str:
    """Write HTML as a block of its own; nothing where there is none."""
    return f"\n\n{raw_fence(markup)}\n" if markup else ""


def fault_html(message: str) -> str:
    """Write why something is not there."""
    text = html.escape(message, quote=False)
    return f'<pre class="lb-text lb-fault" id="fault" tabindex="0">{text}</pre>'


def _check_terms(context: PageContext, markdown: str) -> None:
    r"""Raise PageError at a `\term` whose figure is not there, or has no such part."""
    terms = [
        (piece, named)
        for piece in context.page.pieces
        if piece.kind == "math"
        for named in TERM.findall(piece.code)
    ]
    for piece, named in terms:
        name, _, parts = named.partition(".")
        label = context.labels.by_id.get(name)
        fault = f"`\\term{{{named}}}`: "
        if not label or label.kind != "figure" or not parts:
            fault += "expected a figure's id, a dot, and parts of that figure"
            raise context.fault(piece, fault)
        _, _, drawn = markdown.partition(f'<figure id="{name}"')
        known = set(" ".join(_PART.findall(drawn.partition("</figure>")[0])).split())
        if drawn and not known.issuperset(parts.split()):
            fault += f"the parts of `{name}` are {', '.join(sorted(known))}"
            raise context.fault(piece, fault)


def is_open(piece: Piece, *, shows: bool) -> bool:
    """Decide whether the code of a block stands open.

    shows  has the block an output? Then its code is folded; else there is only code
    `#| open:` says otherwise. Boxes and lists hold code for its own sake: open.
    """
    if chosen := piece.options.get("open"):
        return chosen == "true"
    return bool(piece.column) or not shows


def summary(code: str, *, shows: bool) -> str:
    """Name folded code: under its output, or by the laws that it checks."""
    if shows:
        return "How this was made"
    laws = sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code)))
    return f"{laws} check{'s' * (laws > 1)}, passed ✓" if laws else "Preparation"


def fold(kind: str, title: str, inside: str, column: int) -> str:
    """Write Markdown, which stands four columns deeper, as a fold of that class."""
    return " " * column + f'??? {kind} "{title}"\n\n{inside}'


def code_html(code: str, attributes: str = "") -> str:
    """Highlight Python as HTML. What a comment tells the formatter is not for readers.

    attributes  of the element around it, an id and others
    """
    code = re.sub(r"  # fmt: (?:skip|off|on)$", "", code, flags=re.MULTILINE)
    return f'<div{attributes} class="highlight">{_highlighted(code)}</div>'


@cache  # an edited page has most of its code from before
def _highlighted(code: str) -> str:
    found: str = highlight(code, PythonLexer(), HtmlFormatter(nowrap=True))
    return f"<pre><span></span><code>{found}</code></pre>"


def tied(markup: str) -> str:
    """Keep a sign after a formula on the formula's line."""
    return _FORMULA.sub(r'<span class="lb-tie">\1\2</span>', markup)


def literal(value: str, piece: Piece, page: Page) -> str:
    """Write a value of a sentence so that Markdown shows it as it is.

    What could mean something to Markdown becomes a character reference, and so does
    what would begin a list on this line. Lines and spaces of the value are kept.
    """
    before = page.text[: piece.start].rpartition("\n")[2].strip(" \t>*+-.0123456789")
    item = value and not before and _ITEM.match(value + page.text[piece.end :][:2])
    text = _MARKUP.sub(lambda sign: f"&#{ord(sign[0])};", value[1:] if item else value)
    if item:
        text = f"&#{ord(value[0])};{text}"
    if re.search("^ |  |[\t\n]| $", value):
        return f'<span style="white-space:pre-wrap">{text}</span>'
    return text


def numbered(label: Label | None, words: str) -> str:
    """Write a caption with its number: `Figure 2.` and what the figure shows."""
    if label is None:
        return words
    return f"<strong>{label.title}</strong> {words}".rstrip()


@dataclass
class _Renderer:
    """Write the pieces of one page as Markdown, and gather its self-tests."""

    context: PageContext
    quizzes: list[Mapping[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page, self.labels = self.context.page, self.context.labels

    def piece(self, piece: Piece, outputs: list[Output]) -> str:
        match piece.kind:
            case "value" if outputs[0].kind == "fault":
                fault = _first_line(outputs[0].text)
                return raw_span(f'<mark id="fault">{fault}</mark>')
            case "value":
                return literal(outputs[0].text, piece, self.page)
            case "math":
                return self.formula(piece)
            case "cite":
                return self._citation(piece)
            case "ref":
                return self._reference(piece, self.page)
            case "comment":
                return self._comment(piece)
            case "code":
                return self._block(piece, outputs)
            case "source":
                return self._source(piece)
            case "front":
                return ""
        return self.page.text[piece.start : piece.end]

    def _citation(self, piece: Piece) -> str:
        """Write Markdown links to the works that a piece cites."""
        up = "../" * self.context.uri.count("/")
        links = (
            f"[{words}]({up}bibliography.md#{work.key}){{ .lb-cite }}"
            for words, work in self.context.works(piece)
        )
        return "; ".join(links)

    def formula(self, piece: Piece, signs: str = "") -> str:
        """Write a formula as MathML, tied to the signs after it."""
        try:
            if "display" in piece.options:
                label = self.labels.at[piece.start]
                return self._raw(piece, equation(piece.code, label.id, key=label.key))
            return raw_span(tied(to_mathml(piece.code) + signs))
        except ValueError as error:
            raise self.context.fault(piece, error) from None

    def _raw(self, piece: Piece, markup: str) -> str:
        """Write HTML where a piece of a sentence stands: a block, if it is alone there.

        The piece's line begins with `column` characters that are already written.
        """
        markup, text = tied(markup), self.page.text
        line = text[text.rfind("\n", 0, piece.start) + 1 : piece.start]
        rest = text[piece.end :].partition("\n")[0]
        if markup.startswith(_BLOCKS) and not line.strip() and not rest.strip():
            return raw_fence(markup, len(line))[len(line) :]
        return raw_span(markup)

    def _reference(self, piece: Piece, page: Page) -> str:
        """Link to something numbered as HTML; any other link is left to MkDocs."""
        label, url = self.context.label(piece.code)
        words = reference_words(piece, page, label)
        if label is None:
            return page.text[piece.start : piece.end]
        if piece.options["words"]:
            words = self._words(words, piece)
        return raw_span(link(label, words, url))

    def _words(self, text: str, piece: Piece) -> str:
        """Convert a caption or a question to HTML, like a sentence of the page."""
        text = " ".join(text.split())
        try:
            page = parse(text, self.page.name)
            for each in reversed(page.pieces):
                if each.kind == "math" and not each.options:
                    shown = self.formula(each)
                elif each.kind != "ref":
                    fault = f"`{each.code}` cannot stand in a caption or a question"
                    raise self.context.fault(piece, fault)
                elif self.context.label(each.code)[0] is None:
                    raise self.context.fault(piece, unnamed(each.code, None))
                else:
                    shown = self._reference(each, page)
                text = text[: each.start] + shown + text[each.end :]
        except PageError as error:
            raise self.context.fault(piece, error.message) from None
        marked: str = markdown(text, extensions=[RawHtml()])
        return marked.removeprefix("<p>").removesuffix("</p>")

    def _comment(self, piece: Piece) -> str:
        if piece.code.startswith("caption:"):
            label = self.labels.at[piece.start]
            words = self._words(piece.code.removeprefix("caption:"), piece)
            caption = numbered(label, words)
            caption = f'<p class="lb-caption" id="{label.id}">{caption}</p>'
            return self._raw(piece, caption)
        marker = re.fullmatch(r"lookback:\s*([\w-]+)", piece.code)
        if not marker:
            return ""
        if marker[1] not in self.context.markers:
            known = ", ".join(sorted(self.context.markers)) or "no marker here"
            raise self.context.fault(piece, f"`{piece.code}`: the engine knows {known}")
        made = self.context.markers[marker[1]]
        return self._raw(piece, made) if made else ""

    def _source(self, piece: Piece) -> str:
        """Show definitions in the plain view; a copy of them has their imports, too."""
        shown = self.context.excerpt(piece)
        words = f"{piece.options['module']}, lines "
        links = []
        for source in shown.sources:
            lines = f"{words}{source.first}–{source.last}"
            url, words = self.context.source_url(source), ""
            links.append(f'<a href="{url}">{lines}</a>' if url else lines)
        name = f' id="{self.labels.at[piece.start].id}"'
        copy = html.escape(shown.copy).replace("\n", "&#10;")
        code = code_html(shown.text, f'{name} data-copy="{copy}"')
        where = f'<p class="lb-source">Full source: {", ".join(links)}</p>'
        if is_open(piece, shows=False):
            return self._html_blocks(piece, code, where)
        inside = self._html_blocks(piece, code, where, deeper=4)
        title = f"`{piece.options['names']}`"
        return fold("lb-fold lb-alone", title, inside, piece.column) + "\n"

    def _block(self, piece: Piece, outputs: list[Output]) -> str:
        """Write a block with its question, its code and what it showed."""
        titled = [o for o in outputs if o.is_figure or o.is_missing or o.kind == "html"]
        if "caption" in piece.options and outputs and not titled:
            raise self.context.fault(piece, "a caption is for a figure or a table")
        if outputs and outputs[-1].kind == "quiz":
            return self._quiz(piece, outputs[-1].settings)
        parts = [self._question(piece), *self._code_and_output(piece, outputs)]
        return "\n\n".join(filter(None, parts)) + "\n"

    def _html_blocks(self, piece: Piece, *markup: str, deeper: int = 0) -> str:
        """Write blocks of HTML where a block stands."""
        return "\n\n".join(raw_fence(tied(m), piece.column + deeper) for m in markup)

    def _question(self, piece: Piece) -> str:
        if not (question := piece.options.get("predict")):
            return ""
        words = f"<strong>Predict.</strong> {self._words(question, piece)}"
        return self._html_blocks(
            piece, f'<div class="lb-question"><p>{words}</p></div>'
        )

    def _quiz(self, piece: Piece, quiz: Mapping[str, Any]) -> str:
        """Write a self-test; its answers are folded, with the code that makes them."""
        self.quizzes.append(quiz)
        question = self._words(piece.options["quiz"], piece)
        asked, answers = quiz_html(quiz, question, len(self.quizzes))
        inside = self._html_blocks(piece, answers, code_html(piece.code), deeper=4)
        told = fold("lb-predict", "Show the answer", inside, piece.column)
        return f"{self._html_blocks(piece, asked)}\n\n{told}\n"

    def _code_and_output(self, piece: Piece, outputs: list[Output]) -> tuple[str, ...]:
        shown, code = self._shown(piece, outputs), code_html(piece.code)
        shows = bool(outputs) and outputs[-1].kind != "fault"
        if is_open(piece, shows=shows):
            return self._html_blocks(piece, code), shown
        kind = "lb-fold" if shows else "lb-fold lb-alone"
        inside = self._html_blocks(piece, code, deeper=4)
        title = summary(piece.code, shows=shows)
        return shown, fold(kind, title, inside, piece.column)

    def _shown(self, piece: Piece, outputs: list[Output]) -> str:
        if not outputs:
            return ""
        inside = "".join(self._output(piece, output) for output in outputs)
        label = self.labels.at.get(piece.start)
        kind = "lb-output lb-key" if label and label.key else "lb-output"
        shown = f'<div class="{kind}">{inside}</div>'
        if "predict" not in piece.options or outputs[-1].is_missing:
            return self._html_blocks(piece, shown)
        answer = self._html_blocks(piece, shown, deeper=4)
        return fold("lb-predict", "Show the answer", answer, piece.column)

    def _output(self, piece: Piece, output: Output) -> str:
        if output.is_figure:
            return self._figure(piece, output)
        match output.kind:
            case "html":
                return self._html(piece, output.text)
            case "fault":
                return fault_html(output.text)
            case "waits":
                return self._waits(piece, output)
        text = html.escape(output.text.rstrip("\n"), quote=False)
        kind = "lb-text lb-wrap" if _is_prose(text) else "lb-text"
        return f'<pre class="{kind}" tabindex="0">{text}</pre>'

    def _waits(self, piece: Piece, output: Output) -> str:
        """Write why there is no output yet, where links to it lead."""
        label = self.labels.at.get(piece.start)
        name = f' id="{label.id}"' if label else ""
        caption = self._caption(piece)
        return f'<div class="lb-html"{name}><p>{output.text} {caption}</p></div>'

    def _figure(self, piece: Piece, output: Output) -> str:
        label = self.labels.at[piece.start]
        file = f"{PurePosixPath(self.context.uri).stem}-figure-{label.number}"
        caption = self._caption(piece)
        alt, weights = piece.options["alt"], self.context.weights
        figure = figure_html(output, alt, caption, file, weights)
        figure = self._linked(figure, piece)
        return figure.replace("<figure", f'<figure id="{label.id}"', 1)

    def _linked(self, diagram: str, piece: Piece) -> str:
        """Point a diagram's `lookback:` links at URLs; drop those that have none."""

        def resolve(match: re.Match[str]) -> str:
            url = self.context.diagram_link(html.unescape(match[1]))
            if not url:
                return match[3]
            return f'<a href="{html.escape(url)}"{match[2]}>{match[3]}</a>'

        try:
            return _DIAGRAM_LINK.sub(resolve, diagram)
        except ValueError as error:
            raise self.context.fault(piece, f"diagram: {error}") from None

    def _html(self, piece: Piece, markup: str) -> str:
        name, label = "", self.labels.at.get(piece.start)
        if label and label.kind == "table":
            name = f' id="{label.id}"'
            caption = f"<caption>{self._caption(piece)}</caption>"
            markup = re.sub(r"<table[^>]*>", rf"\g<0>{caption}", markup, count=1)
        markup = re.sub(r"<(?:thead|tbody|p)\b", rf"\g<0> {EXCLUDE}", markup)
        return f'<div class="lb-html"{name} tabindex="0">{markup}</div>'

    def _caption(self, piece: Piece) -> str:
        words = self._words(piece.options.get("caption", ""), piece)
        return numbered(self.labels.at.get(piece.start), words)


def _first_line(fault: str) -> str:
    return html.escape(fault.partition("\n")[0], quote=False)


def _is_prose(text: str) -> bool:
    """Has the text lines too long for a column, and none that are set in columns?

    A name before a sentence, some spaces apart, makes no columns.
    """
    lines = [line for line in text.split("\n") if len(line) > WIDE]
    return bool(lines) and all(len(_GAP.findall(line)) < 2 for line in lines)
